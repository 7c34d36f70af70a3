"""Whose database it is: written at the first start, from the rows where there are any; another identity is refused."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from photomat.db.installation import SANDBOX_BOT, Owner, owner_of, refusal, require_ours, stamp
from photomat.db.migrate import migrate, read_migrations
from photomat.db.pool import transaction
from photomat.kernel.errors import Startup
from photomat.kernel.ids import BotId, UserId
from photomat.kernel.money import Money
from photomat.operators.actions import cancel
from photomat.operators.installation import adopt
from photomat.rewards.welcome import ensure_users
from photomat.users.user import Registration
from photomat.wallet import ledger
from support.busy_shop import a_busy_shop, everything_in
from support.command import photomat
from support.database import connection_of, pool_of
from support.jobs import a_done_job, a_job, a_user, is_shown
from support.source import SOURCE
from support.updates import BOT_ID

OURS, OTHER = BotId(BOT_ID), BotId(7_000_000_002)
SCHEMA = (SOURCE / "photomat" / "db" / "schema.txt").read_text(encoding="utf-8").splitlines()


async def unstamped(database: str) -> None:
    async with connection_of(database) as connection:
        await connection.execute("DELETE FROM installation")


async def talks_to(database: str, bot_id: int, user_id: int = 5) -> None:
    async with connection_of(database) as connection:
        await connection.execute(
            "INSERT INTO conversations (bot_id, chat_id, user_id, state, data) VALUES ($1, $2, $2, 'x', '{}')",
            bot_id,
            user_id,
        )


async def test_an_empty_database_is_the_first_programs_and_of_two_at_once_one_is_refused(empty_database: str) -> None:
    await migrate(empty_database)
    assert (await owner_of(empty_database)).is_unowned, "a migration does not decide whose database it is"
    starts = [stamp(empty_database, bot_id=bot, currency="RUB") for bot in (OURS, OTHER)]
    ended = await asyncio.gather(*starts, return_exceptions=True)
    assert [type(one) for one in ended if one is not None] == [Startup]
    assert (await owner_of(empty_database)).bots == ((OURS,) if ended[0] is None else (OTHER,))


async def test_a_database_without_the_row_is_whose_rows_it_holds(database: str) -> None:
    async with pool_of(database) as pool:
        await a_job(pool, await a_user(pool))
    await unstamped(database)
    with pytest.raises(Startup, match=f"belongs to bot {OURS}, and this program is bot {OTHER}"):
        await stamp(database, bot_id=OTHER, currency="RUB")
    with pytest.raises(Startup, match="this program is the sandbox"):
        await stamp(database, bot_id=SANDBOX_BOT, currency="RUB")
    assert not (await owner_of(database)).stamped
    await stamp(database, bot_id=OURS, currency="RUB")
    assert await owner_of(database) == Owner(bots=(OURS,), stamped=True, currency="RUB")


async def test_a_schema_of_an_earlier_version_is_asked_before_it_is_migrated(empty_database: str) -> None:
    await migrate(empty_database, read_migrations()[:8])
    await talks_to(empty_database, OURS)
    with pytest.raises(Startup, match=f"belongs to bot {OURS}"):
        await require_ours(empty_database, OTHER)
    await require_ours(empty_database, OURS)


async def test_rows_of_several_bots_or_of_nobody_are_for_a_person_to_decide(database: str) -> None:
    await unstamped(database)
    async with connection_of(database) as connection:
        await ensure_users(connection, [Registration(UserId(5), "Anna", None, "ru")], welcome=Money(0, "RUB"))
    with pytest.raises(Startup, match=r"customers of an unknown bot.*installation adopt"):
        await stamp(database, bot_id=OURS, currency="RUB")
    await talks_to(database, OURS)
    await talks_to(database, OTHER)
    with pytest.raises(Startup, match=rf"rows of bot {OURS} and bot {OTHER}.*installation adopt"):
        await stamp(database, bot_id=OURS, currency="RUB")


async def test_a_bot_that_only_read_its_stars_here_once_does_not_count_beside_customers(database: str) -> None:
    await unstamped(database)
    await talks_to(database, OURS)
    async with connection_of(database) as connection:
        await connection.execute("INSERT INTO stars_readings (bot_id) VALUES ($1)", OTHER)
    await stamp(database, bot_id=OURS, currency="RUB")


def test_every_table_that_names_a_bot_is_asked() -> None:
    from photomat.db.installation import CUSTOMER_TABLES, READING_TABLES  # noqa: PLC0415  only here

    naming = {line.split()[1].partition(".")[0] for line in SCHEMA if line.startswith("column ") and ".bot_id " in line}
    assert naming - {"installation"} == {*CUSTOMER_TABLES, *READING_TABLES}


async def test_another_currency_is_refused_once_there_is_money_in_the_first(database: str) -> None:
    await stamp(database, bot_id=OURS, currency="USD")
    await stamp(database, bot_id=OURS, currency="RUB")
    async with pool_of(database) as pool:
        await a_user(pool)
    with pytest.raises(Startup, match=r"^CURRENCY is USD, but .* are in RUB: set CURRENCY=RUB, or .*\.$"):
        await stamp(database, bot_id=OURS, currency="USD")
    await unstamped(database)
    await talks_to(database, OURS)
    with pytest.raises(Startup, match="CURRENCY is USD"):
        await stamp(database, bot_id=OURS, currency="USD")


async def test_wallets_in_another_currency_than_most_are_named_and_the_shop_starts(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with pool_of(database) as pool:
        await a_user(pool)
        await pool.execute("INSERT INTO users (user_id, first_name) VALUES (5, 'Anna')")
        await pool.execute("INSERT INTO wallets (user_id, currency) VALUES (5, 'USD')")
    await stamp(database, bot_id=OURS, currency="RUB")
    assert "WALLETS_IN_OTHER_CURRENCIES" in capsys.readouterr().out
    keys = {"BOT_TOKEN": f"{OURS}:t", "KIE_API_KEY": "k", "DATABASE_URL": database}
    check = photomat("check", "--only", "storage", folder=tmp_path, **keys)
    assert "1 wallets are not in RUB" in check.stdout, check.stdout


async def test_a_shop_is_adopted_when_nothing_of_the_other_bot_is_open_and_the_journal_says_why(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await is_shown(pool, await a_done_job(pool, user))
        job_id = await a_job(pool, user)
        refused = await adopt(pool, bot_id=OTHER, currency="RUB", operator="olga", reason="a new bot")
        assert not refused.done
        assert refused.sentence.startswith(f"Not yet: 1 jobs of bot {OURS} are open; let them end,")
        assert (await cancel(pool, job_id, operator="olga", reason="the bot moves")).done
        done = await adopt(pool, bot_id=OTHER, currency="RUB", operator="olga", reason="a new bot")
        assert (done.done, (await owner_of(database)).bots) == (True, (OTHER,))
        rows = await pool.fetch(
            "SELECT action, operator, reason, done, outcome FROM operator_journal WHERE action = 'adopt' ORDER BY entry_id"
        )
        assert [tuple(row) for row in rows] == [
            ("adopt", "olga", "a new bot", answer.done, answer.sentence) for answer in (refused, done)
        ]
        await require_ours(database, OTHER)
        with pytest.raises(Startup, match=f"belongs to bot {OTHER}"):
            await require_ours(database, OURS)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("UPDATE generation_jobs SET status = 'failed', settled_at = photomat_now()", "holds"),
        (
            "INSERT INTO instances (instance_id, version, host, pid, active) VALUES ('i', '1', 'h', 1, false)",
            "instances",
        ),
    ],
)
@pytest.mark.breaks_invariants
async def test_an_adoption_waits_for_holds_and_running_instances(database: str, change: str, what: str) -> None:
    async with pool_of(database) as pool:
        await a_job(pool, await a_user(pool))
        await pool.execute(change)
        answer = await adopt(pool, bot_id=OTHER, currency="RUB", operator="olga", reason="x")
    assert (answer.done, f"1 {what} of bot" in answer.sentence) == (False, True), answer


async def test_an_adoption_waits_for_receipts_and_refunds_and_changes_nothing_meanwhile(database: str) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        for job_id in [row["job_id"] for row in await pool.fetch("SELECT job_id FROM generation_jobs")]:
            await cancel(pool, job_id, operator="olga", reason="the bot moves")
        before = await everything_in(pool)
        answer = await adopt(pool, bot_id=OTHER, currency="RUB", operator="olga", reason="x")
        assert "1 receipts of bot" in answer.sentence
        await pool.execute(
            "UPDATE receipts SET state = 'declined', reason = 'x', decided_by = 'olga', decided_at = photomat_now()"
        )
        answer = await adopt(pool, bot_id=OTHER, currency="RUB", operator="olga", reason="x")
        assert "1 refunds of bot" in answer.sentence
        changed = {name for name, digest in (await everything_in(pool)).items() if digest != before[name]}
        assert changed == {"operator_journal", "receipts"}


async def test_play_money_never_becomes_a_real_shops_and_the_sandbox_adopts_nothing(database: str) -> None:
    await unstamped(database)
    await talks_to(database, SANDBOX_BOT)
    async with pool_of(database) as pool:
        answer = await adopt(pool, bot_id=OURS, currency="RUB", operator="olga", reason="keys at last")
        assert (answer.done, "play money" in answer.sentence) == (False, True)
        with pytest.raises(Startup, match="play money"):
            await stamp(database, bot_id=OURS, currency="RUB")
        await pool.execute("DELETE FROM conversations")
        await stamp(database, bot_id=OURS, currency="RUB")
        assert not (await adopt(pool, bot_id=SANDBOX_BOT, currency="RUB", operator="olga", reason="x")).done


async def test_after_a_sandbox_has_run_on_a_shop_its_play_money_goes_before_the_shop_is_adopted(database: str) -> None:
    await unstamped(database)
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await ensure_users(tx, [Registration(UserId(5), "Sandbox", None, "ru")], welcome=Money(100, "RUB"))
        await talks_to(database, SANDBOX_BOT, 5)
        await talks_to(database, OURS, 6)
        answer = await adopt(pool, bot_id=OURS, currency="RUB", operator="olga", reason="it is ours")
        assert (answer.done, "users 5 came from the sandbox" in answer.sentence) == (False, True)
        async with transaction(pool) as tx:
            await ledger.debit(
                tx, user_id=UserId(5), amount=Money(100, "RUB"), reference="operator:1", reason="operator"
            )
        assert (await adopt(pool, bot_id=OURS, currency="RUB", operator="olga", reason="it is ours")).done


async def test_installation_show_and_adopt_as_commands(database: str, tmp_path: Path) -> None:
    keys = {"KIE_API_KEY": "k", "DATABASE_URL": database}
    shown = photomat("installation", "show", "--json", folder=tmp_path, DATABASE_URL=database)
    facts = json.loads(shown.stdout)
    assert (facts["identity"], facts["currency"], facts["stamped"]) == (str(OURS), "RUB", True)
    shown = photomat("installation", "show", folder=tmp_path, BOT_TOKEN=f"{OTHER}:t", **keys)
    assert f"This database belongs to bot {OURS} (as its row says)." in shown.stdout
    assert re.search(
        r"^Under way: jobs: \d+, holds: \d+, receipts: \d+, refunds: \d+(, \w+: \d+)*, instances: \d+\.$",
        shown.stdout,
        re.MULTILINE,
    )
    assert "installation adopt" in shown.stdout
    without = photomat("installation", "adopt", "--reason", "x", folder=tmp_path, DATABASE_URL=database)
    assert (without.returncode, "Set BOT_TOKEN" in without.stderr) == (2, True)
    assert "the next start" not in shown.stdout
    done = photomat("installation", "adopt", "--reason", "moved", folder=tmp_path, BOT_TOKEN=f"{OTHER}:t", **keys)
    assert done.stdout == f"✓ This database belonged to bot {OURS} and belongs to bot {OTHER} now.\n"


def test_a_refusal_names_both_and_the_way_out() -> None:
    assert refusal(Owner(bots=(OURS,)), OURS) is None
    assert refusal(Owner(bots=()), OURS) is None
    for owner in (Owner(bots=(OTHER,)), Owner(bots=(OURS, OTHER)), Owner(bots=(), has_customers=True)):
        sentence = refusal(owner, OURS)
        assert sentence is not None
        assert owner.name in sentence
        assert f"bot {OURS}" in sentence
        assert "`photomat installation adopt --reason …`" in sentence

"""Settings changed while the program runs: what is accepted, what is refused and why, who may, and what the journal keeps."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from photomat.app.live_settings import LiveSettings, effective, live_names, rules_of
from photomat.app.settings import Settings
from photomat.db.pool import Connection, Pool
from photomat.operators.access import Role
from photomat.operators.actions import ActionResult
from photomat.operators.settings import change_setting, reset_setting, shown_settings
from support.command import answer, photomat
from support.console import PASSWORD, running_console
from support.database import connection_of, pool_of
from support.patience import until_found


def base(**given: Any) -> Settings:
    return Settings(_env_file=None, **given)


async def change(pool: Pool, name: str, value: str, *, settings: Settings | None = None, **how: Any) -> ActionResult:
    rules = rules_of(settings or base())
    return await change_setting(pool, rules, name, value, operator="test", reason="a test", **how)


async def journal(pool: Pool) -> list[tuple[str, str, bool, str]]:
    rows = await pool.fetch("SELECT action, reference, done, outcome FROM operator_journal ORDER BY entry_id")
    return [tuple(row) for row in rows]


async def test_a_change_holds_from_the_next_look_on_and_is_journaled_with_both_values(database: str) -> None:
    async with pool_of(database) as pool:
        live = LiveSettings(base())
        made = live.following(lambda: [live.current.markup])
        assert made() is made(), "it is made once for the same settings"
        before = made()
        assert (await change(pool, "MARKUP", "2,5")).done
        await live.refresh(pool)
        assert (str(made()[0]), str(before[0])) == ("2.5", "2.0")
        assert (await reset_setting(pool, live.rules, "MARKUP", operator="test", reason="back")).done
        await live.refresh(pool)
        assert live.current == live.base
        assert await journal(pool) == [
            ("setting", "MARKUP", True, "MARKUP: was 2, is 2.5 now. Every instance applies it within two seconds."),
            ("reset setting", "MARKUP", True, "MARKUP: back to its default, 2 (was 2.5)."),
        ]


async def test_the_environment_wins_and_says_so(database: str) -> None:
    async with pool_of(database) as pool:
        assert (await change(pool, "MARKUP", "5")).done
        pinned = base(markup="3")
        assert (await effective(pool, pinned)).markup == 3
        refused = await change(pool, "MARKUP", "4", settings=pinned)
        assert not refused.done
        assert refused.sentence.startswith("MARKUP is given by the environment or .env (3), which wins.")
        shown = {each.spec.name: each for each in await shown_settings(pool, rules_of(pinned))}
        assert (shown["MARKUP"].source, shown["MARKUP"].value) == ("environment", "3")
        assert (shown["USD_RATE"].source, shown["USD_RATE"].value) == ("default", "80")


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("MARKUP", "0", "MARKUP: a number above 0 is needed."),
        ("MARKUP", "two", "MARKUP: a number is needed, such as 1.5."),
        ("FREE_PER_DAY", "1.5", "FREE_PER_DAY: a whole number is needed."),
        ("FREE_PER_DAY", "-1", "FREE_PER_DAY: at least 0."),
        ("KEEP_UPDATES_DAYS", "7", "KEEP_UPDATES_DAYS: at most 6."),
        ("TICKET_ALERT_MIN", "9" * 29, "TICKET_ALERT_MIN: at most 525600."),
        ("RICH_RESULTS", "maybe", "RICH_RESULTS: 1 (on) or 0 (off)."),
        ("TERMS_URL", "example.com", "TERMS_URL: an address that begins with http:// or https:// is needed."),
        ("TIMEZONE", "Moscow", "TIMEZONE: a time zone such as Europe/Moscow or Asia/Almaty is needed."),
        ("TOPUP_SUMS", "100;300", "TOPUP_SUMS: sums are written by comma, such as 100,300,500."),
        ("STARS_PACKAGES", "50+", "STARS_PACKAGES: packages are written by comma, such as 100,500+5%."),
        ("TOPUP_LEAST", "3000001", "The least top-up (3000001) is larger than the largest (3000000): change "),
        ("BOT_TOKEN", "1:x", "BOT_TOKEN cannot change while the bot runs: it is read at the start only, "),
        ("CURRENCY", "EUR", "CURRENCY cannot change while the bot runs: it is read at the start only, "),
    ],
)
async def test_a_bad_value_is_refused_in_words(database: str, name: str, value: str, why: str) -> None:
    async with pool_of(database) as pool:
        refused = await change(pool, name, value)
        assert not refused.done
        assert refused.sentence.startswith(why)
        assert await pool.fetchval("SELECT count(*) FROM setting_values") == 0
        assert await journal(pool) == [("setting", name, False, refused.sentence)]


async def test_a_dollar_costs_one_dollar(database: str) -> None:
    async with pool_of(database) as pool:
        refused = await change(pool, "USD_RATE", "80", settings=base(currency="USD").with_defaults(usd_rate=1))
        assert refused.sentence == "USD_RATE must be 1 where CURRENCY is USD."


@pytest.mark.parametrize(
    ("name", "value"), [("MARKUP", "0.9"), ("MARKUP", "6.1"), ("USD_RATE", "800"), ("STAR_USD", "0.001")]
)
async def test_a_slip_of_the_finger_needs_a_confirmation_both_ways(database: str, name: str, value: str) -> None:
    async with pool_of(database) as pool:
        refused = await change(pool, name, value)
        assert not refused.done
        assert "--confirm" in refused.sentence
        assert (await change(pool, name, value, confirmed=True)).done
        rules = rules_of(base())
        if name != "MARKUP" or value != "0.9":
            assert not (await reset_setting(pool, rules, name, operator="test", reason="back")).done
        assert (await reset_setting(pool, rules, name, operator="test", reason="back", confirmed=True)).done


async def test_two_changes_that_do_not_fit_together_are_not_both_accepted(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other, asyncio.TaskGroup() as group:
        async with other.transaction():
            await other.execute(
                "INSERT INTO setting_values (name, value, operator) VALUES ('TOPUP_MOST', '1000000', 'another')"
            )
            changing = group.create_task(change(pool, "TOPUP_LEAST", "2000000"))
            await until_found(lambda: _ended_or_waits(other, changing))
        assert (await changing).sentence.startswith("The least top-up (2000000) is larger than the largest (1000000)")


async def _ended_or_waits(connection: Connection, task: asyncio.Task[ActionResult]) -> bool | None:
    waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'setting_values'::regclass"
    return True if task.done() or await connection.fetchval(waits) else None


async def test_a_stored_value_that_no_longer_fits_is_left_out_alone(database: str) -> None:
    async with pool_of(database) as pool:
        assert (await change(pool, "TOPUP_LEAST", "2000000")).done
        assert (await change(pool, "FREE_PER_DAY", "7")).done
        await pool.execute("INSERT INTO setting_values (name, value, operator) VALUES ('GONE_SETTING', '1', 'old')")
        narrower = base(topup_most=1_000_000)
        now = await effective(pool, narrower)
        assert (now.topup_least, now.free_per_day) == (5000, 7)
        shown = {each.spec.name: each for each in await shown_settings(pool, rules_of(narrower))}
        unused = shown["TOPUP_LEAST"].unused
        assert shown["TOPUP_LEAST"].source == "default"
        assert unused is not None
        assert unused.plain.startswith("The least top-up (2000000)")
        await pool.execute(
            "UPDATE setting_values SET name = 'MARKUP', value = 'of another version' WHERE name LIKE 'TOPUP%'"
        )
        assert (await change(pool, "MARKUP", "3")).done, "a value that was never used is no obstacle"


async def test_commands_use_the_values_that_hold(database: str, tmp_path: Path) -> None:
    def run(*line: str, **settings: str) -> Any:
        return photomat(*line, folder=tmp_path, DATABASE_URL=database, **settings)

    before = answer("catalog", "price", "z-image", folder=tmp_path, database=database)["quote"]["price"]
    assert run("settings", "set", "markup", "4", "--reason", "dearer").returncode == 0
    assert answer("catalog", "price", "z-image", folder=tmp_path, database=database)["quote"]["price"] == 2 * before
    listed = {each["setting"]: each for each in answer("settings", "list", folder=tmp_path, database=database)}
    assert (listed["MARKUP"]["value"], listed["MARKUP"]["source"]) == ("4", "page")
    assert listed["MARKUP"]["operator"].startswith("cli:")
    refused = run("settings", "set", "MARKUP", "4", "--reason", "x", MARKUP="2")
    assert (refused.returncode, "which wins" in refused.stdout) == (1, True)
    assert run("settings", "set", "MARKUP", "40", "--reason", "x").returncode == 1
    assert run("settings", "reset", "MARKUP", "--reason", "back").returncode == 0


async def test_the_page_shows_everything_but_secrets_and_says_where_it_is_from(database: str, tmp_path: Path) -> None:
    secrets = {
        "bot_token": "5:the-token",
        "kie_api_key": "the-kie-key",
        "database_url": "postgresql://u:the-db-password@h/d",
        "callback_secret": "the-callback",
        "console_password": "the-password",
        "metrics_token": "the-metrics",
    }
    rules = rules_of(base(**secrets, markup="3"))
    async with running_console(database, folder=tmp_path, settings=rules) as console, console.signed_in() as owner:
        values = await owner.get("/console/settings")
        start = await owner.get("/console/settings?tab=start")
        assert [name for name in live_names() if name.upper() not in values.text] == []
        assert values.text.count(">environment<") == 1
        assert [secret for secret in secrets.values() if secret in values.text + start.text] == []
        assert "BOT_TOKEN" in start.text
        exported = await owner.get("/console/settings?format=csv")
        assert "MARKUP,3,environment,2," in exported.text


async def test_an_owner_changes_a_setting_on_the_page_and_nobody_else_can(database: str, tmp_path: Path) -> None:
    path, on = "/console/settings/values/MARKUP", "/console/settings"
    async with running_console(database, folder=tmp_path) as console, console.signed_in() as owner:
        for role in (Role.OPERATOR, Role.VIEWER):
            async with console.signed_in(role) as other:
                page = await other.get(on)
                assert ("MARKUP" in page.text, path in page.text) == (True, False)
                assert (await other.act(path, value="3")).status == 403
                assert (await other.act(f"{path}/reset")).status == 403
                assert (
                    await other.act("/console/settings/operators", telegram_id="9", name="I", role="operator")
                ).status == 403
                assert (await other.act("/console/settings/sessions/1/end")).status == 403
                people = (await other.get(f"{on}?tab=people")).text
                assert "Open sessions" not in people, "they are the owner's to see"
        assert await console.pool.fetchval("SELECT count(*) FROM setting_values") == 0
        assert "is 3 now" in str((await owner.act(path, on=on, value="3")).flash)
        assert "tick the confirmation" in str((await owner.act(path, on=on, value="30")).flash)
        assert "is 30 now" in str((await owner.act(path, on=on, value="30", confirmed="yes")).flash)
        assert "needed" in str((await owner.act(path, on=on, value="x")).flash)
        assert (await owner.act(path, on=on, value="5", reason=" ")).flash is not None
        assert (await owner.act("/console/settings/values/BOT_TOKEN", on=on, value="1:x")).path == on
        for nonsense in ("NO_SUCH_SETTING", "%00", "..%2f"):
            assert (await owner.act(f"/console/settings/values/{nonsense}", on=on, value="1")).status == 404
        stored = await console.pool.fetch("SELECT name, value FROM setting_values")
        assert [tuple(row) for row in stored] == [("MARKUP", "30")]


async def test_an_owner_adds_and_removes_people_and_ends_sessions(database: str, tmp_path: Path) -> None:
    on = "/console/settings?tab=people"
    async with running_console(database, folder=tmp_path, password=PASSWORD) as console, console.signed_in() as owner:
        add = "/console/settings/operators"
        assert (await owner.act(add, on=on, telegram_id="81", name="Вера", role="viewer")).flash
        page = await owner.get(on)
        assert "Вера" in page.text
        for wrong in ({"role": "owner"}, {"telegram_id": "x"}, {"telegram_id": "9" * 30}, {"name": " "}):
            refused = await owner.act(add, on=on, **{"telegram_id": "82", "name": "Зло", "role": "viewer", **wrong})
            assert refused.status == 200
        assert "Зло" not in (await owner.get(on)).text
        assert (await owner.act(f"{add}/81/remove", on=on)).flash
        assert "Вера" not in (await owner.get(on)).text
        async with console.signed_in(Role.OPERATOR) as operator:
            session = await console.pool.fetchval("SELECT max(session_id) FROM console_sessions")
            assert (await owner.act(f"/console/settings/sessions/{session}/end", on=on)).flash
            assert (await operator.get("/console/today")).path.startswith("/console/sign-in")

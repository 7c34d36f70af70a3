"""What people read: a statement whose lines tell what they are about, and every move explained in words."""

from pathlib import Path
from typing import Any

from photomat.db.pool import Pool, transaction
from photomat.kernel.ids import JobId, UserId
from photomat.operators import money
from photomat.operators.actions import journal_of_user
from photomat.operators.explain import explain_job, explain_move
from photomat.payments.statement import statement
from photomat.rewards import gifts
from photomat.wallet import ledger, refunds
from support.command import answer, photomat
from support.database import pool_of
from support.money import buy, make_user, rub, sell

ANNA, BORIS = UserId(42), UserId(43)
ME = "cli:olga@desk"


async def a_life(pool: Pool) -> JobId:
    """A user who did everything once."""
    async with transaction(pool) as tx:
        await make_user(tx, ANNA, balance=100)
        await make_user(tx, BORIS)
        await ledger.credit(
            tx,
            user_id=ANNA,
            amount=rub(500),
            reference="stars:1",
            reason="operator",
            facts={"way": "stars", "stars": 250},
        )
        job = await buy(tx, ANNA, price=64)
        await tx.execute("UPDATE generation_jobs SET inputs = $2 WHERE job_id = $1", job, {"prompt": "кот " * 40})
        await sell(tx, job)
        gift = await gifts.give(tx, giver_id=ANNA, amount=rub(130), origin="gift")
        await gifts.take(tx, code=gift.code, taker_id=BORIS)
        await refunds.refund_charge(tx, job_id=job, amount=rub(14), reference="refund:1")
        await refunds.take_back(tx, user_id=ANNA, amount=rub(530), reference="back:1")
    return job


async def test_every_line_tells_what_it_is_about_and_the_balance_after_it(database: str) -> None:
    async with pool_of(database) as pool:
        job = await a_life(pool)
        async with transaction(pool) as tx:
            moves = await statement(tx, user_id=ANNA)
            friends = await statement(tx, user_id=BORIS)
    assert [(move.reason, move.amount.minor, move.debt.minor, move.balance_after.minor) for move in moves] == [
        ("payment-refund", -420, 110, 0),
        ("refund", 14, 0, 420),
        ("gift", -130, 0, 406),
        ("charge", -64, 0, 536),
        ("operator", 500, 0, 600),
        ("welcome", 100, 0, 100),
    ]
    _, refund, gift, charge, topup, _ = moves
    assert (charge.job_id, charge.model, len(charge.prompt or "")) == (job, "z-image", 60)
    assert (refund.gives_back, refund.model, gift.other_user) == (f"job:{job}", "z-image", BORIS)
    assert topup.facts == {"way": "stars", "stars": 250}
    assert [(move.amount.minor, move.other_user) for move in friends] == [(130, ANNA)]


async def test_pages_join_without_a_gap_and_a_new_move_shifts_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        await a_life(pool)
        async with transaction(pool) as tx:
            whole = await statement(tx, user_id=ANNA)
            first = await statement(tx, user_id=ANNA, limit=2)
            await ledger.credit(tx, user_id=ANNA, amount=rub(70), reference="stars:2", reason="operator")
            rest = await statement(tx, user_id=ANNA, before=first[-1].move_id)
            assert first + rest == whole
            assert await statement(tx, user_id=ANNA, before=whole[-1].move_id) == []


async def test_a_job_is_explained_from_its_quote_to_its_refunds_with_who_did_it(database: str) -> None:
    async with pool_of(database) as pool:
        job = await a_life(pool)
        await money.refund_job(pool, job, 10, reference="refund:2", operator=ME, reason="a blurred cat")
        async with transaction(pool) as tx:
            told = await explain_job(tx, job)
            refund = await explain_move(tx, "refund:2")
            charge = await explain_move(tx, f"job:{job}")
            assert await explain_move(tx, "nothing") is None
            assert await explain_job(tx, JobId(job + 1)) is None
    assert told is not None
    words = " ".join(each.plain for each in told.sentences).replace("\N{NO-BREAK SPACE}", " ")
    for fact in (
        "quoted 0.64 ₽",
        "was held as job:",
        "was charged",
        "0.14 ₽ was given back as refund:1",
        "a blurred cat",
        ME,
    ):
        assert fact in words, f"{fact} is not in: {words}"
    assert refund is not None
    assert f"It gives back job:{job}." in [each.plain for each in refund.sentences]
    assert any("olga" in sentence.plain for sentence in refund.sentences)
    assert charge is not None
    assert any("refund:1" in sentence.plain for sentence in charge.sentences)


async def test_what_an_operator_does_with_money_is_in_the_journal_refused_or_not(database: str) -> None:
    act: dict[str, Any] = {"operator": ME, "reason": "sorry"}
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
        answers = [
            await money.credit_user(pool, ANNA, 50, reference="operator:1", **act),
            await money.credit_user(pool, ANNA, 50, reference="operator:1", **act),
            await money.credit_user(pool, ANNA, 51, reference="operator:1", **act),
            await money.debit_user(pool, ANNA, 151, reference="operator:2", **act),
            await money.debit_user(pool, ANNA, 150, reference="operator:2", **act),
            await money.credit_user(pool, ANNA, 0, reference="operator:3", **act),
            await money.correct_move(pool, "operator:1", **act),
            await money.correct_move(pool, "operator:1", **act),
            await money.correct_move(pool, "nothing", **act),
        ]
        acts = await journal_of_user(pool, ANNA)
        written = await pool.fetchval("SELECT count(*) FROM operator_journal")
        async with transaction(pool) as tx:
            wallet = await ledger.balance(tx, user_id=ANNA)
    assert [one.done for one in answers] == [True, True, False, False, True, False, True, True, False]
    assert answers[1].sentence.startswith("It was done before")
    assert "Only 1.50" in answers[3].sentence
    assert [(entry.action, entry.reference, entry.done) for entry in acts] == [
        ("credit", "operator:1", True),
        ("credit", "operator:1", True),
        ("credit", "operator:1", False),
        ("debit", "operator:2", False),
        ("debit", "operator:2", True),
        ("credit", "operator:3", False),
    ]
    assert written == len(answers)
    assert (wallet.posted.minor, wallet.owed.minor) == (0, 50)


async def a_wallet(database: str) -> JobId:
    async with pool_of(database) as pool, transaction(pool) as tx:
        await make_user(tx, ANNA, balance=100)
        job = await buy(tx, ANNA, price=64)
        await sell(tx, job)
    return job


async def test_the_commands_move_money_once_and_explain_it(database: str, tmp_path: Path) -> None:
    job = await a_wallet(database)
    for _ in range(2):
        done = answer(
            "wallet",
            "credit",
            "42",
            "1 000,50",
            "--reason",
            "sorry",
            "--reference",
            "a",
            folder=tmp_path,
            database=database,
        )
        assert (done["done"], done["reference"]) == (True, "operator:a")
    poor = photomat("wallet", "debit", "42", "2000", "--reason", "no", folder=tmp_path, DATABASE_URL=database)
    assert poor.returncode == 1
    assert "is available" in poor.stdout
    bad = photomat("wallet", "debit", "42", "-5", "--reason", "no", folder=tmp_path, DATABASE_URL=database)
    assert bad.returncode == 2
    part = answer(
        "wallet", "refund", str(job), "--amount", "0.14", "--reason", "blurred", folder=tmp_path, database=database
    )
    rest = answer("wallet", "refund", str(job), "--reason", "blurred", folder=tmp_path, database=database)
    assert (part["reference"], rest["reference"]) == (f"refund:{job}:14", f"refund:{job}")
    shown = answer("wallet", "show", "42", folder=tmp_path, database=database)
    assert (shown["available"], shown["owed"]) == (100_150, 0)
    assert [move["amount"] for move in shown["moves"]] == [50, 14, 100_050, -64, 100]
    acts = [(act["action"], act["reason"], act["done"]) for act in shown["operators"]]
    assert acts == [
        ("credit", "sorry", True),
        ("credit", "sorry", True),
        ("debit", "no", False),
        ("refund", "blurred", True),
        ("refund", "blurred", True),
    ]
    told = answer("wallet", "explain", str(job), folder=tmp_path, database=database)
    assert any("blurred" in sentence for sentence in told)
    gone = photomat("wallet", "explain", "nothing", folder=tmp_path, DATABASE_URL=database)
    assert gone.returncode == 1


async def test_the_audit_keeps_its_proofs_and_shows_them(database: str, tmp_path: Path) -> None:
    await a_wallet(database)
    assert answer("audit", "--store", folder=tmp_path, database=database) == []
    (proof,) = answer("audit", "--history", folder=tmp_path, database=database)
    assert (proof["violations"], proof["figures"]["income: RUB"]) == ([], 64)
    table = photomat("audit", "--history", folder=tmp_path, DATABASE_URL=database, COLUMNS="300")
    assert f"✓ all {proof['invariants']} hold" in table.stdout


async def test_differences_are_listed_owned_and_resolved(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, transaction(pool) as tx:
        await tx.execute(
            """
            INSERT INTO differences (kind, reference, expected, found, owner)
            VALUES ('stars', 'stars:9', '100', 'nothing', 'operators')
            """
        )
    (one,) = answer("differences", "list", folder=tmp_path, database=database)
    number = str(one["difference_id"])
    owned = photomat("differences", "own", number, "olga", folder=tmp_path, DATABASE_URL=database)
    resolved = photomat("differences", "resolve", number, "--reason", "booked", folder=tmp_path, DATABASE_URL=database)
    again = photomat("differences", "resolve", number, "--reason", "booked", folder=tmp_path, DATABASE_URL=database)
    assert (owned.returncode, resolved.returncode, again.returncode) == (0, 0, 1)
    (ended,) = answer("differences", "list", folder=tmp_path, database=database)
    assert (ended["owner"], ended["resolution"]) == ("olga", "booked")

"""The full audit in slices: every invariant about much is checked for a range of keys at a time, so that no snapshot is old.

One statement over all history keeps the server from vacuuming for as long as it takes. A slice hides the tables behind the rows
of its range and what belongs to them, as the scopes of the audit by day do (`invariant.py`); the ranges of a part follow each
other from the first key to the last without a gap. What is about little, or about the catalogue, is checked as a whole.

Each slice that was checked is stored. Killed at any point, the pass of a night goes on after the last stored slice; two ACTIVE
instances check some slices twice. `photomat audit` does not use slices: it is the second opinion on them.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from photomat.audit.invariant import MOVES, Invariant
from photomat.audit.run import INVARIANTS, Violation, find_violation, violations
from photomat.db.pool import Connection, Pool
from photomat.db.rows import require_row
from photomat.kernel.clock import monotonic
from photomat.work.retention import OldRows

FIRST: Final = -(2**63)
LAST: Final = 2**63 - 1
PAUSE_S: Final = 0.02
"""Between two slices, so that other work comes first."""
OLD_SLICES: Final = OldRows(table="audit_slices", age="checked_at")
OFFENDERS_KEPT: Final = 100

TRANSACTIONS, USERS, JOBS, DAYS, WHOLE = "transactions", "users", "jobs", "days", "whole"
GIFTS, USES, FRIENDS, SHARES = "gifts", "promo uses", "friends", "shares"
WIDTHS: Final = dict.fromkeys((USERS, GIFTS, USES, FRIENDS, SHARES), 5_000) | {
    TRANSACTIONS: 50_000,
    JOBS: 20_000,
    DAYS: 7,
}
"""Rows in a slice; days for sealed days."""
NEXT: Final = {
    TRANSACTIONS: """
        SELECT transaction_id FROM ledger_transactions WHERE transaction_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1
    """,
    USERS: "SELECT user_id FROM wallets WHERE user_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    JOBS: "SELECT job_id FROM generation_jobs WHERE job_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    GIFTS: "SELECT gift_id FROM gifts WHERE gift_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    USES: "SELECT use_id FROM promo_uses WHERE use_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    FRIENDS: "SELECT friend_id FROM referrals WHERE friend_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    SHARES: "SELECT payment_id FROM referral_shares WHERE payment_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    DAYS: """
        SELECT day - date '2000-01-01' FROM sealed_days
         WHERE day - date '2000-01-01' > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1
    """,
}
"""Where the slice that begins at `$1` ends, if there is another one after it."""

BY_TRANSACTION: Final = """
    ledger_transactions AS NOT MATERIALIZED (
        SELECT * FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2),
    entries AS NOT MATERIALIZED (SELECT * FROM entries WHERE transaction_id >= $1 AND transaction_id < $2)
"""
REFERENCES_BOOKED: Final = """
    referred AS MATERIALIZED (
        SELECT reference FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2),
    ledger_transactions AS NOT MATERIALIZED (
        SELECT * FROM ledger_transactions WHERE reference IN (SELECT reference FROM referred)),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE reference IN (SELECT reference FROM referred)),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE reference IN (SELECT reference FROM referred))
"""
"""The transactions of the range with everything that has the same reference."""
REFERENCES_HELD: Final = """
    referred AS MATERIALIZED (SELECT reference FROM holds WHERE job_id >= $1 AND job_id < $2),
    ledger_transactions AS NOT MATERIALIZED (
        SELECT * FROM ledger_transactions WHERE reference IN (SELECT reference FROM referred)),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE reference IN (SELECT reference FROM referred)),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE reference IN (SELECT reference FROM referred))
"""
"""The holds of the range's jobs, the same way."""
GIVEN_BACK: Final = """
    named AS MATERIALIZED (
        SELECT DISTINCT coalesce(reverses, refunds) AS original FROM ledger_transactions
         WHERE transaction_id >= $1 AND transaction_id < $2 AND (reverses IS NOT NULL OR refunds IS NOT NULL)),
    family AS MATERIALIZED (
        SELECT transaction_id FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2
        UNION SELECT original FROM named
        UNION SELECT transaction_id FROM named JOIN ledger_transactions ON refunds = original
        UNION SELECT transaction_id FROM named JOIN ledger_transactions ON reverses = original),
    ledger_transactions AS NOT MATERIALIZED (
        SELECT ledger_transactions.* FROM family JOIN ledger_transactions USING (transaction_id))
"""
BY_USER: Final = """
    wallets AS NOT MATERIALIZED (SELECT * FROM wallets WHERE user_id >= $1 AND user_id < $2),
    entries AS NOT MATERIALIZED (SELECT * FROM entries WHERE user_id >= $1 AND user_id < $2),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE user_id >= $1 AND user_id < $2),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE reference IN (SELECT reference FROM holds))
"""
BY_JOB: Final = """
    generation_jobs AS NOT MATERIALIZED (SELECT * FROM generation_jobs WHERE job_id >= $1 AND job_id < $2),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE job_id >= $1 AND job_id < $2),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE reference IN (SELECT reference FROM holds)),
    ledger_transactions AS NOT MATERIALIZED (SELECT * FROM ledger_transactions WHERE job_id >= $1 AND job_id < $2),
    job_outputs AS NOT MATERIALIZED (SELECT * FROM job_outputs WHERE job_id >= $1 AND job_id < $2)
"""
SAME_CARD: Final = """
    generation_jobs AS NOT MATERIALIZED (
        SELECT * FROM generation_jobs
         WHERE (bot_id, chat_id, card_message_id) IN (
               SELECT bot_id, chat_id, card_message_id FROM generation_jobs WHERE job_id >= $1 AND job_id < $2))
"""
SAME_DRAFT: Final = """
    generation_jobs AS NOT MATERIALIZED (
        SELECT * FROM generation_jobs
         WHERE draft_id IN (SELECT draft_id FROM generation_jobs WHERE job_id >= $1 AND job_id < $2))
"""
NAMED: Final = """
    named AS MATERIALIZED (
        SELECT reference, reason FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2
        UNION SELECT original.reference, original.reason
                FROM ledger_transactions AS booked
                JOIN ledger_transactions AS original ON original.transaction_id = coalesce(booked.reverses, booked.refunds)
               WHERE booked.transaction_id >= $1 AND booked.transaction_id < $2)
"""
"""The references of the range and of what it gives back; a reward's reference holds the key of its row."""


def rewards(*, table: str, key: str, references: str, in_reference: str | None = None, also: str | None = None) -> str:
    """The rows of a range with the money their references name; or, by `in_reference`, of a range of transactions."""
    keys = f"SELECT {key} FROM {table} WHERE {key} >= $1 AND {key} < $2"  # noqa: S608  our own constants
    if in_reference is not None:
        keys = f"SELECT {in_reference}"
    return f"""
        {f"{NAMED}, " if in_reference is not None else ""}
        keys AS MATERIALIZED (SELECT DISTINCT key FROM ({keys}) AS found (key)),
        {table} AS NOT MATERIALIZED (SELECT {table}.* FROM keys JOIN {table} ON {table}.{key} = keys.key),
        wanted AS MATERIALIZED ({references} {f"UNION {also}" if also is not None else ""}),
        {MOVES}
    """  # noqa: S608  our own constants


BY_DAY: Final = f"""
    ledger_transactions AS NOT MATERIALIZED (
        SELECT * FROM ledger_transactions
         WHERE booked_at >= CASE WHEN $1 = {FIRST} THEN '-infinity'
                                 ELSE (date '2000-01-01' + $1::int)::timestamp AT TIME ZONE 'UTC' END
           AND booked_at < CASE WHEN $2 = {LAST} THEN 'infinity'
                                ELSE (date '2000-01-01' + $2::int)::timestamp AT TIME ZONE 'UTC' END)
"""  # noqa: S608  our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Slicing:
    """How an invariant is checked for a range of a part's keys; `only` is a condition on the offenders it finds."""

    part: str
    scope: str
    only: str = "true"


_ONE_TRANSACTION: Final = (Slicing(part=TRANSACTIONS, scope=BY_TRANSACTION),)
_FAMILY: Final = (Slicing(part=TRANSACTIONS, scope=GIVEN_BACK),)
_WALLET: Final = (Slicing(part=USERS, scope=BY_USER),)
_JOB: Final = (Slicing(part=JOBS, scope=BY_JOB),)
_BOTH_SIDES: Final = (
    Slicing(part=TRANSACTIONS, scope=REFERENCES_BOOKED),
    Slicing(part=JOBS, scope=REFERENCES_HELD),
)
_GIFT: Final = {
    "table": "gifts",
    "key": "gift_id",
    "references": """
        SELECT way || key AS reference FROM keys, (VALUES ('gift-out:'), ('gift-in:'), ('gift-back:')) AS ways (way)""",
}
_USE: Final = {"table": "promo_uses", "key": "use_id", "references": "SELECT 'promo:' || key AS reference FROM keys"}
_REWARD: Final = {
    "table": "referrals",
    "key": "friend_id",
    "references": """
        SELECT 'referral:' || key || side AS reference FROM keys, (VALUES (':inviter'), (':friend')) AS sides (side)""",
}
_SHARE: Final = {
    "table": "referral_shares",
    "key": "payment_id",
    "references": "SELECT 'referral:payment:' || key AS reference FROM keys",
}


def _from_both(part: str, row: Mapping[str, str], *, in_reference: str, also: str) -> tuple[Slicing, ...]:
    """By the rows, and by the transactions: money without its row is found there."""
    return (
        Slicing(part=part, scope=rewards(**row)),
        Slicing(part=TRANSACTIONS, scope=rewards(**row, in_reference=in_reference, also=also)),
    )


SLICED: Final[Mapping[str, tuple[Slicing, ...]]] = {
    "transaction-balances": _ONE_TRANSACTION,
    "ledger-balances": _ONE_TRANSACTION,
    "transaction-is-what-was-asked": _ONE_TRANSACTION,
    "transaction-is-as-booked": _ONE_TRANSACTION,
    "gift-has-two-sides": _ONE_TRANSACTION,
    "charge-is-for-a-done-job": _ONE_TRANSACTION,
    "gives-back-no-more-than-taken": _FAMILY,
    "reversed-once": _FAMILY,
    "correction-mirrors": _FAMILY,
    "refund-names-its-charge": _FAMILY,
    "wallet-is-its-entries": _WALLET,
    "debt-is-its-entries": _WALLET,
    "held-is-open-holds": _WALLET,
    "no-negative-money": _WALLET,
    "reference-once": _BOTH_SIDES,
    "charge-is-its-hold": _BOTH_SIDES,
    "hold-is-what-was-asked": _JOB,
    "one-charge-per-job": _JOB,
    "delivered-is-done": _JOB,
    "done-job-has-a-result": _JOB,
    "hold-is-of-its-job": _JOB,
    "done-job-is-charged": _JOB,
    "unsold-job-is-released": _JOB,
    "live-job-holds-its-price": _JOB,
    "open-hold-has-a-live-job": _JOB,
    "paid-job-was-held": _JOB,
    "offer-follows-a-release": _JOB,
    "job-costs-what-its-card-showed": _JOB,
    "cost-is-what-kie-took": _JOB,
    "one-job-per-card": (Slicing(part=JOBS, scope=SAME_CARD),),
    "one-job-per-draft": (Slicing(part=JOBS, scope=SAME_DRAFT),),
    "gift-went-one-way": _from_both(
        GIFTS,
        _GIFT,
        in_reference="split_part(reference, ':', 2)::bigint FROM named WHERE reference ~ '^gift-(out|in|back):[0-9]{1,18}$'",
        also="""
            SELECT reference FROM named WHERE reason = 'gift'
            UNION SELECT reference FROM entries JOIN ledger_transactions USING (transaction_id)
                   WHERE transaction_id >= $1 AND transaction_id < $2 AND account = 'gift'
        """,
    ),
    "promo-credit-has-its-use": _from_both(
        USES,
        _USE,
        in_reference="substr(reference, 7)::bigint FROM named WHERE reference ~ '^promo:[0-9]{1,18}$'",
        also="SELECT reference FROM named WHERE reason IN ('promo', 'bonus')",
    ),
    "referral-reward-has-its-referral": _from_both(
        FRIENDS,
        _REWARD,
        in_reference="split_part(reference, ':', 2)::bigint FROM named"
        " WHERE reference ~ '^referral:[0-9]{1,18}:(inviter|friend)$'",
        also="SELECT reference FROM named WHERE reason = 'referral'",
    ),
    "referral-share-is-of-its-payment": _from_both(
        SHARES,
        _SHARE,
        in_reference="substr(reference, 18)::bigint FROM named WHERE reference ~ '^referral:payment:[0-9]{1,18}$'",
        also="SELECT reference FROM named WHERE reason = 'referral'",
    ),
    "referral-follows-a-paid-job": (
        Slicing(
            part=FRIENDS,
            scope="referrals AS NOT MATERIALIZED (SELECT * FROM referrals WHERE friend_id >= $1 AND friend_id < $2)",
        ),
    ),
    "sealed-days-are-unchanged": (
        Slicing(
            part=DAYS,
            scope=BY_DAY,
            only="day - date '2000-01-01' >= $1 AND day - date '2000-01-01' < $2",
        ),
    ),
}
"""How the invariants about much are cut; the others are checked as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSlice:
    """A slice and what was found in it; `ends` is None for the last one of its part."""

    part: str
    starts: int
    ends: int | None
    seconds: float
    violations: list[Violation]


async def violations_in_slices(connection: Connection, *, widths: Mapping[str, int] = WIDTHS) -> list[Violation]:
    """Check all history in slices, storing nothing. The connection must not be in a transaction."""
    found: list[Violation] = []
    for part in parts():
        async for checked in check_part(connection, part, after=FIRST, widths=widths):
            found += checked.violations
    return merge(found)


def parts() -> list[str]:
    """Everything there is to check, in order: the parts that are cut, then each invariant that is checked as a whole."""
    whole = [f"{WHOLE}: {one.name}" for one in INVARIANTS if one.name not in SLICED]
    return [*whole, *NEXT]


async def check_part(
    connection: Connection, part: str, *, after: int, widths: Mapping[str, int] = WIDTHS
) -> AsyncIterator[CheckedSlice]:
    """Check a part slice by slice from this key on."""
    starts = after
    while True:
        began = monotonic()
        ends = await connection.fetchval(NEXT[part], starts, widths[part]) if part in NEXT else None
        found = await _check_slice(connection, part, starts=starts, ends=LAST if ends is None else ends)
        seconds = round(monotonic() - began, 3)
        yield CheckedSlice(part=part, starts=starts, ends=ends, seconds=seconds, violations=found)
        if ends is None:
            return
        starts = ends


async def _check_slice(connection: Connection, part: str, *, starts: int, ends: int) -> list[Violation]:
    if part not in NEXT:
        return await violations(connection, [one for one in INVARIANTS if part == f"{WHOLE}: {one.name}"])
    found = []
    for one, slicing in _cut_by(part):
        sql = f"""
            WITH bounds AS (SELECT $1::bigint, $2::bigint), {slicing.scope}
            SELECT * FROM ({one.sql}) AS every WHERE {slicing.only}
        """  # noqa: S608  our own constants
        found.append(await find_violation(connection, one, sql, starts, ends))
    return [violation for violation in found if violation is not None]


def _cut_by(part: str) -> list[tuple[Invariant, Slicing]]:
    return [(one, way) for one in INVARIANTS for way in SLICED.get(one.name, ()) if way.part == part]


def merge(found: Sequence[Violation]) -> list[Violation]:
    """One violation for each invariant, with the offenders of all its slices."""
    offenders: dict[str, list[str]] = {}
    for one in found:
        known = offenders.setdefault(one.name, [])
        known += [each for each in one.offenders if each not in known][: OFFENDERS_KEPT - len(known)]
    return [
        Violation(name=one.name, sentence=one.sentence, offenders=tuple(offenders[one.name]))
        for one in INVARIANTS
        if one.name in offenders
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class NightPass:
    """A finished pass over all slices; `seconds` from the first slice of the night on, interruptions included."""

    violations: list[Violation]
    seconds: float


async def check_the_night(pool: Pool, night: date) -> NightPass:
    """Check what is not checked yet of this night, and sum up; every slice is stored before the next one begins."""
    for part in parts():
        after = await _resume_at(pool, night, part)
        if after is None:
            continue
        async with pool.acquire() as connection:
            async for checked in check_part(connection, part, after=after):
                await _store(connection, night, checked)
                await asyncio.sleep(PAUSE_S)
    return await _sum_up(pool, night)


async def _resume_at(pool: Pool, night: date, part: str) -> int | None:
    """Where the part goes on; None if its last slice is stored."""
    row = await pool.fetchrow(
        "SELECT ends FROM audit_slices WHERE night = $1 AND part = $2 ORDER BY starts DESC LIMIT 1", night, part
    )
    return FIRST if row is None else row["ends"]


async def _store(connection: Connection, night: date, checked: CheckedSlice) -> None:
    await connection.execute(
        """
        INSERT INTO audit_slices (night, part, starts, ends, seconds, violations) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT ON CONSTRAINT audit_slices_pkey DO NOTHING
        """,
        night,
        checked.part,
        checked.starts,
        checked.ends,
        checked.seconds,
        [asdict(one) for one in checked.violations],
    )


async def _sum_up(pool: Pool, night: date) -> NightPass:
    row = await require_row(
        pool,
        """
        SELECT extract(epoch FROM photomat_now() - min(checked_at - make_interval(secs => seconds)))::float8 AS seconds
          FROM audit_slices WHERE night = $1
        """,
        night,
    )
    stored = await pool.fetch(
        "SELECT violations FROM audit_slices WHERE night = $1 AND violations <> '[]' ORDER BY part, starts", night
    )
    found = [_violation(each) for row in stored for each in row["violations"]]
    return NightPass(violations=merge(found), seconds=round(row["seconds"], 3))


def _violation(stored: Mapping[str, Any]) -> Violation:
    return Violation(name=stored["name"], sentence=stored["sentence"], offenders=tuple(stored["offenders"]))

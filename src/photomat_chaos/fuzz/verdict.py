"""After a round of fire: whether everything has ended, every coin lies where it belongs, and what the logs complain of."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat.audit.differences import list_differences, resolve
from photomat.audit.run import violations
from photomat.db.pool import Pool, transaction
from photomat_chaos.fuzz.environment import WELCOME
from photomat_chaos.lab.arena import until_true
from photomat_chaos.lab.processes import Instance

REST_LIMIT_S: Final = 120.0
A_LONG_TIME_S: Final = 3 * 86400.0
"""Past every give-up time."""
MAX_DIFFERENCES: Final = 10_000

COMPLAINTS: Final = frozenset(
    {
        "STEP_ERROR",
        "LOOP_ERROR",
        "JOB_TROUBLE",
        "JOB_STOPPED",
        "CALLBACK_ERROR",
        "WEBHOOK_NOT_STORED",
        "DUTY_ERROR",
    }
)
WAITING: Final = "SELECT coalesce(sum(pending), 0) FROM lanes"
UNSETTLED: Final = "SELECT count(*) FROM generation_jobs WHERE settled_at IS NULL AND stopped_at IS NULL"
WRONG_MONEY: Final = """
    SELECT user_id, posted, held FROM wallets
     WHERE held <> 0
        OR posted <> $1 - coalesce((SELECT sum(price) FROM generation_jobs AS job
                                     WHERE job.user_id = wallets.user_id AND status = 'done' AND NOT gift), 0)
                        + coalesce((SELECT sum(amount) FROM entries JOIN ledger_transactions USING (transaction_id)
                                     WHERE entries.user_id = wallets.user_id AND account = 'wallet'
                                       AND reason IN ('topup', 'subscription', 'payment-refund', 'debt')), 0)"""
"""An update that Telegram signed and that reports a payment is a payment, however strange: the audit follows it."""
WRONG_HOLDS: Final = """
    SELECT job_id, status, closed_as FROM generation_jobs
      LEFT JOIN hold_closings ON reference = 'job:' || job_id
     WHERE stopped_at IS NULL
       AND closed_as IS DISTINCT FROM CASE WHEN status = 'done' AND NOT gift THEN 'charge' ELSE 'release' END"""
WRONG_JOBS: Final = """
    SELECT job.job_id, job.user_id FROM generation_jobs AS job JOIN drafts USING (draft_id)
     WHERE job.user_id <> drafts.user_id"""
TOUCHED_DRAFTS: Final = """
    SELECT draft_id FROM drafts
     WHERE origin LIKE 'fuzz draft%' AND (revision <> 1 OR canceled_at IS NOT NULL OR bought_at IS NOT NULL)"""
STOPPED: Final = "SELECT job_id FROM generation_jobs WHERE stopped_at IS NOT NULL"
PARKED: Final = "SELECT update_id, error, body FROM inbox WHERE parked_at IS NOT NULL"


async def let_time_pass(pool: Pool) -> None:
    """Move the clock past every give-up time, and be the operator who has looked at the differences by then.

    Forged payments open differences, as they should; the audit asks that none is left alone for days.
    """
    found = await list_differences(pool, limit=MAX_DIFFERENCES)
    for difference in (each for each in found if each.resolved_at is None):
        async with transaction(pool) as tx:
            await resolve(tx, difference.difference_id, resolution="forged by the lab")
    await pool.execute("UPDATE clock_shift SET shift = shift + make_interval(secs => $1)", A_LONG_TIME_S)


async def lanes_empty(pool: Pool) -> bool:
    """Wait until every stored update is handled or parked."""

    async def empty() -> bool:
        return int(await pool.fetchval(WAITING)) == 0

    return await until_true(empty, within_s=REST_LIMIT_S)


async def jobs_ended(pool: Pool) -> bool:
    """Wait until every job is settled."""

    async def ended() -> bool:
        return int(await pool.fetchval(UNSETTLED)) == 0

    return await until_true(ended, within_s=REST_LIMIT_S)


async def wrongs_of(pool: Pool, name: str) -> list[str]:
    """Violations in this database when everything has ended."""
    found = [f"{name}: job {row['job_id']} was stopped" for row in await pool.fetch(STOPPED)]
    found += [f"{name}: money of user {row['user_id']}: {dict(row)}" for row in await pool.fetch(WRONG_MONEY, WELCOME)]
    for query, what in ((WRONG_HOLDS, "hold"), (WRONG_JOBS, "owner"), (TOUCHED_DRAFTS, "a victim's draft")):
        found += [f"{name}: {what}: {dict(row)}" for row in await pool.fetch(query)]
    async with pool.acquire() as connection:
        found += [f"{name}: audit {each.name}: {each.offenders[:3]}" for each in await violations(connection)]
    return found


async def endings(pool: Pool, name: str) -> Counter[str]:
    rows = await pool.fetch("SELECT status, gift, count(*) AS jobs FROM generation_jobs GROUP BY status, gift")
    return Counter({f"{name} jobs {'gift' if row['gift'] else row['status']}": row["jobs"] for row in rows})


@dataclass(slots=True)
class LogErrors:
    """Errors in the processes' logs since the last reading."""

    instances: Sequence[Instance]
    _read_to: dict[Path, int] = field(default_factory=dict)

    def new(self) -> Counter[str]:
        """The tags of new error lines, with their error."""
        found: Counter[str] = Counter()
        for instance in self.instances:
            with instance.log_file.open("rb") as file:
                file.seek(self._read_to.get(instance.log_file, 0))
                found.update(filter(None, (_complaint(line.decode("utf-8", "replace")) for line in file)))
                self._read_to[instance.log_file] = file.tell()
        return found


def _complaint(line: str) -> str | None:
    tag = re.search(r"\[([A-Z_]{4,})\]", line)
    if tag is not None and tag[1] in COMPLAINTS:
        error = re.search(r'error="?([^"]+?)"?( \w+=|$)', line.strip())
        return f"{tag[1]}: {error[1] if error else '?'}"
    return f"unhandled: {line.strip()[-160:]}" if line.startswith("Traceback") else None


def memory_mb(instance: Instance) -> tuple[int, int]:
    """Memory of the process now, and its maximum."""
    status = Path(f"/proc/{instance.pid}/status").read_text(encoding="utf-8")
    return _field(status, "VmRSS"), _field(status, "VmHWM")


def _field(status: str, name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    return int(found[1]) // 1024 if found else 0

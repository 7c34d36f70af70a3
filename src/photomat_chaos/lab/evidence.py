"""Evidence of a run: screens from the simulated Telegram, tasks from the simulated Kie, rows from PostgreSQL.

For a violation also the story of its job as `photomat jobs show` prints it, and what the logs say about it.
"""

import io
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

from photomat.audit.run import violations as audit_violations
from photomat.cli.jobs import print_report
from photomat.db.pool import Connection, Pool, connect_pool
from photomat.jobs.explain import Surroundings
from photomat.jobs.listing import read_job_report
from photomat_chaos.lab.arena import SETTINGS, Arena
from photomat_chaos.lab.history import (
    Evidence,
    ForgedCallback,
    HandledUpdate,
    HistoryViolation,
    JobRow,
    SentAgain,
    ShownMessage,
)
from photomat_sandbox.kie.world import KieWorld
from photomat_sandbox.telegram.world import TelegramWorld

MEDIA = frozenset({"photo", "video", "animation", "audio", "document"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Observations:
    """What only the lab itself has seen."""

    answered_200: frozenset[tuple[str, str]] = frozenset()
    credit: int = 0
    balances: Mapping[int, int] = field(default_factory=dict)
    deleted: frozenset[tuple[int, int]] = frozenset()
    forged: tuple[ForgedCallback, ...] = ()
    old_version_parks: bool = False


async def gather(connection: Connection, *, telegram: TelegramWorld, kie: KieWorld, seen: Observations) -> Evidence:
    """Collect everything that is known; the program must be at rest."""
    return Evidence(
        jobs=await _jobs(connection),
        sent_again=await _sent_again(connection),
        screens=_screens(telegram),
        orders=_orders(kie),
        answered_200=seen.answered_200,
        stored_callbacks=await _stored(connection),
        lanes=await _lanes(connection),
        parked=await _parked(connection),
        old_version_parks=seen.old_version_parks,
        spent=await _spent(connection),
        credit=seen.credit,
        balances=seen.balances,
        deleted=seen.deleted,
        forged=seen.forged,
        orphans=frozenset(row["task_id"] for row in await connection.fetch("SELECT task_id FROM orphan_callbacks")),
        audit=tuple(f"{one.name}: {', '.join(one.offenders)}" for one in await audit_violations(connection)),
    )


async def _jobs(connection: Connection) -> tuple[JobRow, ...]:
    rows = await connection.fetch(
        """
        SELECT job_id, chat_id, card_message_id, status, external_task_id, price, gift, card_shown = card_wanted AS shown,
               array(SELECT closed_as FROM holds JOIN hold_closings USING (reference)
                      WHERE holds.job_id = job.job_id ORDER BY closed_as) AS closings
          FROM generation_jobs AS job ORDER BY job_id
        """
    )
    return tuple(
        JobRow(
            job_id=row["job_id"],
            chat_id=row["chat_id"],
            card=row["card_message_id"],
            status=row["status"],
            price=row["price"],
            gift=row["gift"],
            shown=row["shown"],
            closings=tuple(row["closings"]),
            task_id=row["external_task_id"],
        )
        for row in rows
    )


async def _sent_again(connection: Connection) -> tuple[SentAgain, ...]:
    rows = await connection.fetch(
        """
        SELECT job_id, chat_id, due_at IS NOT NULL AS is_due, outcome, message_id
          FROM result_sends WHERE position IS NOT NULL ORDER BY send_id
        """
    )
    return tuple(SentAgain(**dict(row)) for row in rows)


def _screens(telegram: TelegramWorld) -> tuple[ShownMessage, ...]:
    return tuple(
        ShownMessage(
            chat_id=message.chat_id,
            message_id=message.message_id,
            is_media=message.kind in MEDIA,
            text=message.text,
            reply_to=message.reply_to,
        )
        for user_id in telegram.people
        for message in telegram.chat_messages(user_id)
        if message.from_bot
    )


def _orders(kie: KieWorld) -> Mapping[str, int | None]:
    return {task_id: job_of_address(task.order.callback_url) for task_id, task in kie.tasks.items()}


def job_of_address(url: str | None) -> int | None:
    name = urlsplit(url or "").path.rpartition("/")[2].partition(".")[0]
    return int(name) if name.isdigit() else None


async def _stored(connection: Connection) -> Mapping[str, int]:
    rows = await connection.fetch("SELECT task_id, count(*) AS count FROM callbacks GROUP BY task_id")
    return {row["task_id"]: row["count"] for row in rows}


async def _lanes(connection: Connection) -> tuple[HandledUpdate, ...]:
    rows = await connection.fetch(
        """
        SELECT lane, update_id, extract(epoch FROM received_at)::float8 AS received_at,
               extract(epoch FROM handled_at)::float8 AS handled_at,
               (SELECT min(name) FROM jsonb_object_keys(body) AS name WHERE name <> 'update_id') AS kind
          FROM inbox WHERE parked_at IS NULL ORDER BY lane, received_id
        """
    )
    return tuple(HandledUpdate(**dict(row)) for row in rows)


async def _parked(connection: Connection) -> tuple[str, ...]:
    rows = await connection.fetch(
        "SELECT update_id, lane, attempts, error FROM inbox WHERE parked_at IS NOT NULL ORDER BY received_id"
    )
    return tuple(
        f"update {row['update_id']} of lane {row['lane']} was put aside after {row['attempts']} attempts: {row['error']}"
        for row in rows
    )


async def _spent(connection: Connection) -> Mapping[int, int]:
    rows = await connection.fetch(
        """
        SELECT user_id, sum(-amount)::bigint AS spent
          FROM entries JOIN ledger_transactions USING (transaction_id)
         WHERE account = 'wallet' AND reason = 'charge' GROUP BY user_id
        """
    )
    return {row["user_id"]: row["spent"] for row in rows}


MAX_STORIES: Final = 5
MAX_LINES: Final = 80


async def stories_of(arena: Arena, violations: Iterable[HistoryViolation]) -> dict[int, str]:
    """The stories of the first few jobs that violations name, by job."""
    named = [violation.job_id for violation in violations if violation.job_id is not None]
    chosen = list(dict.fromkeys(named))[:MAX_STORIES]
    if not chosen:
        return {}
    pool = await connect_pool(arena.dsn, name="storm observer", size=2)
    try:
        return {job_id: await _story(arena, pool, job_id) for job_id in chosen}
    finally:
        await pool.close()


async def _story(arena: Arena, pool: Pool, job_id: int) -> str:
    lease = timedelta(seconds=float(SETTINGS["DELIVERY_LEASE_S"]))
    around = Surroundings(alive=frozenset(), delivery_lease=lease, timeout=timedelta(days=1))
    story = await read_job_report(pool, str(job_id), around)
    if story is None:
        return f"job {job_id} does not exist"
    said = io.StringIO()
    with redirect_stdout(said):
        print_report(story, [])
    return f"{said.getvalue()}\n{_log_lines(arena, str(story.row['corr']))}"


def _log_lines(arena: Arena, corr: str) -> str:
    """The last log lines of all instances with this correlation id, in order."""
    found = [
        f"{instance.log_file.stem}: {line}"
        for instance in arena.started
        for line in instance.log.splitlines()
        if f"[{corr}]" in line
    ]
    return "\n".join(sorted(found, key=lambda line: line.partition(": ")[2])[-MAX_LINES:])

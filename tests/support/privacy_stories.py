"""Stories of a process that dies while it exports or erases a user's data; a fresh one completes what must be completed."""

from collections.abc import Mapping
from typing import Final

from photomat.app.personal_data import personal_data
from photomat.db.pool import transaction
from photomat.kernel.ids import ChatId, UserId
from photomat.privacy.export_sender import ask_for_export
from photomat.privacy.forget import BATCH, ask_to_forget
from photomat.storage.places import one_folder
from support.database import pool_of, shift_clock
from support.patience import until, until_found
from support.privacy import found_in_database, found_in_files
from support.stories import Tell
from support.system import System

NAME: Final = "Zqname"
WORDS: Final = (NAME, "zqnotice")
LEASES_S: Final = 700


async def nothing_is_left(system: System, point: str) -> None:
    """Killed anywhere while a user is forgotten: a fresh process goes on, and nothing is left."""
    person = system.telegram.person(NAME)
    async with pool_of(system.database, size=2) as pool:
        await pool.execute("INSERT INTO users (user_id, first_name) VALUES ($1, $2)", person.user_id, NAME)
        await pool.execute(
            """
            INSERT INTO notices (key, chat_id, text_key, facts, due_at, left_at, outcome)
            SELECT 'zq:' || number, $1, 'x', '{"words": "zqnotice"}', NULL, photomat_now(), 'sent'
              FROM generate_series(1, $2::int) AS number
            """,
            person.user_id,
            BATCH + 1,
        )
        async with transaction(pool) as tx:
            asked = await ask_to_forget(
                tx,
                personal_data(places=one_folder(system.folder / "data" / "results")),
                UserId(person.user_id),
                by="user",
            )
        assert asked.is_new
        await _die_and_start(system, point)
        await shift_clock(pool, LEASES_S)

        async def is_done() -> bool | None:
            return await pool.fetchval("SELECT true FROM forget_requests WHERE done_at IS NOT NULL") or None

        await until_found(is_done, about=lambda: system.story[-6000:])
        left = await found_in_database(pool, WORDS)
    files = found_in_files(system.folder / "data", WORDS)
    assert {word: left[word] | files[word] for word in WORDS} == {word: set() for word in WORDS}


async def it_comes_at_most_once(system: System, point: str) -> None:
    """Killed while it is built, an export is built again; killed after it left, it is never sent again."""
    person = system.telegram.person(NAME)
    async with pool_of(system.database, size=2) as pool:
        await pool.execute("INSERT INTO users (user_id, first_name) VALUES ($1, $2)", person.user_id, NAME)
        async with transaction(pool) as tx:
            await ask_for_export(
                tx, user_id=UserId(person.user_id), chat_id=ChatId(person.user_id), language="ru", origin="zq:1"
            )
        await _die_and_start(system, point)
        await shift_clock(pool, LEASES_S)
        sent = {"export.before_build": 1, "export.after_record": 0, "export.after_send": 1}[point]

        async def is_over() -> bool | None:
            return await pool.fetchval("SELECT due_at IS NULL FROM export_requests") or None

        await until_found(is_over, about=lambda: system.story[-6000:])
        await until(lambda: len(system.telegram.seen(person)) == sent, about=lambda: system.story[-6000:])
    assert found_in_files(system.folder / "data", [NAME]) == {NAME: set()}


async def _die_and_start(system: System, point: str) -> None:
    first = await system.start(wait=False, FAILPOINT=point)
    await until(lambda: first.exit_code is not None, about=lambda: first.log[-4000:])
    assert first.lines("FAILPOINT"), first.log[-2000:]
    await system.start()


STORIES: Final[Mapping[str, Tell]] = {
    **dict.fromkeys(("export.before_build", "export.after_record", "export.after_send"), it_comes_at_most_once),
    **dict.fromkeys(
        (
            "forget.after_claim",
            "forget.before_commit",
            "forget.after_batch",
            "forget.after_step",
            "forget.before_done",
        ),
        nothing_is_left,
    ),
}

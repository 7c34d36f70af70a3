"""Stories of a process that dies over a broadcast; a fresh one goes on, nobody gets it twice."""

from collections.abc import Mapping
from typing import Final

from photomat.broadcasts.broadcast import BroadcastState
from support.broadcasts import a_started_broadcast, found
from support.database import pool_of
from support.patience import until, until_found
from support.stories import Tell
from support.system import System

USERS: Final = 12


async def it_goes_on(system: System, point: str) -> None:
    """Killed while recipients are fixed, before a message leaves or after it: the rest gets it, at most one is unknown."""
    people = [system.telegram.person() for _ in range(USERS)]
    async with pool_of(system.database, size=2) as pool:
        await pool.execute(
            "INSERT INTO users (user_id) SELECT * FROM unnest($1::bigint[])", [each.user_id for each in people]
        )
        made = await a_started_broadcast(pool)
        first = await system.start(wait=False, FAILPOINT=point)
        await until(lambda: first.exit_code is not None, about=lambda: first.log[-4000:])
        assert first.lines("FAILPOINT"), first.log[-2000:]
        await system.start()

        async def is_done() -> bool | None:
            return True if (await found(pool, made)).state is BroadcastState.DONE else None

        await until_found(is_done, about=lambda: system.story[-6000:])
        counts = (await found(pool, made)).counts
    assert counts is not None
    most = 0 if point == "broadcast.after_fill" else 4
    assert counts.sent + counts.unknown == USERS
    assert counts.unknown <= most, counts
    got = [len(system.telegram.seen(each)) for each in people]
    assert max(got) == 1
    assert counts.sent <= sum(got) <= counts.sent + counts.unknown


STORIES: Final[Mapping[str, Tell]] = dict.fromkeys(
    ("broadcast.after_fill", "broadcast.after_record", "broadcast.after_send"), it_goes_on
)

"""An operator writes a broadcast, looks at it, starts it with the reach they saw, stops it: all of it in the journal."""

import pytest

from photomat.broadcasts.broadcast import BroadcastState
from photomat.broadcasts.content import BroadcastContent
from photomat.broadcasts.segment import Segment
from photomat.db.pool import Pool
from photomat.kernel.ids import ChatId
from photomat.operators import broadcasts as operators
from photomat.operators.actions import ActionResult
from support.broadcasts import HELLO, a_ready_broadcast, found
from support.database import pool_of


async def journal(pool: Pool) -> list[tuple[str, bool, str | None]]:
    rows = await pool.fetch("SELECT action, done, outcome_key FROM operator_journal ORDER BY entry_id")
    return [(row["action"], row["done"], row["outcome_key"]) for row in rows]


async def test_a_bad_text_is_refused_before_it_is_stored(database: str) -> None:
    async with pool_of(database) as pool:
        bad = BroadcastContent(text_ru="<b>Скидка")
        made = await operators.create_broadcast(pool, bad, Segment(), operator="olga", reason="sale")
        assert (made.broadcast_id, made.answer.done) == (None, False)
        assert made.answer.says.key == "broadcast-tag-not-closed"
        assert await journal(pool) == [("create broadcast", False, "broadcast-tag-not-closed")]


async def test_it_is_started_once_previewed_and_with_the_reach_that_was_seen(database: str) -> None:
    async with pool_of(database) as pool:
        await pool.execute("INSERT INTO users (user_id) SELECT id FROM generate_series(1, 100) AS id")
        made = await operators.create_broadcast(pool, HELLO, Segment(), operator="olga", reason="sale")
        assert made.broadcast_id is not None

        async def start(reach: int) -> ActionResult:
            assert made.broadcast_id is not None
            return await operators.start_broadcast(pool, made.broadcast_id, reach=reach, operator="olga", reason="sale")

        assert (await start(100)).says.key == "broadcast-not-previewed"
        asked = await operators.preview_broadcast(pool, made.broadcast_id, chat_id=ChatId(9), operator="olga")
        assert asked.done
        await pool.execute("UPDATE broadcasts SET state = 'ready'")
        differs = await start(112)
        assert (differs.says.key, differs.says.facts) == ("broadcast-reach-differs", {"seen": 112, "now": 100})
        assert (await start(91)).done
        assert (await start(91)).says.key == "broadcast-not-open"
        changed = await operators.change_broadcast(pool, made.broadcast_id, HELLO, Segment(), operator="olga")
        assert changed.says.key == "broadcast-not-open"
        assert [done for _, done, _ in await journal(pool)] == [True, False, True, False, True, False, False]


async def test_stop_and_resume_say_what_they_did(database: str) -> None:
    async with pool_of(database) as pool:
        await pool.execute("INSERT INTO users (user_id) VALUES (1)")
        made = await a_ready_broadcast(pool)
        args = {"operator": "olga", "reason": "sale"}
        assert not (await operators.stop_broadcast(pool, made, **args)).done
        assert (await operators.start_broadcast(pool, made, reach=1, **args)).done
        assert (await operators.stop_broadcast(pool, made, **args)).done
        assert (await found(pool, made)).state is BroadcastState.STOPPED
        assert (await operators.resume_broadcast(pool, made, **args)).done
        assert not (await operators.resume_broadcast(pool, made, **args)).done
        assert not (await operators.delete_broadcast(pool, made, **args)).done
        assert (await operators.delete_broadcast(pool, await a_ready_broadcast(pool), **args)).done


@pytest.mark.parametrize("reach", [0, 1])
async def test_a_broadcast_to_nobody_is_not_started(database: str, reach: int) -> None:
    async with pool_of(database) as pool:
        made = await a_ready_broadcast(pool)
        refused = await operators.start_broadcast(pool, made, reach=reach, operator="olga", reason="sale")
        assert refused.says.key == "broadcast-reaches-nobody"

"""One update at a time per lane, in order, by lease and fence, whoever else is at work."""

import asyncio

from photomat.db.pool import Pool, transaction
from photomat.inbox.lanes import claim_lanes, count_anew, finish, free_lanes_of_dead_instances, park, release
from photomat.inbox.receive import queue_depth, receive
from photomat.inbox.update import Claimed
from photomat.kernel.ids import BotId, InstanceId
from support.database import connection_of, pool_of, shift_clock
from support.patience import until_found
from support.updates import BOT_ID, checkout_update, text_update

BOT = BotId(BOT_ID)
LEASE_S = 30.0


async def store(pool: Pool, *update_ids: int, user_id: int = 7) -> list[int]:
    return await receive(pool, bot_id=BOT, updates=[text_update(each, user_id=user_id) for each in update_ids])


async def claim(pool: Pool, instance: str = "one", *, pre_checkout: bool = False) -> Claimed | None:
    claims = await claim_lanes(
        pool, bot_id=BOT, instance=InstanceId(instance), lease_s=LEASE_S, pre_checkout=pre_checkout
    )
    return claims[0] if claims else None


async def claim_surely(pool: Pool, instance: str = "one") -> Claimed:
    claimed = await claim(pool, instance)
    assert claimed is not None
    return claimed


async def end(pool: Pool, claimed: Claimed) -> bool:
    async with transaction(pool) as tx:
        return claimed.received_id in await finish(tx, [claimed])


async def pending(pool: Pool, lane: str = "u7") -> int:
    return int(await pool.fetchval("SELECT pending FROM lanes WHERE lane = $1", lane))


async def test_a_repeated_update_is_stored_once_and_counted_once(database: str) -> None:
    async with pool_of(database) as pool:
        assert await store(pool, 1, 2) == [1, 2]
        assert await store(pool, 2, 3) == [3]
        assert await pending(pool) == await queue_depth(pool) == 3


async def test_the_same_updates_from_many_doors_at_once_are_stored_once(database: str) -> None:
    async with pool_of(database) as pool:
        updates = [text_update(each, user_id=each % 50 + 1) for each in range(1, 401)]
        doors = [updates, updates[::-1], updates[100:], updates[250::-1]] * 2
        new = await asyncio.gather(*(receive(pool, bot_id=BOT, updates=door) for door in doors))
        assert sorted(update_id for each in new for update_id in each) == list(range(1, 401))
        assert await pool.fetchval("SELECT array_agg(DISTINCT pending) FROM lanes") == [8]


async def test_doors_that_meet_the_same_people_in_other_orders_do_not_block_each_other(database: str) -> None:
    async with pool_of(database) as pool:
        people = range(1, 301)
        doors = [
            [text_update(door * 1000 + place, user_id=person) for place, person in enumerate(order)]
            for door, order in enumerate([people, people[::-1]] * 4)
        ]
        await asyncio.gather(*(receive(pool, bot_id=BOT, updates=door) for door in doors))
        assert await pool.fetchval("SELECT array_agg(DISTINCT pending) FROM lanes") == [8]


async def test_what_postgresql_cannot_keep_is_replaced_not_refused(database: str) -> None:
    async with pool_of(database) as pool:
        await receive(pool, bot_id=BOT, updates=[text_update(1, text="a\x00b \ud83d c \\u0000")])
        body = await pool.fetchval("SELECT body FROM inbox")
        assert body["message"]["text"] == "a\ufffdb ? c \\u0000"


async def test_a_lane_is_handled_in_order_and_one_at_a_time(database: str) -> None:
    async with pool_of(database) as pool:
        await store(pool, 1, 2)
        first = await claim_surely(pool)
        assert first.update_id == 1
        assert await claim(pool, "two") is None
        assert await end(pool, first)
        assert (await claim_surely(pool, "two")).update_id == 2


async def test_other_lanes_do_not_wait(database: str) -> None:
    async with pool_of(database) as pool:
        await store(pool, 1, user_id=7)
        await store(pool, 2, user_id=8)
        assert {(await claim_surely(pool)).lane, (await claim_surely(pool)).lane} == {"u7", "u8"}


async def test_many_workers_at_once_never_share_a_lane(database: str) -> None:
    async with pool_of(database) as pool:
        for user_id in range(1, 6):
            await store(pool, user_id * 10, user_id * 10 + 1, user_id=user_id)
        claims = await asyncio.gather(*(claim(pool, str(number)) for number in range(12)))
        lanes = [claimed.lane for claimed in claims if claimed]
        assert len(lanes) == len(set(lanes))
        assert len(lanes) > 0


async def test_a_lease_that_ran_out_is_taken_over_and_the_zombie_writes_nothing(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as clock:
        await store(pool, 1)
        zombie = await claim_surely(pool, "one")
        await shift_clock(clock, LEASE_S + 1)
        heir = await claim_surely(pool, "two")
        assert (heir.received_id, heir.fence, heir.attempts) == (zombie.received_id, zombie.fence + 1, 2)
        assert not await end(pool, zombie)
        async with transaction(pool) as tx:
            assert not await release(tx, zombie, error="late", retry_after_s=0)
            assert not await park(tx, zombie, error="late")
        assert await pool.fetchval("SELECT handled_at IS NULL AND parked_at IS NULL AND error IS NULL FROM inbox")
        assert await end(pool, heir)
        assert await pending(pool) == 0


async def test_finishing_twice_counts_once(database: str) -> None:
    async with pool_of(database) as pool:
        await store(pool, 1, 2)
        claimed = await claim_surely(pool)
        assert await end(pool, claimed)
        assert not await end(pool, claimed)
        assert await pending(pool) == 1


async def test_an_update_that_arrives_while_its_lane_is_given_back_is_not_forgotten(database: str) -> None:
    async with pool_of(database) as pool:
        await store(pool, 1)
        claimed = await claim_surely(pool)
        async with asyncio.TaskGroup() as tasks:
            async with transaction(pool) as tx:
                assert await finish(tx, [claimed])
                arriving = tasks.create_task(store(pool, 2))
                await _waits_for_a_lock(pool)
                assert not arriving.done()
            await arriving
        assert await pending(pool) == 1
        assert (await claim_surely(pool)).update_id == 2


async def test_a_lane_is_not_mended_to_empty_while_an_update_arrives(database: str) -> None:
    async with pool_of(database) as pool:
        await store(pool, 1)
        await pool.execute("UPDATE inbox SET handled_at = photomat_now()")
        async with asyncio.TaskGroup() as tasks:
            async with transaction(pool) as tx:
                await count_anew(tx, bot_id=BOT, lanes=["u7"])
                arriving = tasks.create_task(store(pool, 2))
                await _waits_for_a_lock(pool)
            await arriving
        assert await pending(pool) == 1
        assert (await claim_surely(pool)).update_id == 2


async def test_a_released_lane_rests_and_a_forgiven_attempt_does_not_count(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as clock:
        await store(pool, 1)
        first = await claim_surely(pool)
        async with transaction(pool) as tx:
            assert await release(tx, first, error="429", retry_after_s=17, counted=False)
        await store(pool, 2)
        assert await claim(pool) is None
        await shift_clock(clock, 17)
        again = await claim_surely(pool)
        assert (again.update_id, again.attempts) == (1, 1)


async def test_a_parked_update_lets_its_lane_go_on(database: str) -> None:
    async with pool_of(database) as pool:
        await store(pool, 1, 2)
        poison = await claim_surely(pool)
        async with transaction(pool) as tx:
            assert await park(tx, poison, error="poison")
        assert (await claim_surely(pool)).update_id == 2
        assert await pool.fetchval("SELECT error FROM inbox WHERE parked_at IS NOT NULL") == "poison"


async def test_a_checkout_overtakes_the_lane_of_its_user_and_leaves_no_lane_behind(database: str) -> None:
    async with pool_of(database) as pool:
        await store(pool, 1)
        busy = await claim_surely(pool)
        await receive(pool, bot_id=BOT, updates=[checkout_update(2)])
        assert await claim(pool) is None
        checkout = await claim(pool, pre_checkout=True)
        assert checkout is not None
        assert checkout.lane == "p2"
        assert await end(pool, checkout)
        assert await end(pool, busy)
        assert [row["lane"] for row in await pool.fetch("SELECT lane FROM lanes")] == ["u7"]


async def test_the_lanes_of_a_dead_instance_are_freed_and_those_of_the_living_kept(database: str) -> None:
    async with pool_of(database) as pool:
        await pool.execute("INSERT INTO instances (instance_id, version, host, pid) VALUES ('alive', '1', 'here', 1)")
        await store(pool, 1, user_id=7)
        dead = await claim_surely(pool, "dead")
        await store(pool, 2, user_id=8)
        alive = await claim_surely(pool, "alive")
        assert await free_lanes_of_dead_instances(pool) == 1
        heir = await claim_surely(pool, "alive")
        assert (heir.lane, alive.lane) == ("u7", "u8")
        assert not await end(pool, dead)
        assert await end(pool, heir)
        assert await end(pool, alive)


async def _waits_for_a_lock(pool: Pool) -> None:
    """Come back once some session of this database waits for a lock."""
    await until_found(
        lambda: pool.fetchval(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1"
        )
    )

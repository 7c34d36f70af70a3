"""The doors: who is let in, what is stored, what is answered, and what is only counted."""

import pytest

from photomat.web.app import MAX_BODY_BYTES
from support.doors import address, house, refused
from support.updates import text_update

DEEPER = b'{"update_id": 1, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


async def test_an_update_is_stored_before_it_is_answered_and_once(database: str) -> None:
    async with house(database) as doors:
        body = text_update(1, user_id=5)
        assert [await doors.update(body) for _ in range(2)] == [200, 200]
        assert await doors.stored("inbox") == 1
        assert "updates" in doors.woken.names


@pytest.mark.parametrize("secret", ["", "wrong", "webhook-secre", "пароль"])
async def test_a_wrong_secret_is_401_counted_and_nothing_is_stored(database: str, secret: str) -> None:
    async with house(database) as doors:
        before = refused("telegram", "secret")
        assert await doors.update(text_update(1, user_id=5), secret=secret) == 401
        assert await doors.stored("inbox") == 0
        assert refused("telegram", "secret") == before + 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not json"),
        (b"{", "not json"),
        (b"\xff\xfe", "not json"),
        (DEEPER, "not json"),
        (b"[]", "not an update"),
        (b'{"update_id": "1"}', "not an update"),
        (b'{"message": {}}', "not an update"),
        (b'{"update_id": true}', "not an update"),
        (b'{"update_id": 9223372036854775808}', "not an update"),
        (b'{"update_id": 1, "x": 1e999}', "not json"),
    ],
    ids=["empty", "cut", "binary", "too deep", "a list", "a word as id", "no id", "yes as id", "huge id", "infinity"],
)
async def test_what_is_no_update_is_400_and_counted(database: str, body: bytes, reason: str) -> None:
    async with house(database) as doors:
        before = refused("telegram", reason)
        assert await doors.update(body) == 400
        assert await doors.stored("inbox") == 0
        assert refused("telegram", reason) == before + 1


async def test_what_is_too_large_is_413_and_counted_at_both_doors(database: str) -> None:
    async with house(database) as doors:
        large = b" " * (MAX_BODY_BYTES + 1)
        before = (refused("telegram", "too large"), refused("kie", "too large"))
        assert await doors.update(large) == 413
        assert (await doors.post(address(1), large))[0] == 413
        assert (refused("telegram", "too large"), refused("kie", "too large")) == (before[0] + 1, before[1] + 1)


async def test_without_a_database_telegram_is_told_to_repeat(database: str) -> None:
    async with house(database) as doors:
        await doors.pool.execute("ALTER TABLE inbox RENAME TO inbox_gone")
        assert await doors.update(text_update(1, user_id=5)) == 503
        await doors.pool.execute("ALTER TABLE inbox_gone RENAME TO inbox")
        assert await doors.update(text_update(1, user_id=5)) == 200
        assert await doors.stored("inbox") == 1


async def test_a_passive_instance_takes_updates_all_the_same(database: str) -> None:
    async with house(database) as doors:
        assert not doors.state.active
        assert await doors.update(text_update(1, user_id=5)) == 200
        assert await doors.stored("inbox") == 1


async def test_the_doors_open_for_post_only(database: str) -> None:
    async with house(database) as doors:
        for path in ("/telegram/webhook", "/kie/callback", address(1)):
            async with doors.client.get(doors.url + path) as answer:
                assert answer.status == 405


async def test_health_tells_the_state_and_what_waits(database: str) -> None:
    async with house(database) as doors:
        await doors.update(text_update(1, user_id=5))
        status, body = await doors.get("/health")
        assert (status, body) == (200, {"status": "ok", "active": False, "queue_depth": 1, "version": "1"})
        doors.state.set(active=True, reason="lock_acquired")
        assert (await doors.get("/health"))[1]["active"] is True
        assert await doors.get("/ready") == (200, {"ready": True})
        doors.state.set(active=False, reason="test over")


async def test_without_a_database_it_is_alive_but_degraded_and_not_ready(database: str) -> None:
    async with house(database) as doors:
        await doors.pool.execute("ALTER TABLE lanes RENAME TO lanes_gone")
        status, body = await doors.get("/health")
        assert (status, body["status"], body["queue_depth"]) == (200, "degraded", 0)
        assert await doors.get("/ready") == (503, {"ready": False})
        await doors.pool.execute("ALTER TABLE lanes_gone RENAME TO lanes")
        assert (await doors.get("/ready"))[0] == 200


async def test_metrics_with_a_token_are_for_its_bearer_alone(database: str) -> None:
    async with house(database, metrics_token="figures") as doors:
        for given, status in (("", 401), ("Bearer wrong", 401), ("figures", 401), ("Bearer figures", 200)):
            async with doors.client.get(doors.url + "/metrics", headers={"Authorization": given}) as answer:
                assert answer.status == status, given
                assert ("photomat_queue_depth" in await answer.text()) == (status == 200)


async def test_metrics_are_there_with_and_without_a_database(database: str) -> None:
    async with house(database) as doors:
        await doors.update(text_update(1, user_id=5))
        async with doors.client.get(doors.url + "/metrics") as answer:
            text = await answer.text()
            assert (answer.status, answer.content_type) == (200, "text/plain")
        assert "photomat_queue_depth 1.0" in text
        assert "photomat_bad_requests_total" in text
        await doors.pool.execute("ALTER TABLE lanes RENAME TO lanes_gone")
        async with doors.client.get(doors.url + "/metrics") as answer:
            assert answer.status == 200
        await doors.pool.execute("ALTER TABLE lanes_gone RENAME TO lanes")

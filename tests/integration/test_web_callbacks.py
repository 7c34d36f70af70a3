"""Kie's doors: a signed address, where a key is set a signed request, and a body somebody can use."""

import asyncio
import json
from urllib.parse import urlsplit

import pytest

from photomat.kernel.clock import epoch
from photomat.kie.signature import kie_signature
from photomat.web.telegram_webhook import SECRET_HEADER
from support.doors import KEY, SECRETS, address, house, refused, told
from support.jobs import a_running_job, a_user, row_of

NESTED = b'{"data": {"taskId": "t", "x": ' + b"[" * 900 + b"]" * 900 + b"}}"


def signed(task_id: str = "task-1", *, age_s: int = 0, key: str = KEY) -> dict[str, str]:
    at = str(epoch() - age_s)
    return {"X-Webhook-Timestamp": at, "X-Webhook-Signature": kie_signature(task_id, at, key)}


@pytest.mark.parametrize("secret", SECRETS)
async def test_a_callback_at_its_jobs_address_is_stored_and_wakes_the_look(database: str, secret: bytes) -> None:
    async with house(database) as doors:
        job_id = await a_running_job(doors.pool, await a_user(doors.pool))
        assert (await doors.post(address(job_id, secret), told()))[0] == 200
        assert (await row_of(doors.pool, job_id))["woken_via"] == "callback"
        assert await doors.stored("callbacks") == 1
        assert doors.woken.names == ["looks"]


@pytest.mark.parametrize(
    "token",
    [
        "1.wrong",
        "1",
        "1.",
        ".x",
        "x.y",
        "-1.x",
        "99999999999999999999.x",
        "1.%ff%fe",
        "%D9%A1.x",
        "1.подпись",
    ],
)
async def test_an_address_that_is_not_ours_is_401_counted_and_nothing_is_stored(database: str, token: str) -> None:
    async with house(database) as doors:
        before = refused("kie", "address")
        assert (await doors.post(f"/kie/callback/{token}", told()))[0] == 401
        assert await doors.stored("callbacks") == 0
        assert refused("kie", "address") == before + 1


async def test_the_address_of_one_job_opens_no_other(database: str) -> None:
    async with house(database) as doors:
        signature = address(1).partition(".")[2]
        assert (await doors.post(f"/kie/callback/2.{signature}", told()))[0] == 401


async def test_the_echoed_address_is_not_stored(database: str) -> None:
    async with house(database) as doors:
        echoed = told(
            param=json.dumps({"callBackUrl": "https://bot/kie/callback/1.sig"}),
            paramJson="x",
            callBackUrl="y",
            response={"order": [{"param": {"callBackUrl": "https://bot/kie/callback/1.sig"}, "kept": 5}]},
            resultJson=json.dumps(
                {"task": json.dumps({"paramJson": {"callBackUrl": "https://bot/kie/callback/1.sig"}})}
            ),
            generateParam={"callBackUrl": "https://bot/kie/callback/1.sig"},
            hook="https://bot/kie/callback/1.sig",
        )
        echoed["callBackUrl"] = "https://bot/kie/callback/1.sig"
        assert (await doors.post(address(999), echoed))[0] == 200
        body = json.loads(bytes(await doors.pool.fetchval("SELECT body FROM callbacks")))
        payload = await doors.pool.fetchval("SELECT payload FROM orphan_callbacks")
        for kept in (json.dumps(body), json.dumps(payload)):
            assert "callBackUrl" not in kept
            assert "param" not in kept
            assert "1.sig" not in kept
            assert '"kept": 5' in kept


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not json"),
        (b"<html>", "not json"),
        (b"{}", "no task id"),
        (b"[1]", "no task id"),
        (b'{"data": {"taskId": ""}}', "no task id"),
        (b'{"data": {"taskId": 5}}', "no task id"),
        (b'{"data": {"taskId": "a\\u0000b"}}', "no task id"),
        (json.dumps({"data": {"taskId": "x" * 201}}).encode(), "no task id"),
        (json.dumps({"data": {"taskId": "ключ"}}).encode(), "no task id"),
        (b'{"data": {"taskId": "t", "x": NaN}}', "not json"),
        (NESTED, "too deep"),
    ],
    ids=[
        "empty",
        "a page",
        "nothing in it",
        "a list",
        "an empty id",
        "a number",
        "a NUL",
        "too long an id",
        "not ascii",
        "not a number",
        "too deep",
    ],
)
async def test_a_body_nobody_can_use_is_400_and_counted(database: str, body: bytes, reason: str) -> None:
    async with house(database) as doors:
        before = refused("kie", reason)
        assert (await doors.post(address(1), body))[0] == 400
        assert await doors.stored("callbacks") == 0
        assert refused("kie", reason) == before + 1


async def test_characters_postgresql_cannot_store_are_left_out(database: str) -> None:
    async with house(database) as doors:
        body = b'{"data": {"taskId": "t-1", "failMsg": "a\\u0000b\\ud800c", "k\\u0000": [{"x": "\\udfff"}]}}'
        assert (await doors.post(address(999), body))[0] == 200
        payload = await doors.pool.fetchval("SELECT payload FROM orphan_callbacks")
        assert payload == {"data": {"taskId": "t-1", "failMsg": "ab?c", "k": [{"x": "?"}]}}


async def test_where_a_webhook_key_is_set_kies_signature_must_be_there_and_fresh(database: str) -> None:
    async with house(database, webhook_key=KEY) as doors:
        path, good = address(999), signed()
        bad = [
            {},
            signed(key="other"),
            signed("task-2"),
            signed(age_s=301),
            signed(age_s=-400),
            good | {"X-Webhook-Timestamp": "now"},
        ]
        before = refused("kie", "signature")
        assert [(await doors.post(path, told(), headers))[0] for headers in bad] == [401] * len(bad)
        assert refused("kie", "signature") == before + len(bad)
        assert await doors.stored("callbacks") == 0
        assert (await doors.post(path, told(), signed(age_s=240)))[0] == 200


async def test_the_address_without_a_job_is_open_to_kies_signature_only(database: str) -> None:
    async with house(database) as doors:
        assert (await doors.post("/kie/callback", told(), signed()))[0] == 401
    async with house(database, webhook_key=KEY) as doors:
        job_id = await a_running_job(doors.pool, await a_user(doors.pool))
        assert (await doors.post("/kie/callback", told()))[0] == 401
        assert (await doors.post("/kie/callback", told(), signed()))[0] == 200
        assert (await row_of(doors.pool, job_id))["woken_via"] == "callback"


async def test_without_a_database_kie_is_told_to_repeat(database: str) -> None:
    async with house(database) as doors:
        await doors.pool.execute("ALTER TABLE callbacks RENAME TO callbacks_gone")
        assert (await doors.post(address(1), told()))[0] == 503
        await doors.pool.execute("ALTER TABLE callbacks_gone RENAME TO callbacks")
        assert (await doors.post(address(1), told()))[0] == 200
        assert await doors.stored("callbacks") == 1


async def test_many_callbacks_at_once_are_all_answered_after_their_commit(database: str) -> None:
    async with house(database) as doors:
        answers = await asyncio.gather(*(doors.post(address(n), told(f"t-{n}")) for n in range(1, 101)))
        assert {status for status, _ in answers} == {200}
        assert await doors.stored("callbacks") == 100


async def test_bytes_that_are_no_text_in_a_secret_or_signature_are_401_too(database: str) -> None:
    async with house(database, webhook_key=KEY) as doors:
        body = json.dumps(told()).encode()
        stamp = str(epoch()).encode()
        for path, header in (
            ("/telegram/webhook", SECRET_HEADER.encode() + b": \xff\xfe"),
            (address(1), b"X-Webhook-Timestamp: " + stamp + b"\r\nX-Webhook-Signature: \xff\xfe"),
        ):
            assert await _raw(doors.url, path, header, body) == b"401"
        assert await doors.stored("inbox") == await doors.stored("callbacks") == 0


async def _raw(url: str, path: str, header: bytes, body: bytes) -> bytes:
    """Post with headers no client library would send; gives the status."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    length = str(len(body)).encode()
    writer.write(b"POST " + path.encode() + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + header)
    writer.write(b"\r\nContent-Length: " + length + b"\r\n\r\n" + body)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer.split(b" ")[1]

"""What the fuzz found, each as a test of its own: broken bodies, ids beyond any id, unreadable updates, disguised addresses."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from photomat.delivery.archive import ResultFiles
from photomat.delivery.outputs import Output
from photomat.inbox.receive import receive
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import BotId, JobId, TaskId
from photomat.kie.client import KieClient
from photomat.web import body as web_body
from photomat.web.telegram_webhook import SECRET_HEADER
from photomat_chaos.fuzz.kie import BOMB, KieAnswer, hostile_kie, set_trap
from support.conversation import conversation
from support.doors import SECRET, house
from support.updates import checkout_update, text_update

UPDATE = b'{"update_id": 1}'
HUGE = 10**3000


@pytest.mark.parametrize(
    ("encoding", "body"),
    [("gzip", UPDATE), ("deflate", UPDATE), ("gzip", zlib.compress(UPDATE, wbits=31)[:-12])],
    ids=["not zipped", "not deflated", "zipped and cut"],
)
async def test_a_body_that_is_not_packed_as_it_says_is_400(database: str, encoding: str, body: bytes) -> None:
    async with house(database) as doors:
        headers = {SECRET_HEADER: SECRET, "Content-Encoding": encoding}
        assert (await doors.post("/telegram/webhook", body, headers))[0] == 400
        assert await doors.stored("inbox") == 0


@pytest.mark.parametrize("depth", [150, 600, 950, 985, 990, 995])
async def test_a_body_nested_too_deep_to_be_written_again_is_400_not_503(database: str, depth: int) -> None:
    async with house(database) as doors:
        body = b'{"update_id": 1, "message": ' + b"[" * depth + b"]" * depth + b"}"
        assert await doors.update(body) == 400


async def test_a_body_that_never_ends_is_given_up(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_body, "READ_LIMIT_S", 0.05)
    async with (
        house(database) as doors,
        doors.client.post(f"{doors.url}/telegram/webhook", data=_endless(), headers={SECRET_HEADER: SECRET}) as answer,
    ):
        assert answer.status == 408


async def _endless() -> AsyncIterator[bytes]:
    yield b"{"
    await asyncio.sleep(5)


async def test_ids_beyond_any_id_are_stored_and_answered_200(database: str) -> None:
    async with house(database) as doors:
        update = text_update(1, user_id=HUGE)
        assert await doors.update(update) == 200
        assert await doors.pool.fetchval("SELECT lane FROM inbox") == "other"


@pytest.mark.parametrize(
    "spoiled",
    [
        {"from": {"id": "seven", "is_bot": False, "first_name": "x"}},
        {"from": {"id": 2**63, "is_bot": False, "first_name": "x"}},
        {"message_id": 2**70},
        {"chat": {"id": -(2**64), "type": "group"}},
        {"date": []},
    ],
    ids=["a word as id", "a huge sender", "a huge message", "a huge chat", "a list as date"],
)
async def test_an_update_nobody_can_read_is_parked_at_once_and_the_lane_goes_on(
    database: str, spoiled: dict[str, Any]
) -> None:
    async with conversation(database) as chat:
        user_id = chat.person.user_id
        broken, good = text_update(1, user_id=user_id, text="/start"), text_update(2, user_id=user_id, text="/help")
        broken["message"] |= spoiled
        await receive(chat.pool, bot_id=BotId(chat.bot.id), updates=[broken, good])
        await chat.handle_all()
        rows = await chat.pool.fetch("SELECT attempts, parked_at, handled_at, error FROM inbox ORDER BY update_id")
        assert (rows[0]["attempts"], rows[0]["error"].split()[0]) == (1, "Unreadable")
        assert rows[0]["parked_at"] is not None
        assert rows[1]["handled_at"] is not None


async def test_a_checkout_too_old_to_be_answered_is_handled(database: str) -> None:
    async with conversation(database) as chat:
        await receive(chat.pool, bot_id=BotId(chat.bot.id), updates=[checkout_update(1, user_id=chat.person.user_id)])
        await chat.handle_all()
        assert await chat.pool.fetchval("SELECT handled_at FROM inbox") is not None


@pytest.mark.parametrize("host", ["127。0.0.2", "①27.0.0.2", "127.2", "2130706434", "0x7f.0.0.2", "[::1", "x" * 300])
async def test_an_address_in_disguise_is_not_fetched_and_not_an_error_of_ours(tmp_path: Path, host: str) -> None:
    files = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="api.kie.ai"))
    async with set_trap() as trap:
        for scheme in ("http", "https"):
            with pytest.raises(Transient):
                await files.fetch(_output(f"{scheme}://{host}:{trap.port}/cat.png"))
        assert trap.sprung == []


async def test_kie_cannot_send_us_elsewhere() -> None:
    async with hostile_kie() as kie, set_trap() as trap:
        answer = KieAnswer(status=307, headers={"Location": f"http://127.0.0.2:{trap.port}/"}, body=b"")
        kie.record = lambda _task_id: answer
        kie.create = lambda _job_id: answer
        client = KieClient(base_url=kie.url, api_key="key")
        try:
            with pytest.raises(Transient):
                await client.record(TaskId("t"))
            with pytest.raises(OutcomeUnknown):
                await client.create_task(model="z-image", inputs={}, callback_url="http://bot/kie/callback/1.x")
        finally:
            await client.close()
        assert trap.sprung == []


async def test_an_answer_larger_than_any_answer_is_not_read_to_its_end() -> None:
    async with hostile_kie() as kie:
        kie.record = lambda _task_id: KieAnswer(status=200, headers={"Content-Encoding": "gzip"}, body=BOMB)
        client = KieClient(base_url=kie.url, api_key="key")
        try:
            with pytest.raises(Transient, match="ClientPayloadError"):
                await client.record(TaskId("t"))
        finally:
            await client.close()


def _output(url: str) -> Output:
    facts: dict[str, Any] = {field.name: None for field in fields(Output)}
    return Output(**facts | {"job_id": JobId(1), "corr": "", "position": 0, "url": url})

"""Our client of Kie's chat models against the simulated one: what it sends, what it makes of every answer, one call at most."""

import base64
import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kie.chat import KieChatModel
from photomat.kie.port import Busy, ChatAnswer, ChatFile, ChatRefused, ChatRequest, Paused
from support.kie_sim import KEY, RunningKie, running_kie

MODEL = "gemini-3-flash"
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


def request(*, file: ChatFile | None = None, within_s: float = 20.0) -> ChatRequest:
    return ChatRequest(
        name="order", system="Answer in JSON.", text="кот", schema=SCHEMA, max_tokens=500, within_s=within_s, file=file
    )


def model_at(kie: RunningKie, *, key: str = KEY, model: str = MODEL) -> KieChatModel:
    return KieChatModel(base_url=kie.url, api_key=key, model=model)


async def script(kie: RunningKie, *answers: dict[str, Any]) -> None:
    async with kie.client.post(f"{kie.url}/sandbox/chat", json={"answers": list(answers)}) as response:
        assert response.status == 200, await response.text()


async def calls(kie: RunningKie) -> list[dict[str, Any]]:
    async with kie.client.get(f"{kie.url}/sandbox/chat") as response:
        found: list[dict[str, Any]] = (await response.json())["calls"]
        return found


async def test_an_answer_comes_with_its_tokens_and_credits() -> None:
    async with running_kie() as kie:
        answer = await model_at(kie).complete(request())
        assert json.loads(answer.text) == {"text": "кот"}
        assert answer.prompt_tokens
        assert answer.completion_tokens
        assert answer.credits is not None
        assert answer.credits > 0


async def test_a_recording_is_heard() -> None:
    """It goes as an image_url, the only kind of part that Kie forwards."""
    async with running_kie() as kie:
        silent = await model_at(kie).complete(request())
        heard = await model_at(kie).complete(request(file=ChatFile(mime="audio/ogg", content=b"OggS" + bytes(5000))))
        assert heard.prompt_tokens is not None
        assert silent.prompt_tokens is not None
        assert heard.prompt_tokens > silent.prompt_tokens + 300
        assert json.loads(heard.text)["text"] != "кот"


async def test_a_refused_format_is_not_asked_for_again_and_costs_no_second_call() -> None:
    async with running_kie() as kie:
        kie.world.settings = replace(kie.world.settings, chat_formats="text")
        model = model_at(kie)
        for _ in range(2):
            with pytest.raises(ChatRefused):
                await model.complete(request())
        assert "кот" in (await model.complete(request())).text
        events = [event for event in kie.transcript.since(0) if event.kind == "request" and event.name == "chat"]
        assert len(events) == 3, "one request for each question"


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        ({"code": 401, "msg": "no"}, Paused),
        ({"code": 402, "msg": "no"}, Paused),
        ({"code": 429, "msg": "no"}, Busy),
        ({"code": 455, "msg": "no"}, Busy),
        ({"code": 422, "msg": "no"}, ChatRefused),
        ({"code": 500, "msg": "The server is currently being maintained"}, OutcomeUnknown),
        ({"body": "", "content_type": ""}, OutcomeUnknown),
        ({"body": "<html>busy</html>", "status": 502}, OutcomeUnknown),
        ({"body": "<html>no</html>", "status": 403}, ChatRefused),
        ({"body": '{"choices": "many"}'}, OutcomeUnknown),
        ({"body": '{"choices": [{"message": {"content": null}}]}'}, OutcomeUnknown),
        ({"body": "[1, 2]"}, OutcomeUnknown),
        ({"body": "{" * 5000}, OutcomeUnknown),
        ({"body": '{"choices": [{"message": {"content": "' + "x" * 300_000 + '"}}]}'}, OutcomeUnknown),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_every_answer_becomes_one_of_our_families(answer: dict[str, Any], trouble: type[PhotomatError]) -> None:
    async with running_kie() as kie:
        await script(kie, answer)
        with pytest.raises(trouble):
            await model_at(kie).complete(request())
        assert len(await calls(kie)) == 1


async def test_a_model_kie_does_not_know_and_a_wrong_key_are_refused() -> None:
    async with running_kie() as kie:
        with pytest.raises(ChatRefused):
            await model_at(kie, model="gpt-9").complete(request())
        with pytest.raises(Paused):
            await model_at(kie, key="wrong").complete(request())


async def test_an_answer_that_does_not_come_in_time_is_unknown_and_one_that_never_left_is_not() -> None:
    async with running_kie() as kie:
        await script(kie, {"delay_s": 5})
        with pytest.raises(OutcomeUnknown):
            await model_at(kie).complete(request(within_s=0.3))
    nowhere = KieChatModel(base_url="http://127.0.0.1:9", api_key=KEY, model=MODEL)
    with pytest.raises(Transient):
        await nowhere.complete(request())


@pytest.mark.parametrize(
    ("fields", "credits_"),
    [
        ({"credits_consumed": None}, None),
        ({"credits_consumed": 0.25}, Decimal("0.25")),
        ({"credits_consumed": -3}, None),
        ({"credits_consumed": 10**9}, None),
    ],
)
async def test_only_a_sensible_number_of_credits_is_believed(fields: dict[str, Any], credits_: Decimal | None) -> None:
    body = {"choices": [{"message": {"content": "да"}}], "usage": {"prompt_tokens": -1, "completion_tokens": "7"}}
    async with running_kie() as kie:
        await script(kie, {"body": json.dumps({**body, **fields}), "content_type": ""})
        assert await model_at(kie).complete(request()) == ChatAnswer(text="да", credits=credits_)


async def test_a_long_answer_is_cut() -> None:
    async with running_kie() as kie:
        content = base64.b64encode(bytes(90_000)).decode()
        await script(kie, {"body": json.dumps({"choices": [{"message": {"content": content}}]})})
        assert len((await model_at(kie).complete(request())).text) == 20_000

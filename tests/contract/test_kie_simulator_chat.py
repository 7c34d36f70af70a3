"""The chat models of the made-up Kie.ai: strict about requests, answers from the last message, and as scripted."""

import base64
import json
from typing import Any

import pytest

from support.kie_sim import RunningKie, running_kie

PATH = "/gemini-3-flash/v1/chat/completions"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "wish": {"type": "string", "enum": ["image", "video", "song"]},
        "prompt": {"type": "string"},
        "question": {"type": ["string", "null"]},
        "inputs": {"type": "array", "items": {"$ref": "#/$defs/input"}},
        "seconds": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 5}]},
    },
    "$defs": {"input": {"type": "object", "properties": {"name": {"type": "string"}}}},
}


def asking(text: object, **more: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": "You help."}, {"role": "user", "content": text}]
    return {"messages": messages, "stream": False, **more}


def attached(mime: str, content: bytes, kind: str = "image_url") -> dict[str, Any]:
    return {"type": kind, kind: {"url": f"data:{mime};base64,{base64.b64encode(content).decode()}"}}


async def content(kie: RunningKie, body: dict[str, Any]) -> str:
    answer = await kie.post(PATH, body)
    return str(answer["choices"][0]["message"]["content"])


async def test_a_question_is_answered_counted_and_charged() -> None:
    async with running_kie(credits=10.0) as kie:
        answer = await kie.post(PATH, asking("кот в шляпе", max_tokens=500))
        (choice,) = answer["choices"]
        assert (choice["message"]["role"], choice["finish_reason"]) == ("assistant", "stop")
        assert choice["message"]["content"].startswith("кот в шляпе, ")
        assert answer["usage"]["prompt_tokens"] > 0
        assert answer["usage"]["completion_tokens"] > 0
        assert kie.world.credits == pytest.approx(10.0 - answer["credits_consumed"])
        assert answer["credits_consumed"] > 0


async def test_an_answer_is_a_stream_unless_stream_false_was_said() -> None:
    async with running_kie() as kie:
        body = asking("кот")
        del body["stream"]
        async with kie.client.post(kie.url + PATH, json=body) as response:
            assert (response.status, response.content_type) == (200, "text/event-stream")
            assert (await response.text()).endswith("data: [DONE]\n\n")


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/gpt-9/v1/chat/completions", asking("кот"), 422),
        (PATH, {"stream": False}, 422),
        (PATH, {"stream": False, "messages": [{"role": "king", "content": "x"}]}, 422),
        (PATH, {"stream": False, "messages": [{"role": "system", "content": "x"}]}, 422),
        (PATH, asking(7), 422),
        (PATH, asking("кот", max_tokens=0), 422),
        (PATH, asking("кот", response_format={"type": "xml"}), 422),
        (PATH, asking("кот", response_format={"type": "json_schema"}), 422),
        (PATH, asking([{"type": "image_url", "image_url": {"url": "http://example.org/cat.png"}}]), 422),
        (PATH, asking([{"type": "image_url", "image_url": "https://example.org/cat.png"}]), 422),
        (PATH, asking([attached("application/pdf", b"%PDF")]), 422),
        (PATH, asking([{"type": "image_url", "image_url": {"url": "data:image/png;base64,???"}}]), 422),
    ],
)
async def test_what_the_vendor_refuses_is_refused_with_http_200(path: str, body: dict[str, Any], code: int) -> None:
    async with running_kie(credits=10.0) as kie:
        answer = await kie.post(path, body)
        assert (answer["code"], "choices" in answer) == (code, False)
        assert answer["msg"]
        assert kie.world.credits == 10.0


async def test_a_wrong_key_and_an_empty_balance_are_refused() -> None:
    async with running_kie(credits=0.0) as kie:
        assert (await kie.post(PATH, asking("кот")))["code"] == 402
        kie.world.key = "another"
        assert (await kie.post(PATH, asking("кот")))["code"] == 401


async def test_only_image_url_parts_are_seen_and_raise_the_count() -> None:
    async with running_kie() as kie:
        words = {"type": "text", "text": "что здесь?"}

        async def tokens(*parts: dict[str, Any]) -> int:
            return int((await kie.post(PATH, asking([words, *parts])))["usage"]["prompt_tokens"])

        alone = await tokens()
        assert await tokens(attached("image/png", b"png")) > alone + 200
        assert await tokens(attached("audio/ogg", b"ogg")) > alone + 200
        assert await tokens({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}) > alone + 200
        assert await tokens(attached("audio/ogg", b"ogg", "audio_url")) == alone
        assert await tokens(attached("video/mp4", b"mp4", "video_url")) == alone


async def test_an_uploaded_file_is_seen_until_it_is_gone() -> None:
    async with running_kie() as kie:
        upload = {"base64Data": base64.b64encode(b"OggS voice").decode(), "uploadPath": "in", "fileName": "a.ogg"}
        url = (await kie.post("/api/file-base64-upload", upload))["data"]["downloadUrl"]
        body = asking([{"type": "image_url", "image_url": {"url": url}}])
        assert (await kie.post(PATH, body))["usage"]["prompt_tokens"] > 300
        kie.world.uploads.clear()
        assert (await kie.post(PATH, body))["code"] == 422


async def test_audio_is_transcribed_by_its_bytes() -> None:
    async with running_kie() as kie:
        heard = [await content(kie, asking([attached("audio/ogg", bytes([n]))])) for n in (*range(12), 0)]
        assert heard[0] == heard[-1]
        assert len(set(heard)) > 2


async def test_json_follows_the_schema_and_the_last_user_message() -> None:
    async with running_kie() as kie:
        formatted = {"type": "json_schema", "json_schema": {"name": "plan", "strict": True, "schema": SCHEMA}}
        body = asking("a video of a cat", response_format=formatted)
        assert json.loads(await content(kie, body)) == {
            "wish": "video",
            "prompt": "a video of a cat",
            "question": None,
            "inputs": [],
            "seconds": 5,
        }
        mapped = asking(json.dumps({"request": "кот", "wish": "song", "seconds": 9}), response_format=formatted)
        plan = json.loads(await content(kie, mapped))
        assert (plan["wish"], plan["prompt"], plan["seconds"]) == ("song", "кот", 9)


async def test_json_without_a_schema_follows_the_system_message() -> None:
    async with running_kie() as kie:
        system = 'Answer in JSON like {"wish": "image", "count": 1}.'
        messages = [{"role": "system", "content": system}, {"role": "user", "content": "кот"}]
        body = {"messages": messages, "stream": False, "response_format": {"type": "json_object"}}
        assert json.loads(await content(kie, body)) == {"wish": "кот", "count": 1}


async def test_max_tokens_truncates_the_answer() -> None:
    async with running_kie() as kie:
        answer = await kie.post(PATH, asking("кот в шляпе и с тростью", max_tokens=2))
        (choice,) = answer["choices"]
        assert (choice["finish_reason"], len(choice["message"]["content"])) == ("length", 8)


async def test_a_response_format_can_be_switched_off() -> None:
    async with running_kie() as kie:
        await kie.post("/sandbox/settings", {"chat_formats": "text,json_object"})
        formatted = {"type": "json_schema", "json_schema": {"name": "plan", "schema": SCHEMA}}
        assert (await kie.post(PATH, asking("кот", response_format=formatted)))["code"] == 422
        assert "choices" in await kie.post(PATH, asking("кот", response_format={"type": "json_object"}))


async def test_queued_answers_come_in_order_and_are_used_up() -> None:
    async with running_kie(credits=10.0) as kie:
        queued = [
            {"content": {"wish": "image"}, "times": 2, "credits_consumed": None},
            {"content": "not JSON", "usage": {"prompt_tokens": 1, "completion_tokens": 2}, "credits_consumed": 1.5},
            {"code": 500, "msg": "upstream"},
        ]
        await kie.post("/sandbox/chat", {"answers": queued})
        first, second, third, fourth, fifth = [await kie.post(PATH, asking("кот")) for _ in range(5)]
        assert [one["choices"][0]["message"]["content"] for one in (first, second)] == ['{"wish": "image"}'] * 2
        assert "credits_consumed" not in first
        assert (third["usage"]["completion_tokens"], third["credits_consumed"]) == (2, 1.5)
        assert (fourth["code"], fourth["msg"]) == (500, "upstream")
        assert fifth["choices"][0]["message"]["content"].startswith("кот, ")
        shown = await kie.get("/sandbox/chat")
        assert (shown["answers"], len(shown["calls"])) == ([], 5)
        assert shown["calls"][0]["messages"][-1] == {"role": "user", "text": "кот"}


async def test_a_malformed_body_and_a_slow_answer_can_be_queued() -> None:
    async with running_kie() as kie:
        await kie.post("/sandbox/chat", {"answers": [{"body": '{"choices": [', "content_type": "", "delay_s": 0.05}]})
        async with kie.client.post(kie.url + PATH, json=asking("кот")) as response:
            assert (response.status, await response.text()) == (200, '{"choices": [')
        async with kie.client.post(kie.url + "/sandbox/chat", json={"answers": [{"times": 0}]}) as response:
            assert response.status == 400
        async with kie.client.post(kie.url + "/sandbox/chat", json={"answers": [{"colour": 1}]}) as response:
            assert response.status == 400


async def test_faults_strike_chat_calls() -> None:
    async with running_kie() as kie:
        kie.faults.arm(world="kie", method="chat", action="error", status=502, html=True)
        async with kie.client.post(kie.url + PATH, json=asking("кот")) as response:
            assert (response.status, response.content_type) == (502, "text/html")

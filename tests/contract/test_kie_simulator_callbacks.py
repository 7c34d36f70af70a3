"""The made-up Kie.ai calls back as the vendor does: signed, repeated, bounded, and sometimes wrong."""

import asyncio
import json

import pytest

from photomat_sandbox.kie.callbacks import masked_url, signature
from support.kie_sim import HandClock, callback_receiver, running_kie, until


def test_the_signature_matches_the_published_test_vector() -> None:
    signed = signature(key="whsec_test_key_0001", task_id="0123456789abcdef0123456789abcdef", timestamp=1760000000)
    assert signed == "5oU5tjsv64lZdJ8zsIxAHSfdHpYesJslOYpRO8ZGHYg="


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://bot.example/kie/callback/12.abcdefgh", "https://bot.example/kie/callback/12.abcd…"),
        ("https://bot.example/kie/cb?token=secret", "https://bot.example/kie/cb"),
    ],
)
def test_a_shown_callback_url_keeps_its_secret(url: str, shown: str) -> None:
    assert masked_url(url) == shown


async def test_a_success_is_called_back_with_the_record_inside() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        task_id = await kie.task("кот", bot.url + "/kie/callback/1.sig")
        (call,) = await bot.got(1)
        record = await kie.record(task_id)
    assert call.path == "/kie/callback/1.sig"
    assert (call.body["code"], call.body["msg"]) == (200, "Playground task completed successfully.")
    assert call.body["data"] == record | {"updateTime": record["createTime"]}


async def test_a_failure_is_called_back_with_code_501_and_a_null_result() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        await kie.task("[fail]", bot.url)
        (call,) = await bot.got(1)
    assert (call.body["code"], call.body["msg"]) == (501, "Playground task failed.")
    assert (call.body["data"]["state"], call.body["data"]["failCode"]) == ("fail", "400")
    assert call.body["data"]["resultJson"] is None


async def test_callbacks_are_signed_by_our_clock_when_a_webhook_key_is_set() -> None:
    clock = HandClock()
    async with running_kie(clock=clock, webhook_key="whsec") as kie, callback_receiver() as bot:
        task_id = await kie.task("кот", bot.url)
        (call,) = await bot.got(1)
    assert call.headers["X-Webhook-Timestamp"] == "1760000000"
    expected = signature(key="whsec", task_id=task_id, timestamp=1760000000)
    assert call.headers["X-Webhook-Signature"] == expected


async def test_callbacks_are_not_signed_without_a_webhook_key() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        await kie.task("кот", bot.url)
        (call,) = await bot.got(1)
    assert not [name for name in call.headers if name.startswith("X-Webhook")]


async def test_a_refused_callback_is_tried_again_until_it_is_taken() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        bot.answers = [500, 302]
        task_id = await kie.task("кот", bot.url)
        calls = await bot.got(3)
        await until(lambda: sum(event.kind == "callback" for event in kie.transcript.since(0)) == 3)
        told = [event.summary for event in kie.transcript.since(0) if event.kind == "callback"]
        assert kie.world.tasks[task_id].callback_tries == 3
    assert len({json.dumps(call.body) for call in calls}) == 1
    assert [line.rpartition("→ ")[2] for line in told] == ["HTTP 500", "HTTP 302", "HTTP 200"]


async def test_after_three_repeats_a_callback_is_given_up() -> None:
    async with running_kie() as kie, callback_receiver() as bot:
        bot.answers = [503] * 10
        task_id = await kie.task("кот", bot.url)
        await until(lambda: kie.world.tasks[task_id].callback_given_up)
        assert len(bot.calls) == 4


async def test_a_receiver_that_sleeps_past_the_time_out_is_called_again() -> None:
    awake = asyncio.Event()
    async with running_kie(callback_timeout_s=0.1) as kie, callback_receiver() as bot:

        async def sleep_the_first_time() -> None:
            if len(bot.calls) == 1:
                await awake.wait()

        bot.on_call = sleep_the_first_time
        await kie.task("кот", bot.url)
        await bot.got(2)
        awake.set()
        summaries = [event.summary for event in kie.transcript.since(0) if event.kind == "callback"]
    assert "no answer in time" in summaries[0]


async def test_nobody_listening_is_no_end_of_the_simulator() -> None:
    async with running_kie(callback_retries=1) as kie:
        task_id = await kie.task("кот", "http://127.0.0.1:9/cb")
        await until(lambda: kie.world.tasks[task_id].callback_tries == 2)
        assert (await kie.record(task_id))["state"] == "success"


async def test_an_order_for_a_callback_sends_it_as_often_and_as_wrong_as_asked() -> None:
    async with running_kie(webhook_key="whsec") as kie, callback_receiver() as bot:
        task_id = await kie.task("кот", bot.url)
        (good,) = list(await bot.got(1))
        path = f"/sandbox/tasks/{task_id}/callback"
        await kie.post(path, {"times": 2, "signature": "none"})
        await bot.got(3)
        await kie.post(path, {"signature": "bad", "body": {"code": 200, "data": {"taskId": "other"}}})
        bad = (await bot.got(4))[3]
    assert not [call for call in bot.calls[1:3] if "X-Webhook-Signature" in call.headers]
    assert bad.body == {"code": 200, "data": {"taskId": "other"}}
    right = signature(key="whsec", task_id=task_id, timestamp=int(bad.headers["X-Webhook-Timestamp"]))
    assert bad.headers["X-Webhook-Signature"] != right
    assert good.headers["X-Webhook-Signature"]


async def test_a_forced_end_is_called_back_also_when_it_contradicts_the_first() -> None:
    async with running_kie(seconds_to_success=60.0, credits=10.0) as kie, callback_receiver() as bot:
        task_id = await kie.task("кот", bot.url)
        await kie.post(f"/sandbox/tasks/{task_id}", {"state": "fail", "fail_code": "422", "fail_msg": "no"})
        await bot.got(1)
        assert kie.world.credits == 10.0
        await kie.post(f"/sandbox/tasks/{task_id}", {"state": "success", "result_urls": ["https://r.example/a.png"]})
        calls = await bot.got(2)
        assert kie.world.credits == pytest.approx(9.2)
    assert [call.body["data"]["state"] for call in calls] == ["fail", "success"]
    assert calls[0].body["data"]["failCode"] == "422"
    assert json.loads(calls[1].body["data"]["resultJson"]) == {"resultUrls": ["https://r.example/a.png"]}

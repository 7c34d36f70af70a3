"""`photomat assistant evaluate --live`: says what it costs, spends it when told, and scores rules and chat model together."""

import asyncio
import json
from pathlib import Path
from typing import Any

from photomat.assistant.evaluate import evaluate, labelled_requests
from photomat.assistant.live import LivePlanner
from photomat.kie.chat import KieChatModel
from support.command import photomat
from support.composed_answers import STOREFRONT
from support.kie_sim import KEY, running_kie

MODEL = "gemini-3-flash"


async def test_without_yes_nothing_is_asked(tmp_path: Path) -> None:
    async with running_kie() as kie:
        settings = {
            "BOT_TOKEN": "7000000001:token",
            "KIE_API_KEY": KEY,
            "KIE_API_URL": kie.url,
            "ASSISTANT_MODEL": MODEL,
        }
        ended = await asyncio.to_thread(photomat, "assistant", "evaluate", "--live", folder=tmp_path, **settings)
        assert ended.returncode == 1
        assert f"calls to {MODEL}, at most about 150 credits (60" in ended.stderr
        assert "Run it again with --yes" in ended.stderr
        assert not [event for event in kie.transcript.since(0) if event.name == "chat"]


async def test_without_a_chat_model_there_is_nothing_to_ask(tmp_path: Path) -> None:
    ended = await asyncio.to_thread(photomat, "assistant", "evaluate", "--live", "--yes", folder=tmp_path)
    assert ended.returncode == 2
    assert "--live needs KIE_API_KEY and ASSISTANT_MODEL" in ended.stderr


async def test_the_answers_are_merged_and_a_failure_leaves_the_rules() -> None:
    requests = [each for each in labelled_requests() if each.request.attached is None][:6]
    answer: dict[str, Any] = {"wish": "music", "model": None, "inputs": [], "prompt": None, "question": None}
    async with running_kie() as kie:
        queued = {"answers": [{"code": 500, "msg": "no"}, {"content": json.dumps(answer), "times": -1}]}
        async with kie.client.post(f"{kie.url}/sandbox/chat", json=queued) as response:
            assert response.status == 200
        planner = LivePlanner(chat=KieChatModel(base_url=kie.url, api_key=KEY, model=MODEL), storefront=STOREFRONT)
        report = await evaluate(planner, requests, STOREFRONT)
        assert report.overall.requests == 6
        assert (planner.spent.calls, planner.spent.failed) == (6, 1)
        assert planner.spent.credits > 1
        plan = await planner(requests[0].request)
        assert plan is not None
        assert plan.wish.id == "music"

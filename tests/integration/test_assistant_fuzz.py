"""Whatever a chat model answers, the draft that comes of it has the catalogue's price and a model on sale; none is bought."""

import json
from pathlib import Path

import pytest

from photomat.assistant.calls import CallKind, want
from photomat.db.pool import transaction
from photomat.kernel.ids import MessageId
from photomat.kie.port import ChatAnswer, ChatModel, ChatRequest
from photomat.orders.draft import record_cards
from support.assistant import AssistedChat, assisted
from support.composed_answers import hostile_answers

FORMS = (
    "z-image",
    "seedream/5-flash-text-to-image",
    "wan/3-0-video",
    "ai-music-api/generate",
    "ideogram/v3-text-to-image",
)


class Hostile:
    """A chat model that answers what is written here."""

    def __init__(self) -> None:
        self.next = ""

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        assert json.loads(request.text)
        return ChatAnswer(text=self.next)


async def is_safe_whatever_it_answers(database: str, folder: Path, *, count: int, seed: int) -> None:
    hostile = Hostile()

    def chat_model(_real: ChatModel) -> ChatModel:
        return hostile

    async with assisted(database, folder, chat_model=chat_model, welcome=10**9) as found:
        await found.chat.says("/start")
        moved = 0
        for nth, text in enumerate(hostile_answers(count, seed=seed)):
            hostile.next = text
            moved += await one_answer(found, nth)
            await found.chat.pool.execute("DELETE FROM budgets")
        assert moved > count / 20, "the answers are too foolish to prove anything"
        assert await found.chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        assert await found.chat.pool.fetchval("SELECT count(*) FROM holds") == 0
        assert await found.chat.pool.fetchval("SELECT count(*) FROM assistant_calls WHERE due_at IS NOT NULL") == 0


async def one_answer(found: AssistedChat, nth: int) -> bool:
    orders = found.loop.config.orders
    model = await orders.model(FORMS[nth % len(FORMS)])
    assert model is not None
    asked = model.input_for("prompt")
    assert asked is not None
    kind = CallKind.IMPROVE if nth % 7 == 0 else CallKind.PLAN
    draft = await orders.save_draft(found.buyer, model, {asked.name: "кот"}, origin=f"said:{nth}", said="кот")
    shown_in = MessageId(found.chat.screen()[-1]["message_id"])
    async with transaction(found.chat.pool) as tx:
        await record_cards(tx, {draft.draft_id: shown_in})
        await want(tx, found.wanted(kind, draft, words="кот"))
    before = await orders.objections(found.buyer.user_id, model, draft.inputs)
    await found.works()
    after = await found.draft(draft.draft_id)
    sold = await orders.model(after.model)
    assert sold is not None
    assert after.price == (await orders.quote(after.user_id, sold, after.inputs)).price
    assert len(await orders.objections(found.buyer.user_id, sold, after.inputs)) <= len(before)
    assert (after.user_id, after.chat_id) == (draft.user_id, draft.chat_id)
    return after.revision != draft.revision


async def test_60_hostile_answers(database: str, tmp_path: Path) -> None:
    await is_safe_whatever_it_answers(database, tmp_path, count=60, seed=3)


@pytest.mark.prove
async def test_10000_hostile_answers(database: str, tmp_path: Path) -> None:
    await is_safe_whatever_it_answers(database, tmp_path, count=10_000, seed=4)

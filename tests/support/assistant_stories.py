"""Stories of a process that dies over an answer of the chat model: it is asked once, and a card never lies about its draft."""

from collections.abc import Mapping
from typing import Final

from support.customer import Customer
from support.endings import PAID, ends_well
from support.patience import until
from support.payment_stories import dies_there
from support.stories import Tell
from support.system import System

MODEL: Final = "gemini-3-flash"
PAST_THE_LEASE_S: Final = 95.0
IMPROVED: Final = "мягкий свет"
FAILED: Final = "Улучшить запрос не получилось"
ASKED: Final[Mapping[str, int]] = {
    "assistant.before_ask": 0,
    "assistant.after_ask": 1,
    "assistant.before_apply": 1,
    "assistant.after_apply": 1,
}


async def a_prompt_is_improved(system: System, point: str) -> None:
    """Asked at most once; what was answered and recorded is used, what was not is said to have failed."""
    system.settings["ASSISTANT_MODEL"] = MODEL
    first = await system.start(FAILPOINT=point)
    anna = system.customer()
    await anna.fills_in()
    card = await anna.taps("✨ Улучшить запрос")
    await dies_there(first)
    assert chat_calls(system) == ASKED[point]
    await system.start()
    await system.passes(PAST_THE_LEASE_S)
    is_lost = point in {"assistant.before_ask", "assistant.after_ask"}
    await until(lambda: (FAILED if is_lost else IMPROVED) in anna.words(card), about=lambda: system.story)
    await shows_its_draft(system, anna, card)
    assert chat_calls(system) == ASKED[point], "never asked again"
    assert await anna.taps("✅ Создать") == card
    await ends_well(system, anna, cards=(card,))
    await anna.has(PAID)
    async with system.sql() as connection:
        prompt = await connection.fetchval("SELECT inputs ->> 'prompt' FROM generation_jobs")
        rows = await connection.fetch("SELECT state, due_at FROM assistant_calls")
    assert (IMPROVED in prompt) is not is_lost, "bought is what the card showed"
    assert [(row["state"], row["due_at"]) for row in rows] == [("unknown" if is_lost else "answered", None)]


async def shows_its_draft(system: System, anna: Customer, card: int) -> None:
    async with system.sql() as connection:
        prompt = await connection.fetchval("SELECT inputs ->> 'prompt' FROM drafts WHERE bought_at IS NULL")
    assert prompt in anna.words(card)


def chat_calls(system: System) -> int:
    """How many requests reached the chat model."""
    events = system.kie.transcript.since(0)
    return sum(event.kind == "request" and event.name == "chat" for event in events)


STORIES: Final[Mapping[str, Tell]] = dict.fromkeys(ASKED, a_prompt_is_improved)

"""Buttons nobody was shown: what a question does not offer cannot be done, whatever a tap carries."""

import pytest

from photomat.catalog.load import load_catalog
from support.conversation import Chat
from support.forms import form, labels, made_before, order, presses


async def open_form(chat: Chat) -> dict[str, object]:
    """The form as the conversation keeps it."""
    return dict(await chat.pool.fetchval("SELECT data FROM conversations"))


async def steps(chat: Chat, step: str) -> str:
    """Tap a step of the open question, offered or not; gives what popped up."""
    kept = await open_form(chat)
    await presses(chat, f"q:{kept['form_id']}:{kept['turn']}:{step}")
    return chat.answers[-1]


async def at_the_first_hero(chat: Chat) -> None:
    await chat.says("поезд")
    await chat.taps("✏️ Изменить")
    await chat.taps("➕ Герои")


async def test_a_field_that_a_line_needs_cannot_be_skipped(database: str) -> None:
    async with form(database, "kling-3.0/video") as chat:
        await at_the_first_hero(chat)
        assert "⏭ Пропустить" not in labels(chat)
        before = await open_form(chat)
        assert "закрыт" in await steps(chat, "skip")
        assert await open_form(chat) == before


async def test_a_question_that_is_needed_cannot_be_skipped(database: str) -> None:
    async with form(database, "z-image") as chat:
        before = await open_form(chat)
        assert "закрыт" in await steps(chat, "skip")
        assert await open_form(chat) == before


@pytest.mark.parametrize("step", ["more", "drop", "walk", "done", "rm", "fin", "back", "res"])
async def test_a_step_the_question_does_not_offer_changes_nothing(database: str, step: str) -> None:
    async with form(database, "z-image") as chat:
        before = await open_form(chat)
        assert "закрыт" in await steps(chat, step)
        assert await open_form(chat) == before


async def test_no_line_is_begun_beyond_the_last(database: str) -> None:
    async with form(database, "google/gemini-3-8-flash-tts") as chat:
        await chat.says("\n".join(["я"] * 100))
        before = await open_form(chat)
        assert "закрыт" in await steps(chat, "more")
        assert await open_form(chat) == before


@pytest.mark.parametrize("number", [-1, 99])
async def test_an_option_that_is_not_there_answers_nothing(database: str, number: int) -> None:
    async with form(database, "z-image") as chat:
        await chat.says("кот")
        kept = await open_form(chat)
        await presses(chat, f"o:{kept['form_id']}:{kept['turn']}:{number}")
        assert await open_form(chat) == kept
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 0


@pytest.mark.parametrize("number", [-1, 99])
async def test_a_way_that_is_not_there_is_not_gone(database: str, number: int) -> None:
    async with form(database, "wan/2-7-r2v") as chat:
        kept = await open_form(chat)
        await presses(chat, f"o:{kept['form_id']}:{kept['turn']}:{number}")
        assert await open_form(chat) == kept


async def test_what_no_customer_is_shown_cannot_be_changed_by_its_number(database: str) -> None:
    model = load_catalog().get("ai-music-api/generate-midi-from-audio")
    hidden = next(number for number, each in enumerate(model.inputs) if each.place == "hidden")
    async with form(database, "z-image") as chat:
        job_id = await made_before(chat, "ai-music-api/separate-vocals", prompt="песня")
        await chat.says("кот")
        await chat.taps("1:1")
        draft_id = await chat.pool.fetchval(
            "UPDATE drafts SET model = $1, inputs = $2 WHERE bought_at IS NULL RETURNING draft_id",
            model.id,
            {"task_id": {"job": job_id}},
        )
        for number in (hidden, -1, 99):
            await presses(chat, f"e:{draft_id}:{number}")
            assert await chat.pool.fetchval("SELECT state FROM conversations") is None, number
        assert await order(chat) == {"task_id": {"job": job_id}}

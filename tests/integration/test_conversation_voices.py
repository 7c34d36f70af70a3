"""Voices are filtered and heard before one is chosen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from photomat.catalog.load import load_catalog
from photomat.db.pool import transaction
from photomat.templates.examples import add_drawn, of_voice
from photomat.templates.make import write_example
from support.conversation import Chat
from support.database import shift_clock
from support.forms import form, labels, order, presses, voices
from support.media_bytes import mp3

SPEECH = "elevenlabs/text-to-speech-turbo-2-5"
JAMES, ARABELLA = "EkK5I93UQWFDigLMpZcX", "Z3R5wn05IrDiVCyEkUrK"
LISTEN = "▶️ Послушать"
LEASE_S = 31


@asynccontextmanager
async def voice_question(database: str, folder: Path, *samples: str) -> AsyncIterator[Chat]:
    """Somebody who is asked for the voice of a text; these voices have samples."""
    async with form(database, SPEECH, examples=folder) as chat:
        for voice in samples:
            file, media = write_example(folder, of_voice(voice), mp3())
            async with transaction(chat.pool) as tx:
                await add_drawn(tx, of_voice(voice), file=file, media=media)
        await chat.says("Привет!")
        await chat.taps("Голос: James")
        yield chat


def audios(chat: Chat) -> list[int]:
    return [each["message_id"] for each in chat.screen() if each["kind"] == "audio"]


async def test_voices_are_filtered_by_sex_and_accent_and_all_come_back(database: str, tmp_path: Path) -> None:
    async with voice_question(database, tmp_path) as chat:
        question, everybody = chat.screen()[-1]["message_id"], voices(chat)
        assert {"👩 Женские", "👨 Мужские", "🇬🇧 Британия"} <= set(labels(chat))
        assert "Страница 1 из 4" in await chat.taps("👩 Женские")
        assert {label[0] for label in voices(chat)} == {"👩"}
        await chat.taps("Следующие ➡️")
        assert {label[0] for label in voices(chat)} == {"👩"}, "the filter stays when the page turns"
        await chat.taps("🇬🇧 Британия")
        assert [label.split(" — ")[0] for label in voices(chat)] == ["👩 Ana Rita", "👩 Rachel M"]
        assert {"✓ 👩 Женские", "✓ 🇬🇧 Британия"} <= set(labels(chat))
        await chat.taps("✓ 👩 Женские")
        await chat.taps("✓ 🇬🇧 Британия")
        assert voices(chat) == everybody
        assert chat.screen()[-1]["message_id"] == question, "the list is filtered in place"


async def test_a_voice_is_heard_and_chosen_below_its_sample(database: str, tmp_path: Path) -> None:
    async with voice_question(database, tmp_path, JAMES, ARABELLA) as chat:
        assert "👩 Arabella — загадочный, чувственный" in chat.newest, (
            "narrow buttons leave the description to the text"
        )
        question = chat.screen()[-1]["message_id"]
        rows = [[each["text"] for each in row] for row in chat.screen()[-1]["inline_keyboard"]]
        assert ["👩 Arabella", LISTEN] in rows
        await chat.taps(LISTEN)
        assert "👨 James — хрипловатый, смелый" in chat.screen()[-1]["caption"]
        arabella = next(each for each in hear_data(chat, question) if each.endswith(":1"))
        chat.telegram.taps(chat.person, question, arabella)
        await chat.handle_all()
        assert len(audios(chat)) == 2
        card = await chat.taps("✅ Выбрать этот голос")
        assert "Голос: Arabella" in card
        assert (await order(chat))["voice"] == ARABELLA
        assert all(each["inline_keyboard"] is None for each in chat.screen()[:-1]), "nothing answered keeps its buttons"


def hear_data(chat: Chat, message_id: int) -> list[str]:
    keyboard = chat.telegram.world.messages[message_id].inline_keyboard or []
    return [str(each["callback_data"]) for row in keyboard for each in row if each["text"] == LISTEN]


async def test_a_sample_is_uploaded_once_and_then_sent_by_its_id(database: str, tmp_path: Path) -> None:
    async with voice_question(database, tmp_path, JAMES) as chat:
        question = chat.screen()[-1]["message_id"]
        await chat.taps(LISTEN, message_id=question)
        (tmp_path / f"voice-{JAMES}.mp3").unlink()
        await chat.taps(LISTEN, message_id=question)
        assert len(audios(chat)) == 2


async def test_without_a_sample_there_is_nothing_to_listen_to(database: str, tmp_path: Path) -> None:
    async with voice_question(database, tmp_path) as chat:
        assert LISTEN not in labels(chat)
        assert "👩 Arabella — загадочный, чувственный" in labels(chat), "a wide button has room for the description"
        await chat.taps("👩 Arabella")
        assert (await order(chat))["voice"] == ARABELLA


async def test_a_sample_that_is_gone_says_so_and_costs_nothing_else(database: str, tmp_path: Path) -> None:
    async with voice_question(database, tmp_path, JAMES) as chat:
        (tmp_path / f"voice-{JAMES}.mp3").unlink()
        await chat.taps(LISTEN)
        assert "примера больше нет" in chat.answers[-1]
        assert not audios(chat)
        await chat.taps("👩 Arabella")
        assert (await order(chat))["voice"] == ARABELLA


async def test_a_tap_handled_again_after_a_crash_sends_no_second_sample(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with voice_question(database, tmp_path, JAMES) as chat:
        with monkeypatch.context() as patched:
            patched.setattr("photomat.bot.context.failpoint", fails)
            await chat.taps(LISTEN)
        assert len(audios(chat)) == 1
        assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 1
        await shift_clock(chat.pool, LEASE_S)
        await chat.handle_all()
        assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 0
        assert len(audios(chat)) == 1


def fails(_name: str) -> None:
    raise RuntimeError("the process died before the commit")


async def test_buttons_of_an_answered_question_say_so(database: str, tmp_path: Path) -> None:
    async with voice_question(database, tmp_path, JAMES) as chat:
        question = chat.screen()[-1]["message_id"]
        hear = hear_data(chat, question)[0]
        only = chat.button("👩 Женские")[1]
        await chat.taps("👩 Arabella")
        for data in (hear, only):
            await presses(chat, data)
            assert "закрыт" in chat.answers[-1]
        assert not audios(chat)


async def test_a_page_button_of_the_version_before_still_turns_the_list(database: str, tmp_path: Path) -> None:
    async with voice_question(database, tmp_path) as chat:
        _, form_id, turn, *_ = chat.button("👩 Arabella")[1].split(":")
        assert "Страница 4 из 12" in await presses(chat, f"op:{form_id}:{turn}:3")


async def test_the_speakers_of_a_talk_are_filtered_too(database: str, tmp_path: Path) -> None:
    async with form(database, "elevenlabs/text-to-dialogue-v3", examples=tmp_path) as chat:
        await chat.says("Привет!")
        await chat.taps("🎛 Настроить каждую строку")
        await chat.taps("🇦🇺 Австралия")
        await chat.taps("👩 Addison 2.0")
        assert "1. Привет! · Addison 2.0" in chat.newest


def test_every_voice_in_the_catalogue_is_known() -> None:
    catalog = load_catalog()
    offered = {
        option
        for model in catalog.models.values()
        for asked in (*model.inputs, *(field for each in model.inputs for field in each.fields))
        if asked.name in {"voice", "voice_name"}
        for option in asked.options
    }
    assert offered == set(catalog.voices)

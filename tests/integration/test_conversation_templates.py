"""From an idea to a card: one question for each slot, answered by words, a tap, a file or an earlier result; examples."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from photomat.catalog.load import load_catalog
from photomat.db.pool import transaction
from photomat.kernel.ids import UserId
from photomat.operators.catalog import switch_model
from photomat.templates.examples import add_drawn, of_template
from photomat.templates.make import write_example
from photomat.templates.stored import add_template, hide_template
from support.conversation import Chat, conversation
from support.forms import PHOTO, RICH, labels, order, presses
from support.jobs import a_done_job
from support.media_bytes import image
from support.prices import ME

CATALOG = load_catalog()
OWN: dict[str, Any] = {
    "id": "my-own",
    "group": "picture",
    "title": {"ru": "Моя <идея>", "en": "My idea"},
    "models": ["z-image"],
    "prompt": {"ru": "Кот и {what}", "en": "A cat and {what}"},
    "slot": [{"name": "what", "ask": {"ru": "Что?", "en": "What?"}, "examples": {"ru": ["дом"], "en": ["home"]}}],
}


async def opens(chat: Chat, template: str) -> str:
    await chat.says("/start")
    return await presses(chat, f"tt:{template}")


async def has_examples(chat: Chat, folder: Path, *templates: str) -> None:
    for number, template in enumerate(templates):
        picture = image("JPEG", width=300 + number, height=200)
        file, media = write_example(folder, of_template(template), picture)
        async with transaction(chat.pool) as tx:
            await add_drawn(tx, of_template(template), file=file, media=media)


async def test_an_idea_asks_for_its_slots_alone_and_becomes_a_card(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("✨ Идеи")
        assert "Кого нарисовать?" in await chat.taps("🧑‍🎨 Портрет")
        assert "1 из 2" in chat.newest
        assert "2 из 2" in await chat.says("мой дед-моряк")
        card = await chat.taps("акварель")
        assert "мой дед-моряк. Стиль: акварель" in card
        assert await order(chat) == {
            "prompt": "Портрет крупным планом: мой дед-моряк. Стиль: акварель. Выразительный взгляд, мягкий свет, высокая"
            " детализация",
            "aspect_ratio": "3:4",
        }
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT model FROM generation_jobs") == "z-image"


async def test_ideas_are_listed_in_pages_and_by_group(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        assert "Страница 1 из 4" in await chat.taps("✨ Идеи")
        assert "Страница 2 из 4" in await chat.taps("▶️")
        await chat.taps("🎵")
        assert labels(chat)[:3] == ["🎂 Песня на день рождения", "📣 Джингл для рекламы", "🌙 Колыбельная"]
        assert "🎵 ✓" in labels(chat)
        assert "Страница 1 из 4" in await chat.taps("🎵 ✓")
        await chat.says("/start")
        await chat.taps("🗣 Голос")
        await chat.taps("✨ Идеи")
        assert labels(chat)[:2] == ["🎙 Озвучить текст", "🎧 Заставка подкаста"]


async def test_a_photo_goes_to_its_slot_and_its_caption_to_the_next(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        assert "Пришлите фото" in await opens(chat, "animate")
        assert "нужна картинка" in await chat.says("просто слова")
        await chat.sends(PHOTO, caption="машет рукой")
        made = await order(chat)
        assert made["prompt"].startswith("Оживи фото: машет рукой.")
        assert set(made) == {"prompt", "image_url", "duration"}
        assert "✅ Создать" in labels(chat)[0]


async def test_a_photo_sent_before_it_is_asked_for_is_not_asked_for_again(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        await opens(chat, "avatar")
        assert "В каком стиле?" in await chat.sends(PHOTO)
        await chat.taps("комикс")
        made = await order(chat)
        assert len(made["image_urls"]) == 1
        assert "комикс" in made["prompt"]


async def test_a_talking_photo_takes_a_photo_and_a_voice(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        await opens(chat, "talking-photo")
        assert "голосовое" in await chat.sends(PHOTO)
        assert "нужна звукозапись" in await chat.says("а можно словами?")


async def test_a_file_slot_takes_an_earlier_result_of_ones_own(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=RICH, results=tmp_path) as chat:
        await chat.says("/start")
        user = UserId(chat.person.user_id)
        job = await a_done_job(chat.pool, user, urls=["https://files.example/1.png"], inputs={"prompt": "рыжий кот"})
        (tmp_path / str(job)).mkdir()
        (tmp_path / str(job) / "0.jpg").write_bytes(PHOTO)
        await chat.pool.execute(
            "UPDATE job_outputs SET kept_as = $2, mime = 'image/jpeg' WHERE job_id = $1", job, f"{job}/0.jpg"
        )
        await presses(chat, "tt:enhance")
        assert "🗂 рыжий кот" in labels(chat)
        await chat.taps("🗂 рыжий кот")
        assert "✅ Создать" in labels(chat)[0]
        assert set(await order(chat)) == {"image"}


async def test_a_button_of_an_older_question_is_answered_and_changes_nothing(database: str) -> None:
    async with conversation(database) as chat:
        await opens(chat, "portrait")
        old, data = chat.button("седой капитан")
        await chat.says("девушка")
        chat.telegram.taps(chat.person, old, data)
        await chat.handle_all()
        assert "2 из 2" in chat.newest
        assert chat.answers[-1]
        assert "прервано" in await chat.says("/cancel")
        await presses(chat, data)
        assert chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 0


async def test_an_answer_too_long_is_refused_and_the_question_stays_open(database: str) -> None:
    async with conversation(database) as chat:
        await opens(chat, "logo")
        assert "можно до 60" in await chat.says("К" * 61)
        assert "Чем занимается?" in await chat.says("Кот")


async def test_an_idea_follows_what_is_sold_and_what_operators_hide_or_add(database: str) -> None:
    async with conversation(database) as chat:
        await opens(chat, "shop-background")
        assert "прозрачным" in chat.newest
        model = CATALOG.get("recraft/remove-background")
        await switch_model(chat.pool, model, "hide", operator=ME, reason="a test")
        await presses(chat, "tt:shop-background")
        assert "больше нет" in chat.answers[-1]
        await switch_model(chat.pool, CATALOG.get("z-image"), "hide", operator=ME, reason="a test")
        await opens(chat, "sticker")
        await chat.taps("рыжий кот")
        await chat.taps("хохочет")
        assert await chat.pool.fetchval("SELECT model FROM drafts") == "seedream/5-flash-text-to-image"
        await switch_model(chat.pool, CATALOG.get("z-image"), "unhide", operator=ME, reason="a test")
        async with transaction(chat.pool) as tx:
            assert await hide_template(tx, "portrait", hidden=True)
            assert not await hide_template(tx, "portrait", hidden=True)
            await add_template(tx, "my-own", OWN)
        await presses(chat, "tt:portrait")
        assert "больше нет" in chat.answers[-1]
        assert "Моя <идея>" in await opens(chat, "my-own")
        await chat.taps("дом")
        assert (await order(chat))["prompt"] == "Кот и дом"


async def test_an_added_idea_that_no_longer_fits_is_left_out(database: str) -> None:
    async with conversation(database) as chat:
        async with transaction(chat.pool) as tx:
            await add_template(tx, "my-own", OWN | {"models": ["gone"]})
        await opens(chat, "my-own")
        assert "больше нет" in chat.answers[-1]
        assert "Кого нарисовать?" in await opens(chat, "portrait")


async def test_without_examples_the_greeting_is_alone(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        assert [each["from"] for each in chat.screen()] == ["person", "bot"]


async def test_one_example_comes_with_the_greeting_and_turns_in_place(database: str, tmp_path: Path) -> None:
    async with conversation(database, examples=tmp_path) as chat:
        await has_examples(chat, tmp_path, "portrait", "logo", "sticker")
        assert "Здравствуйте" in await chat.says("/start")
        example = chat.screen()[-2]
        rows = [[button["text"] for button in row] for row in example["inline_keyboard"]]
        assert rows == [["Сделать такое же"], ["◀️", "▶️"]]
        for title in ("Портрет", "Логотип", "Стикер", "Портрет"):
            assert title in chat.screen()[-2]["caption"]
            await chat.taps("▶️")
        assert "Логотип" in chat.screen()[-2]["caption"]
        assert chat.screen()[-2]["message_id"] == example["message_id"]
        assert all(row["file_id"] for row in await chat.pool.fetch("SELECT file_id FROM examples"))
        assert "Какое название" in await chat.taps("Сделать такое же")
        assert len(chat.screen()) == 4, "the example and the menu stay"


async def test_a_missing_file_costs_the_example_and_not_the_greeting(database: str, tmp_path: Path) -> None:
    async with conversation(database, examples=tmp_path) as chat:
        await has_examples(chat, tmp_path, "portrait")
        shutil.rmtree(tmp_path)
        assert "Здравствуйте" in await chat.says("/start")


@pytest.mark.parametrize("data", ["te:wealth", "tt:wealth", "tv:1:0:0", "tj:1:0:1:0", "ti:wealth:999"])
async def test_buttons_of_what_is_not_there_are_answered(database: str, data: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await presses(chat, data)
        assert len(chat.answers) == chat.calls("answerCallbackQuery") == 1


async def test_ideas_in_english(database: str) -> None:
    async with conversation(database, language_code="en") as chat:
        await opens(chat, "sticker")
        assert "Who is on the sticker?" in chat.newest
        await chat.taps("a ginger cat")
        await chat.taps("in love")
        assert (await order(chat))["prompt"].startswith("Messenger sticker: a ginger cat, emotion: in love.")

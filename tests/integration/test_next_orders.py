"""Below a result: what can be done next with exactly this output, a favourite, and the details. Nothing is bought by these."""

from pathlib import Path
from typing import Any

import pytest

from photomat.kernel.ids import JobId
from support.forms import labels, made_before, order, presses
from support.history import Archive, archive
from support.jobs import a_user, money_of
from support.media_bytes import mp3
from support.telegram_media import video

PICTURE_STEPS = ["🎬 Оживить", "✨ Улучшить", "🎨 Изменить", "✂️ Убрать фон", "🔀 Вариант"]
TOOLS = ["🤍", "📎 Оригинал", "ℹ️", "🆘"]


async def shown(past: Archive, *colors: str) -> tuple[JobId, int]:
    """A delivered result; gives its job and its card."""
    job_id = await past.done_job(*colors)
    await past.deliver()
    return job_id, past.media()[-1]["message_id"]


async def hide(past: Archive, *models: str) -> None:
    for model in models:
        await past.chat.pool.execute("INSERT INTO model_settings (model, hidden) VALUES ($1, true)", model)


async def output_taken(past: Archive, reference: Any) -> tuple[int, int]:
    """The job and the position of the file an input refers to."""
    (file,) = reference if isinstance(reference, list) else (reference,)
    row = await past.chat.pool.fetchrow("SELECT job_id, position FROM input_files WHERE file_id = $1", file["file"])
    assert row is not None
    return row["job_id"], row["position"]


def rows(past: Archive, message_id: int) -> list[list[str]]:
    message = next(each for each in past.chat.screen() if each["message_id"] == message_id)
    return [[button["text"] for button in row] for row in message["inline_keyboard"]]


async def test_a_picture_offers_what_can_be_made_of_it_in_few_rows(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        _, card = await shown(past)
        assert rows(past, card) == [PICTURE_STEPS[:3], PICTURE_STEPS[3:], TOOLS]


async def test_the_shown_page_becomes_the_picture_of_a_new_card_in_one_tap(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id, card = await shown(past, "red", "green", "blue")
        assert [len(row) for row in rows(past, card)] == [3, 2, 3, 4]
        await past.chat.taps("▶", message_id=card)
        await past.deliver()
        before = await money_of(past.chat.pool, past.user)
        text = await past.chat.taps("🎬 Оживить", message_id=card)
        assert "Оживи фото" in text
        inputs = await order(past.chat)
        assert await output_taken(past, inputs["image_urls"]) == (job_id, 1)
        assert any(label.startswith("✅ Создать") for label in labels(past.chat))
        assert past.chat.screen()[-1]["message_id"] > card, "the card of the result stays what it is"
        assert await money_of(past.chat.pool, past.user) == before
        assert await past.chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1


@pytest.mark.parametrize(("label", "input_name"), [("✨ Улучшить", "image"), ("✂️ Убрать фон", "image")])
async def test_what_needs_no_words_gets_its_card_at_once(
    database: str, tmp_path: Path, label: str, input_name: str
) -> None:
    async with archive(database, tmp_path) as past:
        job_id, _ = await shown(past)
        await past.chat.taps(label)
        assert await output_taken(past, (await order(past.chat))[input_name]) == (job_id, 0)
        assert any(label.startswith("✅ Создать") for label in labels(past.chat))


async def test_a_change_asks_one_question_and_keeps_the_picture(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id, _ = await shown(past)
        assert "Что изменить?" in await past.chat.taps("🎨 Изменить")
        await past.chat.says("добавь шляпу")
        inputs = await order(past.chat)
        assert inputs["prompt"] == "добавь шляпу"
        assert await output_taken(past, inputs["image_input"]) == (job_id, 0)
        assert any(label.startswith("✅ Создать") for label in labels(past.chat))


async def test_the_bytes_decide_what_an_output_is_not_the_model(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job()
        past.files.files["red.png"] = (video(), "video/mp4")
        await past.deliver()
        assert past.labels()[:3] == ["✨ Улучшить", "⏩ Продлить", "🎞 Изменить"]


async def test_a_song_can_be_continued_covered_and_filmed(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await made_before(past.chat, "ai-music-api/generate", prompt="о море", tracks=["Море", "Берег"])
        card = await past.card()
        await past.chat.pool.execute("UPDATE generation_jobs SET card_message_id = $1", card)
        await past.chat.pool.execute("UPDATE job_outputs SET url = $1", past.files.add("m.mp3", mp3(), "audio/mpeg"))
        await past.deliver()
        offered = ["⏩ Продлить", "🎤 Кавер", "🎬 Клип", "🔀 Вариант"]
        assert [label for label in past.labels() if label in offered] == offered
        await presses(past.chat, f"j:{job_id}:next:1:clip")
        inputs = await order(past.chat)
        assert inputs["audio_id"] == {"job": job_id, "output": 1}
        assert inputs["task_id"] == {"job": job_id}


async def test_what_is_no_longer_sold_is_answered_politely_and_not_offered_anew(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        _, card = await shown(past)
        await hide(past, "recraft/remove-background")
        before = len(past.chat.screen())
        await past.chat.taps("✂️ Убрать фон", message_id=card)
        assert past.chat.answers[-1].startswith("Сейчас для этого нет модели")
        assert len(past.chat.screen()) == before
        await past.chat.taps("🤍", message_id=card)
        await past.deliver()
        assert "✂️ Убрать фон" not in [label for row in rows(past, card) for label in row]


async def test_a_variant_is_the_same_order_without_its_seed(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id, _ = await shown(past)
        await past.chat.pool.execute(
            "UPDATE generation_jobs SET model = 'wan/2-7-image', inputs = $2 WHERE job_id = $1",
            job_id,
            {"prompt": "кот", "seed": 7},
        )
        await presses(past.chat, f"j:{job_id}:variant")
        inputs = await order(past.chat)
        assert (inputs["prompt"], "seed" in inputs) == ("кот", False)
        await presses(past.chat, f"j:{job_id}:again")
        assert (await order(past.chat))["seed"] == 7


async def test_a_favourite_shows_on_its_card_and_a_tap_handled_twice_changes_nothing(
    database: str, tmp_path: Path
) -> None:
    async with archive(database, tmp_path) as past:
        job_id, card = await shown(past)
        for _ in range(2):
            past.chat.telegram.taps(past.chat.person, card, f"j:{job_id}:like")
            await past.chat.handle_all()
        assert past.chat.answers[-1] == "❤️ В избранном"
        await past.deliver()
        assert rows(past, card)[-1][0] == "❤️"
        await past.chat.taps("❤️", message_id=card)
        await past.deliver()
        assert rows(past, card)[-1][0] == "🤍"
        assert [message["kind"] for message in past.media()] == ["photo"], "still one picture"


async def test_the_details_explain_the_price_and_lead_to_the_rest(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id, card = await shown(past)
        text = (await past.chat.taps("ℹ️", message_id=card)).replace("\u00a0", " ")
        assert [part for part in (f"№ {job_id}", "Z-Image", "кот-космонавт", "1:1") if part not in text] == []
        assert labels(past.chat) == ["🔁 Ещё раз", "📎 Оригинал", "Не пришло? Прислать ещё раз", "🆘 Поддержка"]
        await past.chat.taps("Не пришло?")
        assert past.chat.answers[-1] == "Отправляю ещё раз, это бесплатно"


async def test_somebody_elses_result_is_refused(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id, _ = await shown(past)
        await a_user(past.chat.pool, user_id=42)
        await past.chat.pool.execute("UPDATE generation_jobs SET user_id = 42")
        for data in ("next:0:animate", "variant", "like", "info"):
            await presses(past.chat, f"j:{job_id}:{data}")
            assert past.chat.answers[-1] == "Это не ваш заказ"
        assert await past.chat.pool.fetchval("SELECT count(*) FROM result_marks") == 0
        await past.chat.pool.execute("UPDATE generation_jobs SET user_id = $1", past.user)


@pytest.mark.parametrize("data", ["next:0:nonsense", "next:99:animate", "next:0:extend-song", "next:0:voice"])
async def test_a_crafted_button_is_answered(database: str, tmp_path: Path, data: str) -> None:
    async with archive(database, tmp_path) as past:
        job_id, _ = await shown(past)
        await presses(past.chat, f"j:{job_id}:{data}")
        assert past.chat.answers[-1].startswith("Сейчас для этого нет модели")


async def test_words_that_ask_for_something_else_below_a_step_are_an_order_of_their_own(
    database: str, tmp_path: Path
) -> None:
    async with archive(database, tmp_path) as past:
        await shown(past)
        await past.chat.taps("🎬 Оживить")
        step = await past.chat.pool.fetchval("SELECT max(draft_id) FROM drafts")
        await past.chat.says("песня про осень")
        newest = await past.chat.pool.fetchval("SELECT model FROM drafts ORDER BY draft_id DESC LIMIT 1")
        assert newest == "ai-music-api/generate"
        assert await past.chat.pool.fetchval("SELECT revision FROM drafts WHERE draft_id = $1", step) == 1

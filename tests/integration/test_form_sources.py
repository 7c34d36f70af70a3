"""Questions about something made before: only one's own, only what fits, and a way to make one."""

from support.forms import form, labels, made_before, opens, order, picks, presses
from support.jobs import a_user

EXTEND = "grok-imagine/extend"
WAV = "ai-music-api/convert-to-wav-format"


async def test_an_own_finished_job_is_picked_from_a_list(database: str) -> None:
    async with form(database, EXTEND) as chat:
        assert "Подходящих результатов у вас пока нет" in chat.newest
        assert "Grok Imagine: видео" in labels(chat), "and there is a way to make one"
        job_id = await made_before(chat, "grok-imagine/text-to-video", prompt="щенок бежит")
        await made_before(chat, "z-image", prompt="не подходит")
        await opens(chat, EXTEND)
        assert [label for label in labels(chat) if "·" in label and "щенок" in label]
        assert not [label for label in labels(chat) if "не подходит" in label]
        assert "кнопкой" in await chat.says("тот, что со щенком")
        await chat.taps(picks(chat)[0])
        await chat.says("дальше")
        assert await order(chat) == {"task_id": {"job": job_id}, "prompt": "дальше"}
        assert f"заказ № {job_id}" in chat.newest


async def test_somebody_elses_job_is_neither_shown_nor_taken(database: str) -> None:
    async with form(database, EXTEND) as chat:
        stranger = chat.telegram.person("Борис")
        await a_user(chat.pool, user_id=stranger.user_id)
        job_id = await made_before(chat, "grok-imagine/text-to-video", prompt="чужое", user_id=stranger.user_id)
        await opens(chat, EXTEND)
        assert not picks(chat)
        form_id = await chat.pool.fetchval("SELECT data ->> 'form_id' FROM conversations")
        await presses(chat, f"pj:{form_id}:0:{job_id}:0")
        assert "недоступен" in chat.answers[-1]


async def test_a_track_is_one_of_the_job_that_was_picked(database: str) -> None:
    async with form(database, WAV) as chat:
        first = await made_before(chat, "ai-music-api/generate", prompt="песня о море", tracks=["Море", "Море 2"])
        second = await made_before(chat, "ai-music-api/generate", prompt="песня о горах", tracks=["Горы", "Горы 2"])
        await opens(chat, WAV)
        await chat.taps(next(label for label in labels(chat) if "море" in label))
        shown = labels(chat)
        assert any("Море 2 (1:35)" in label for label in shown)
        assert not any("Горы" in label for label in shown)
        await chat.taps(next(label for label in shown if "Море 2" in label))
        assert await order(chat) == {"task_id": {"job": first}, "audio_id": {"job": first, "output": 1}}
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Прежний")
        await chat.taps(next(label for label in labels(chat) if "горах" in label))
        assert any("Горы" in label for label in labels(chat)), "another job, another track"
        await chat.taps(next(label for label in labels(chat) if "Горы" in label))
        assert (await order(chat))["audio_id"] == {"job": second, "output": 0}

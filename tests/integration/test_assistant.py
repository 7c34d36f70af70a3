"""The optional chat model in the chat: a better card, a better prompt, a voice in words; asked at most once, and bounded."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from photomat.app.retention import kinds_of
from photomat.app.settings import Settings
from photomat.assistant import calls
from photomat.assistant.calls import CallKind, CallLimits, want
from photomat.db.pool import transaction
from photomat.kernel.ids import DraftId, MessageId
from photomat.orders.draft import record_cards
from photomat.orders.outcome import Created
from photomat.work.retention import prune
from support import media_bytes as made
from support.assistant import FREELY, AssistedChat, Meanwhile, assisted
from support.conversation import conversation
from support.database import shift_clock

IMPROVE, UNDO = "✨ Улучшить запрос", "↩️ Вернуть"
WIDE = {
    "wish": "picture",
    "model": None,
    "inputs": [{"role": "format", "value": "16:9"}],
    "prompt": None,
    "question": None,
}


def labels(found: AssistedChat) -> list[str]:
    keyboards = [row for message in found.chat.screen() for row in message["inline_keyboard"] or []]
    return [button["text"] for row in keyboards for button in row]


async def jobs(found: AssistedChat) -> int:
    return int(await found.chat.pool.fetchval("SELECT count(*) FROM generation_jobs"))


# --- a better card


async def test_an_answer_improves_the_card_in_place(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        draft = await found.has_a_card()
        messages = len(found.chat.screen())
        await found.answers_next({"content": WIDE})
        assert await found.works() == 1
        after = await found.draft(draft.draft_id)
        assert (after.revision, after.inputs["aspect_ratio"]) == (draft.revision + 1, "16:9")
        assert "16:9" in found.chat.newest
        assert len(found.chat.screen()) == messages, "the card is edited, not sent anew"
        assert await jobs(found) == 0
        (call,) = await found.calls()
        assert (call["state"], call["due_at"], call["answer"], call["words"]) == ("answered", None, None, None)
        assert call["credits"] > 0
        assert call["cost"] == pytest.approx(call["credits"] * 40)
        assert call["prompt_tokens"] > 100
        await found.chat.taps("✅ Создать")
        assert await jobs(found) == 1


async def test_words_get_the_card_of_the_rules_at_once_and_a_better_one_by_an_edit(
    database: str, tmp_path: Path
) -> None:
    async with assisted(database, tmp_path) as found:
        card = await found.chat.says("нарисуй рыжего кота")
        messages = len(found.chat.screen())
        assert any(label.startswith("✅ Создать") for label in labels(found)), "before anything was asked"
        assert await found.asked() == 0
        await found.answers_next({"content": {**WIDE, "prompt": "рыжий кот на подоконнике"}})
        await found.works()
        assert found.chat.newest != card
        assert "рыжий кот на подоконнике" in found.chat.newest
        assert len(found.chat.screen()) == messages
        assert await jobs(found) == 0


async def test_the_price_is_that_of_the_catalogue_whatever_the_answer_says(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        draft = await found.has_a_card()
        await found.answers_next({"content": {**WIDE, "wish": "video", "price": 0, "credits": 0}})
        await found.works()
        after = await found.draft(draft.draft_id)
        orders = found.loop.config.orders
        model = await orders.model(after.model)
        assert model is not None
        assert model.kind == "video"
        assert after.price == (await orders.quote(after.user_id, model, after.inputs)).price
        assert after.price.minor > draft.price.minor


async def test_one_question_stands_on_the_card_and_never_replaces_it(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        draft = await found.has_a_card()
        await found.answers_next({"content": {**WIDE, "inputs": [], "question": "Какого <b>цвета</b> кот?"}})
        await found.works()
        assert "Уточните: Какого <b>цвета</b> кот?" in found.chat.newest, "shown as it was written"
        assert "кот в шляпе" in found.chat.newest
        assert any(label.startswith("✅ Создать") for label in labels(found))
        after = await found.draft(draft.draft_id)
        reopened = await found.loop.config.orders.reopen(after.user_id, after.draft_id, origin="again")
        assert reopened is not None
        assert reopened.draft.assistant is not None
        await found.chat.taps("✅ Создать")
        assert "Уточните" not in found.chat.newest, "the next revision has no question"


async def test_an_answer_that_changes_nothing_leaves_the_card_alone(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        draft = await found.has_a_card()
        await found.answers_next({"content": {**WIDE, "inputs": []}})
        await found.works()
        assert found.chat.newest == "карточка"
        assert (await found.draft(draft.draft_id)).revision == draft.revision


async def test_a_card_that_moved_on_is_left_alone(database: str, tmp_path: Path) -> None:
    found: AssistedChat

    async def the_customer_changes_it() -> None:
        await found.loop.config.orders.reopen(found.buyer.user_id, draft.draft_id, origin="tap:1")

    slow = Meanwhile(model=None, happens=the_customer_changes_it)  # type: ignore[arg-type]
    async with assisted(database, tmp_path, chat_model=lambda model: replace(slow, model=model)) as found:
        draft = await found.has_a_card()
        await found.answers_next({"content": WIDE})
        await found.works()
        after = await found.draft(draft.draft_id)
        assert (after.revision, after.inputs["aspect_ratio"]) == (draft.revision + 1, "1:1")
        assert found.chat.newest == "карточка"


async def test_a_bought_card_is_left_to_its_job(database: str, tmp_path: Path) -> None:
    found: AssistedChat

    async def the_customer_buys_it() -> None:
        outcome = await found.loop.config.orders.buy(
            found.buyer,
            draft_id=draft.draft_id,
            revision=draft.revision,
            message_id=MessageId(found.chat.screen()[-1]["message_id"]),
            corr="c0ffee00",
        )
        assert isinstance(outcome, Created)

    slow = Meanwhile(model=None, happens=the_customer_buys_it)  # type: ignore[arg-type]
    async with assisted(database, tmp_path, chat_model=lambda model: replace(slow, model=model)) as found:
        draft = await found.has_a_card()
        await found.answers_next({"content": WIDE})
        await found.works()
        assert found.chat.newest == "карточка"
        assert (await found.draft(draft.draft_id)).inputs["aspect_ratio"] == "1:1"
        assert await jobs(found) == 1


async def test_an_answer_after_ten_seconds_is_old_news(database: str, tmp_path: Path) -> None:
    found: AssistedChat
    slow = Meanwhile(model=None, happens=lambda: shift_clock(found.chat.pool, 11))  # type: ignore[arg-type]
    async with assisted(database, tmp_path, chat_model=lambda model: replace(slow, model=model)) as found:
        draft = await found.has_a_card()
        await found.answers_next({"content": WIDE})
        await found.works()
        assert (await found.draft(draft.draft_id)).revision == draft.revision
        assert found.chat.newest == "карточка"
        (call,) = await found.calls()
        assert (call["state"], call["due_at"]) == ("answered", None)


async def test_a_call_that_could_not_start_in_time_is_skipped_and_costs_nothing(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.has_a_card()
        await shift_clock(found.chat.pool, 11)
        await found.works()
        (call,) = await found.calls()
        assert (call["state"], call["error"], call["credits"]) == ("skipped", "late", 0)
        assert await found.asked() == 0


async def test_a_lost_edit_is_harmless(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        draft = await found.has_a_card()
        await found.answers_next({"content": WIDE})
        found.chat.telegram.faults.arm(world="telegram", method="editMessageText", action="drop_before")
        await found.works()
        assert found.chat.newest == "карточка"
        assert (await found.draft(draft.draft_id)).inputs["aspect_ratio"] == "16:9"
        await shift_clock(found.chat.pool, 125)
        await found.works()
        assert "16:9" in found.chat.newest, "it is shown when the outcome has settled"
        assert await found.asked() == 1


# --- at most once


async def test_a_call_whose_process_died_is_unknown_and_never_repeated(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.has_a_card()
        (claimed,) = await found.loop.claim(9)
        assert (await found.calls())[0]["state"] == "asked", "committed before the request leaves"
        assert await found.works() == 0, "another instance finds nothing"
        await shift_clock(found.chat.pool, 95)
        await found.works()
        (call,) = await found.calls()
        assert (call["state"], call["error"], call["credits"], call["due_at"]) == ("unknown", "interrupted", 1, None)
        await found.loop.do(claimed)
        assert (await found.calls())[0]["state"] == "unknown", "whoever comes late writes nothing"
        assert await found.asked() <= 1


async def test_an_answer_that_was_recorded_is_used_by_whoever_claims_it_next(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        draft = await found.has_a_card()
        await found.answers_next({"content": WIDE})
        (claimed,) = await found.loop.claim(9)
        assert await found.loop.assistant.ask(claimed) is not None
        await found.chat.pool.execute("UPDATE assistant_calls SET due_at = photomat_now()")
        await found.works()
        assert (await found.draft(draft.draft_id)).inputs["aspect_ratio"] == "16:9"
        assert await found.asked() == 1


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        ({"code": 500, "msg": "The server is currently being maintained"}, ("unknown", "no-answer", 1)),
        ({"code": 422, "msg": "no"}, ("failed", "refused", 0)),
        ({"code": 401, "msg": "no"}, ("failed", "paused", 0)),
        ({"code": 402, "msg": "no"}, ("failed", "paused", 0)),
        ({"code": 429, "msg": "no"}, ("failed", "busy", 0)),
        ({"body": "<html>", "content_type": "text/html"}, ("unknown", "no-answer", 1)),
        ({"body": "<html>", "status": 502}, ("unknown", "no-answer", 1)),
        ({"body": '{"choices": []}', "content_type": ""}, ("unknown", "no-answer", 1)),
        ({"body": "[" * 9000}, ("unknown", "no-answer", 1)),
    ],
)
async def test_what_is_no_answer_costs_what_it_may_have_cost(
    database: str, tmp_path: Path, answer: dict[str, Any], ending: tuple[str, str, int]
) -> None:
    async with assisted(database, tmp_path) as found:
        draft = await found.has_a_card()
        await found.answers_next(answer)
        await found.works()
        (call,) = await found.calls()
        assert (call["state"], call["error"], call["credits"], call["due_at"]) == (*ending, None)
        assert (await found.draft(draft.draft_id)).revision == draft.revision
        assert found.chat.newest == "карточка"


async def test_after_a_refused_key_calls_are_skipped_for_a_while(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.has_a_card("раз")
        await found.answers_next({"code": 402, "msg": "no credits"})
        await found.works()
        await found.has_a_card("два")
        await found.works()
        assert [(call["state"], call["error"]) for call in await found.calls()] == [
            ("failed", "paused"),
            ("skipped", "busy"),
        ]
        assert await found.asked() == 1


# --- limits


async def test_a_user_has_so_many_calls_a_day_and_the_card_stands_without(database: str, tmp_path: Path) -> None:
    limits = CallLimits(calls_per_user=1, credits=Decimal(0))
    async with assisted(database, tmp_path, limits=limits) as found:
        await found.has_a_card("раз")
        await found.works()
        await found.has_a_card("два")
        await found.works()
        assert [(call["state"], call["error"]) for call in await found.calls()] == [
            ("answered", None),
            ("skipped", "user-limit"),
        ]
        assert found.chat.newest == "карточка"
        await shift_clock(found.chat.pool, 25 * 3600)
        await found.has_a_card("три")
        await found.works()
        assert (await found.calls())[2]["state"] == "answered"


async def test_the_whole_shop_takes_so_many_credits_a_day(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path, limits=CallLimits(calls_per_user=0, credits=Decimal(2))) as found:
        for words in ("раз", "два", "три"):
            await found.answers_next({"content": WIDE, "credits_consumed": 1.5})
            await found.has_a_card(words)
            await found.works()
        assert [call["error"] for call in await found.calls()] == [None, None, "shop-limit"]
        assert await found.asked() == 2


async def test_ten_claims_at_once_stay_below_the_limit(database: str, tmp_path: Path) -> None:
    """An asked call counts before its answer says what it took."""
    async with assisted(database, tmp_path, limits=CallLimits(calls_per_user=0, credits=Decimal(3))) as found:
        draft = await found.has_a_card()
        async with transaction(found.chat.pool) as tx:
            for nth in range(9):
                await want(tx, replace(found.wanted(CallKind.PLAN, draft), origin=f"plan:{nth}"))
        claimed = await found.loop.claim(20)
        assert [call.state for call in claimed].count(calls.CallState.ASKED) == 3


# --- a better prompt


async def test_an_improved_prompt_shows_before_and_after_and_can_be_taken_back(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.orders_a_cat()
        before = found.chat.newest
        await found.chat.taps(IMPROVE)
        assert found.chat.answers[-1] == "✨ Думаю…"
        assert found.chat.newest == before
        await found.works()
        assert "кот-космонавт, мягкий свет" in found.chat.newest
        assert "Было: кот-космонавт" in found.chat.newest
        assert UNDO + " мой запрос" in labels(found)
        assert IMPROVE not in labels(found)
        await found.chat.taps(UNDO)
        assert found.chat.newest == before
        assert IMPROVE in labels(found)
        await found.chat.taps("✅ Создать")
        inputs = await found.chat.pool.fetchval("SELECT inputs FROM generation_jobs")
        assert inputs["prompt"] == "кот-космонавт"


async def test_a_second_tap_while_it_thinks_asks_nothing_more(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.orders_a_cat()
        await found.chat.taps(IMPROVE)
        await found.chat.taps(IMPROVE)
        assert found.chat.answers[-1] == "✨ Уже думаю…"
        assert len(await found.calls()) == 1


async def test_a_prompt_that_could_not_be_improved_stays_and_says_so(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.orders_a_cat()
        await found.answers_next({"code": 500, "msg": "maintained"}, {"content": {"improved": "x" * 30_000}})
        for _ in range(2):
            await found.chat.taps(IMPROVE)
            await found.works()
            assert "Улучшить запрос не получилось" in found.chat.newest
            assert IMPROVE in labels(found)
        await found.chat.taps("✅ Создать")
        assert await jobs(found) == 1


async def test_a_user_over_the_limit_reads_so_when_they_asked(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path, limits=CallLimits(calls_per_user=1, credits=Decimal(0))) as found:
        await found.chat.orders_a_cat()
        for _ in range(2):
            await found.chat.taps(IMPROVE)
            await found.works()
            if UNDO + " мой запрос" in labels(found):
                await found.chat.taps(UNDO)
        assert "На сегодня улучшения закончились" in found.chat.newest


async def test_a_model_that_prefers_english_gets_its_prompt_translated_and_the_card_says_so(
    database: str, tmp_path: Path
) -> None:
    async with assisted(database, tmp_path, welcome=100_000) as found:
        await found.chat.says("/start")
        orders = found.loop.config.orders
        model = await orders.model("ideogram/v3-text-to-image")
        assert model is not None
        draft = await orders.save_draft(found.buyer, model, {"prompt": "кот"}, origin="form:1")
        await found.chat.bot.send_message(found.chat.person.user_id, "карточка")
        shown_in = MessageId(found.chat.screen()[-1]["message_id"])
        async with transaction(found.chat.pool) as tx:
            await record_cards(tx, {draft.draft_id: shown_in})
            await want(tx, found.wanted(CallKind.IMPROVE, draft))
        await found.answers_next({"content": {"improved": "a ginger cat, soft light"}})
        await found.works()
        assert "a ginger cat, soft light" in found.chat.newest
        assert "переведён на английский" in found.chat.newest
        assert "Было: кот" in found.chat.newest


async def test_a_text_to_be_read_aloud_is_not_reworded(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path, welcome=100_000) as found:
        await found.chat.says("/start")
        orders = found.loop.config.orders
        model = await orders.model("elevenlabs/text-to-speech-turbo-2-5")
        assert model is not None
        asked = model.input_for("prompt")
        assert asked is not None
        draft = await orders.save_draft(found.buyer, model, {asked.name: "Добрый день"}, origin="form:1")
        async with transaction(found.chat.pool) as tx:
            await want(tx, found.wanted(CallKind.IMPROVE, draft))
        await found.answers_next({"content": {"improved": "Добрейший день"}})
        await found.works()
        assert (await found.draft(draft.draft_id)).inputs[asked.name] == "Добрый день"


# --- a voice message


async def test_a_voice_message_is_shown_in_words_before_it_is_used(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.says("/start")
        assert await found.chat.sends(made.opus(), kind="voice") == "🎙 Слушаю…"
        messages = len(found.chat.screen())
        await found.answers_next({"content": {"text": "нарисуй <кота> & пса"}})
        await found.works()
        assert found.chat.newest == "🎙 Вы сказали: «нарисуй <кота> & пса»"
        assert len(found.chat.screen()) == messages
        (call,) = await found.calls()
        assert (call["state"], call["answer"]) == ("answered", "нарисуй <кота> & пса")
        await found.chat.taps("✅ Так и есть")
        assert "🎙 Вы сказали" in found.chat.screen()[-2]["text"]
        assert not found.chat.screen()[-2]["inline_keyboard"]
        assert "кота" in found.chat.newest
        assert any(label.startswith("✅ Создать") for label in labels(found))
        assert await jobs(found) == 0


async def test_a_voice_message_for_a_card_that_waits_for_a_recording_is_that_recording(
    database: str, tmp_path: Path
) -> None:
    async with assisted(database, tmp_path, welcome=100_000) as found:
        (tmp_path / "tmp").mkdir()
        await found.chat.sends(made.image("JPEG", width=640, height=640), caption="пусть говорит")
        if not await found.chat.pool.fetchval("SELECT true FROM drafts WHERE model LIKE 'infinitalk%'"):
            await found.chat.taps("🗣")
        await found.chat.sends(made.opus(), kind="voice")
        assert await found.chat.pool.fetchval("SELECT count(*) FROM assistant_calls WHERE kind = 'transcribe'") == 0
        assert "🎙 Слушаю…" not in found.chat.newest


async def test_a_voice_message_that_was_misheard_is_forgotten(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.says("/start")
        await found.chat.sends(made.opus(), kind="voice")
        await found.works()
        assert "Хорошо, забыли" in await found.chat.taps("✖️ Не то")


@pytest.mark.parametrize("answer", [{"code": 500, "msg": "no"}, {"content": {"text": " "}}, {"content": "Hello!"}])
async def test_a_voice_message_nobody_understood_says_so(database: str, tmp_path: Path, answer: dict[str, Any]) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.says("/start")
        await found.chat.sends(made.opus(), kind="voice")
        await found.answers_next(answer)
        await found.works()
        assert "Не получилось разобрать" in found.chat.newest


async def test_a_long_recording_is_not_sent_anywhere(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.says("/start")
        assert "длиннее 2 мин" in await found.chat.sends(made.mp3(frames=8000), kind="voice")
        assert await found.calls() == []


async def test_another_user_cannot_use_a_transcript_and_an_old_one_is_forgotten(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.says("/start")
        await found.chat.sends(made.opus(), kind="voice")
        await found.works()
        pool, call_id = found.chat.pool, (await found.calls())[0]["call_id"]
        assert await calls.transcript_of(pool, call_id=call_id, user_id=found.buyer.user_id)
        assert await calls.transcript_of(pool, call_id=call_id, user_id=found.buyer.user_id + 1) is None  # type: ignore[arg-type]
        await shift_clock(pool, 25 * 3600)
        kinds = kinds_of(Settings(_env_file=None, data_dir=tmp_path))
        deleted = await prune(pool, kinds)
        assert deleted["transcripts"] == 1
        await found.chat.taps("✅ Так и есть")
        assert "Пришлите её ещё раз" in found.chat.answers[-1]
        await shift_clock(pool, timedelta(days=91).total_seconds())
        assert (await prune(pool, kinds))["assistant calls"] == 1


# --- off


async def test_without_a_chat_model_there_is_no_button_and_no_row(database: str, tmp_path: Path) -> None:
    async with conversation(database, results=tmp_path) as chat:
        await chat.orders_a_cat()
        keyboards = [row for message in chat.screen() for row in message["inline_keyboard"] or []]
        assert IMPROVE not in [button["text"] for row in keyboards for button in row]
        assert "🎙 Слушаю…" not in await chat.sends(made.opus(), kind="voice")
        assert await chat.pool.fetchval("SELECT count(*) FROM assistant_calls") == 0


async def test_what_was_queued_when_the_model_was_turned_off_is_answered(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path) as found:
        await found.chat.says("/start")
        await found.chat.sends(made.opus(), kind="voice")
        found.loop = replace(found.loop, assistant=replace(found.loop.assistant, chat=None))
        await found.works()
        assert "Не получилось разобрать" in found.chat.newest
        assert await found.asked() == 0


async def test_usage_by_kind_and_by_user(database: str, tmp_path: Path) -> None:
    async with assisted(database, tmp_path, limits=FREELY) as found:
        await found.has_a_card("раз")
        await found.works()
        await found.has_a_card("два")
        await shift_clock(found.chat.pool, 11)
        await found.works()
        kinds = await calls.usage_by_kind(found.chat.pool, days=1)
        assert [(each.name, each.calls) for each in kinds] == [("plan answered", 1), ("plan skipped: late", 1)]
        (user,) = await calls.usage_by_user(found.chat.pool, days=1)
        assert (user.name, user.calls) == (str(found.buyer.user_id), 1)
        assert user.credits == sum(each.credits for each in kinds) > 0
        assert not await calls.is_under_way(found.chat.pool, draft_id=DraftId(1), kind=CallKind.PLAN)

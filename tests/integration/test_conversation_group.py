"""The bot in a group: it answers who speaks to it, and nobody's draft is bought by somebody else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from aiogram.filters.callback_data import CallbackData
from aiogram.methods import AnswerCallbackQuery, EditMessageText, SendMessage
from aiogram.types import ForceReply

from photomat.bot.buttons import (
    CheckInvoiceButton,
    GiftBackButton,
    MenuButton,
    PayButton,
    PayStep,
    Screen,
    StatementButton,
    SubscriptionAction,
    SubscriptionButton,
    TopupButton,
    TransactionButton,
    TransferAction,
    TransferButton,
    TransferReceiptButton,
    TransferSumButton,
)
from photomat.bot.worker import UpdateWorker
from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.inbox.receive import receive
from photomat.kernel.ids import BotId, InstanceId
from support.database import pool_of
from support.rewards import a_code
from support.shop import bot_config, dispatcher
from support.updates import BOT_ID, GROUP, KeepingSession, keeping_bot, tap_update, text_update

ANNA, BORIS = 7, 8


@dataclass(slots=True, kw_only=True)
class Group:
    """Two people and the bot in one chat."""

    pool: Pool
    worker: UpdateWorker
    session: KeepingSession
    updates: int = 0

    async def says(self, user_id: int, text: str, *, to_bot: bool = False) -> None:
        await self._gets(text_update(self._next(), user_id=user_id, text=text, chat_id=GROUP, reply_to_bot=to_bot))

    async def taps(self, user_id: int, data: str) -> None:
        await self._gets(tap_update(self._next(), data, user_id=user_id, chat_id=GROUP))

    def button(self, label: str) -> str:
        """What the newest button with this label carries."""
        for call in reversed(self.session.calls):
            rows = getattr(getattr(call, "reply_markup", None), "inline_keyboard", [])
            for button in (each for row in rows for each in row if each.text.startswith(label)):
                return str(button.callback_data)
        raise AssertionError(f"there is no button {label!r}")

    @property
    def newest(self) -> Any:
        return (self.session.sent(SendMessage))[-1]

    @property
    def answer(self) -> str:
        return self.session.sent(AnswerCallbackQuery)[-1].text or ""

    async def _gets(self, update: dict[str, Any]) -> None:
        await receive(self.pool, bot_id=BotId(BOT_ID), updates=[update])
        assert await self.worker.run_once()
        assert await self.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 0

    def _next(self) -> int:
        self.updates += 1
        return self.updates


@asynccontextmanager
async def group(database: str) -> AsyncIterator[Group]:
    bot, session = keeping_bot()
    async with pool_of(database) as pool:
        worker = UpdateWorker(
            config=bot_config(pool, welcome=1000),
            bot=bot,
            dispatcher=dispatcher(),
            instance=InstanceId("one"),
            lease_s=30,
        )
        yield Group(pool=pool, worker=worker, session=session)


async def test_talk_among_people_is_left_alone(database: str) -> None:
    async with group(database) as chat:
        await chat.says(ANNA, "кто идёт в кино?")
        assert chat.session.calls == []
        assert await chat.pool.fetchval("SELECT count(*) FROM users") == 0


async def test_an_order_in_a_group_from_command_to_job(database: str) -> None:
    async with group(database) as chat:
        await chat.says(ANNA, "/start")
        await chat.taps(ANNA, chat.button("🖼 Создать картинку"))
        await chat.taps(ANNA, chat.button("Z-Image"))
        assert isinstance(chat.newest.reply_markup, ForceReply)
        assert f"tg://user?id={ANNA}" in chat.newest.text
        await chat.says(ANNA, "это я не боту")
        await chat.says(ANNA, "кот", to_bot=True)
        await chat.taps(ANNA, chat.button("1:1"))
        await chat.taps(ANNA, chat.button("✅ Создать"))
        job = await require_row(chat.pool, "SELECT user_id, chat_id, inputs FROM generation_jobs")
        assert tuple(job) == (ANNA, GROUP, {"prompt": "кот", "aspect_ratio": "1:1"})


async def test_voices_are_plain_options_in_a_group(database: str) -> None:
    async with group(database) as chat:
        await chat.says(ANNA, "/start")
        await chat.taps(ANNA, "n:elevenlabs/text-to-speech-turbo-2-5")
        await chat.says(ANNA, "Привет!", to_bot=True)
        await chat.taps(ANNA, chat.button("Голос: James"))
        assert chat.button("Arabella — загадочный").startswith("o:")
        assert not any("Женские" in str(call) for call in chat.session.calls)


async def test_somebody_else_can_neither_answer_nor_buy_nor_change(database: str) -> None:
    async with group(database) as chat:
        await chat.says(BORIS, "/start")
        await chat.says(ANNA, "/start")
        await chat.taps(ANNA, chat.button("🖼 Создать картинку"))
        await chat.taps(ANNA, chat.button("Z-Image"))
        await chat.says(ANNA, "кот", to_bot=True)
        await chat.taps(BORIS, chat.button("1:1"))
        assert "задан не вам" in chat.answer
        await chat.taps(ANNA, chat.button("1:1"))
        edits = len(chat.session.sent(EditMessageText))
        for label in ("✅ Создать", "✏️ Изменить", "✖️ Отмена"):
            await chat.taps(BORIS, chat.button(label))
            assert chat.answer
        assert len(chat.session.sent(EditMessageText)) == edits
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        await chat.taps(ANNA, chat.button("✅ Создать"))
        assert await chat.pool.fetchval("SELECT user_id FROM generation_jobs") == ANNA


async def test_promo_codes_invitations_and_gifts_are_for_a_private_chat_alone(database: str) -> None:
    async with group(database) as chat:
        await a_code(chat.pool, amount=500)
        for text in ("/promo spring", "/gift 5", "/invite"):
            await chat.says(ANNA, text)
            assert "только в личном чате" in chat.newest.text
        for text in ("/start promo_SPRING", "/start"):
            await chat.says(ANNA, text)
        for action in ("promo", "gift", "invite"):
            await chat.taps(ANNA, f"rw:{action}")
            assert "только в личном чате" in chat.answer
        for count in ("count(*) FROM promo_uses", "count(*) FROM gifts", "count(*) FROM invite_codes"):
            assert await chat.pool.fetchval(f"SELECT {count}") == 0
        assert await chat.pool.fetchval("SELECT posted FROM wallets") == 1000


@pytest.mark.parametrize("command", ["/statement", "/paysupport", "/topup"])
async def test_whoever_asks_for_their_money_in_a_group_is_sent_to_the_private_chat(database: str, command: str) -> None:
    async with group(database) as chat:
        await chat.says(ANNA, "/start")
        await chat.says(ANNA, command)
        assert "только в личном чате" in chat.newest.text
        assert chat.newest.reply_markup is None


@pytest.mark.parametrize(
    "button",
    [
        MenuButton(screen=Screen.TOPUP),
        StatementButton(before=0),
        TransactionButton(move_id=1, before=0),
        GiftBackButton(gift_id=1),
        TopupButton(draft_id=0),
        TopupButton(draft_id=1, on_card=True),
        PayButton(step=PayStep.SUMS, way="stars", amount=0, draft_id=0),
        PayButton(step=PayStep.OWN, way="yookassa", amount=0, draft_id=0),
        PayButton(step=PayStep.INVOICE, way="yookassa", amount=10_000, draft_id=0),
        CheckInvoiceButton(topup_id=1),
        SubscriptionButton(action=SubscriptionAction.SHOW),
        TransferButton(action=TransferAction.START),
        TransferSumButton(minor=50_000),
        TransferReceiptButton(topup_id=1),
    ],
    ids=lambda button: button.pack(),
)
async def test_no_button_shows_a_group_what_somebody_pays_or_moves(database: str, button: CallbackData) -> None:
    async with group(database) as chat:
        await chat.says(ANNA, "/start")
        said = len(chat.session.sent(SendMessage))
        await chat.taps(ANNA, button.pack())
        assert "только в личном чате" in chat.answer
        assert len(chat.session.sent(SendMessage)) == said


async def test_an_anonymous_admin_is_nobody(database: str) -> None:
    async with group(database) as chat:
        update = text_update(1, text="/start", chat_id=GROUP)
        update["message"]["from"]["is_bot"] = True
        await receive(chat.pool, bot_id=BotId(BOT_ID), updates=[update])
        assert await chat.worker.run_once()
        assert chat.session.calls == []
        assert await chat.pool.fetchval("SELECT count(*) FROM users") == 0


async def test_a_question_that_is_typed_in_may_be_skipped_by_a_word_in_a_group(database: str) -> None:
    async with group(database) as chat:
        await chat.says(ANNA, "/start")
        await chat.taps(ANNA, "n:grok-imagine-video-1-5-preview")
        assert isinstance(chat.newest.reply_markup, ForceReply)
        assert "пропустить" in chat.newest.text, "its button cannot stand there"
        await chat.says(ANNA, "Пропустить", to_bot=True)
        assert chat.button("✅ Создать")
        await chat.taps(ANNA, chat.button("✏️ Изменить"))
        await chat.taps(ANNA, "e:1:0")
        await chat.says(ANNA, "пропустить", to_bot=True)
        inputs = await chat.pool.fetchval("SELECT inputs FROM drafts ORDER BY draft_id DESC LIMIT 1")
        assert inputs == {"prompt": "пропустить"}, "a word that is no step of this question is its answer"


async def test_a_question_with_buttons_is_answered_by_a_reply_too(database: str) -> None:
    async with group(database) as chat:
        await chat.says(ANNA, "/start")
        await chat.taps(ANNA, "n:z-image")
        await chat.says(ANNA, "кот", to_bot=True)
        assert "Отвечайте ответом" in chat.newest.text
        await chat.says(ANNA, "16:9", to_bot=True)
        assert chat.button("✅ Создать")

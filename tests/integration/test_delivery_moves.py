"""A group that becomes another chat is followed; people and groups that take the bot back get what waited for them."""

from dataclasses import replace
from pathlib import Path

from aiogram import Bot

from photomat.db.pool import transaction
from photomat.delivery.coordinator import MAX_REFUSALS
from photomat.delivery.lock import rearm_chat, rearm_job
from photomat.kernel.ids import ChatId
from photomat.telegram.client import TelegramMessenger
from photomat.telegram.port import Card, ChatMoved, Keyboard, Media
from support.database import shift_clock
from support.delivery import delivery_desk
from support.jobs import BOT, row_of
from support.telegram_media import picture


class Moved(TelegramMessenger):
    """Telegram, where one chat has become another."""

    def __init__(self, bot: Bot, *, old: ChatId, new: ChatId) -> None:
        super().__init__(bot)
        self.old, self.new = old, new

    async def edit_media(self, card: Card, media: Media, caption: str, keyboard: Keyboard) -> str | None:
        if card.chat_id == self.old:
            raise ChatMoved(self.new)
        return await super().edit_media(card, media, caption, keyboard)


async def test_a_group_that_became_a_supergroup_is_followed(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        elsewhere = desk.telegram.person("Группа")
        moved = Moved(desk.bot, old=ChatId(desk.user), new=ChatId(elsewhere.user_id))
        desk.coordinator = replace(
            desk.coordinator,
            messenger=moved,
            sender=replace(desk.coordinator.sender, messenger=moved),
        )
        await desk.deliver()
        (shown,) = desk.telegram.seen(elsewhere)
        row = await row_of(desk.pool, job_id)
        assert (shown["kind"], row["chat_id"], row["card_message_id"]) == (
            "photo",
            elsewhere.user_id,
            shown["message_id"],
        )
        assert row["delivered_at"] is not None


async def test_whoever_cannot_be_reached_counts_as_gone_until_they_write(database: str, tmp_path: Path) -> None:
    """The update that tells of the block may be lost; then any message of theirs re-arms the card."""
    async with delivery_desk(database, tmp_path) as desk:
        await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Forbidden: bot was blocked by the user", code=403)
        await desk.deliver()
        assert await desk.pool.fetchval("SELECT blocked_at IS NOT NULL FROM users WHERE user_id = $1", desk.user)


async def test_a_group_that_takes_the_bot_back_gets_what_waited_for_it(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Forbidden: bot was kicked from the group chat", code=403)
        await desk.deliver()
        async with transaction(desk.pool) as tx:
            assert await rearm_chat(tx, bot_id=BOT, chat_id=ChatId(desk.user)) == 1
            assert await rearm_chat(tx, bot_id=BOT, chat_id=ChatId(desk.user)) == 0
        await desk.deliver()
        assert await desk.delivered(job_id)


async def test_a_chat_whose_messages_cannot_be_edited_gets_one_slot_and_then_the_operator(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Bad Request: message can't be edited", times=100)
        for _ in range(MAX_REFUSALS + 2):
            await desk.deliver()
            await shift_clock(desk.pool, 3700)
        row = await row_of(desk.pool, job_id)
        assert len(desk.seen()) == 2, "the card and one slot, however often it was tried"
        assert (row["parked_at"] is not None, row["delivery_attempts"]) == (True, MAX_REFUSALS)
        async with transaction(desk.pool) as tx:
            await rearm_job(tx, job_id)
        desk.telegram.faults.clear()
        desk.telegram.deletes(desk.person, desk.seen()[-1]["message_id"], for_both=True)
        await desk.deliver()
        assert await desk.delivered(job_id), "asked for again it may have a slot again"

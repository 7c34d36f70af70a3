"""A form's updates handled again, because an answer of Telegram was lost: the same form, the same file, the same draft."""

from collections.abc import Awaitable

from photomat.db.rows import require_row
from support.conversation import Chat
from support.database import connection_of, shift_clock
from support.forms import PHOTO, form, order

EDIT = "grok-imagine-image-2-0/image-edit"


async def handled_twice(chat: Chat, database: str, does: Awaitable[str], *, method: str) -> None:
    """Let somebody do something, lose the answer to a call, let time pass, and handle it again."""
    chat.telegram.faults.arm(world="telegram", method=method, action="drop_after")
    await does
    assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 1
    async with connection_of(database) as clock:
        await shift_clock(clock, 10)
    await chat.handle_all()
    assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 0


async def test_a_file_that_is_taken_again_is_the_same_file_and_counts_once(database: str) -> None:
    async with form(database, EDIT) as chat:
        await handled_twice(chat, database, chat.sends(PHOTO), method="sendMessage")
        assert "принято 1 из 5" in chat.newest
        assert await chat.pool.fetchval("SELECT count(*) FROM input_files") == 1
        await chat.sends(PHOTO)
        await chat.taps("✅ Готово")
        await chat.taps("⏭ Пропустить")
        assert len((await order(chat))["image_urls"]) == 2


async def test_the_last_answer_handled_again_makes_no_second_draft(database: str) -> None:
    async with form(database, "kling-2.6/text-to-video") as chat:
        await handled_twice(chat, database, chat.says("поезд"), method="sendMessage")
        assert tuple(await require_row(chat.pool, "SELECT count(*), max(revision) FROM drafts")) == (1, 1)


async def test_a_page_handled_again_opens_the_same_form(database: str) -> None:
    async with form(database, "z-image") as chat:
        await handled_twice(chat, database, chat.says("кот"), method="sendMessage")
        await handled_twice(chat, database, chat.taps("◀️ Назад"), method="editMessageText")
        await chat.says("пёс")
        await handled_twice(chat, database, chat.taps("1:1"), method="editMessageText")
        assert await order(chat) == {"prompt": "пёс", "aspect_ratio": "1:1"}
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 1

"""Somebody who fills in the form of any model: opens it, answers it, looks at the order that came of it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from photomat.kernel.ids import JobId, UserId
from photomat_sandbox.telegram.media import make_media
from support.conversation import Chat, conversation
from support.jobs import a_done_job
from support.media_bytes import image

RICH = 100_000_00
PHOTO = image("JPEG", width=1024, height=768)


async def opens(chat: Chat, model_id: str) -> str:
    """Pick a model, as a button of some list does; gives its page."""
    await chat.says("/start")
    greeting = chat.screen()[-1]["message_id"]
    chat.telegram.taps(chat.person, greeting, f"n:{model_id}")
    await chat.handle_all()
    return chat.newest


async def presses(chat: Chat, data: str) -> str:
    """Tap a button that carries this, on the newest message; it need not be there any more."""
    chat.telegram.taps(chat.person, chat.screen()[-1]["message_id"], data)
    await chat.handle_all()
    return chat.newest


async def sends_album(chat: Chat, photos: Sequence[bytes], *, caption: str = "") -> str:
    """Send several photos at once: single messages that share an album, the first with the words."""
    world, person = chat.telegram.world, chat.person
    for number, data in enumerate(photos):
        media = world.remember(await make_media(world.files, data, kind="photo"))
        words = caption if number == 0 else ""
        message = world.add_message(
            person, from_bot=False, kind=media.kind, media=media, text=words, media_group_id="album-1"
        )
        world.updates.push("message", world.api(message), lane=f"chat {person.user_id}")
    await chat.handle_all()
    return chat.newest


async def order(chat: Chat) -> dict[str, Any]:
    """What the newest draft has."""
    found = await chat.pool.fetchval("SELECT inputs FROM drafts ORDER BY draft_id DESC LIMIT 1")
    return dict(found)


def labels(chat: Chat) -> list[str]:
    """What stands on the buttons of the newest message."""
    return [button["text"] for row in chat.screen()[-1]["inline_keyboard"] or [] for button in row]


def voices(chat: Chat) -> list[str]:
    """The voices that the newest message lets choose."""
    buttons = [button for row in chat.screen()[-1]["inline_keyboard"] or [] for button in row]
    return [button["text"] for button in buttons if button["callback_data"].startswith("o:")]


def picks(chat: Chat) -> list[str]:
    """What was made before, as far as a question offers it."""
    buttons = [button for message in chat.screen() for row in message["inline_keyboard"] or [] for button in row]
    return [button["text"] for button in buttons if button["callback_data"].startswith("pj:")]


async def made_before(
    chat: Chat, model_id: str, *, prompt: str, tracks: Sequence[str] = (), user_id: int | None = None
) -> JobId:
    """A finished job of this person; `tracks` are the titles of its outputs."""
    user = UserId(user_id or chat.person.user_id)
    urls = [f"https://files.example/{number}.mp3" for number in range(max(1, len(tracks)))]
    job_id = await a_done_job(chat.pool, user, urls=urls, inputs={"prompt": prompt})
    await chat.pool.execute("UPDATE generation_jobs SET model = $2 WHERE job_id = $1", job_id, model_id)
    for position, title in enumerate(tracks):
        await chat.pool.execute(
            "UPDATE job_outputs SET track_id = $3, title = $4, seconds = 95 WHERE job_id = $1 AND position = $2",
            job_id,
            position,
            f"track-{job_id}-{position}",
            title,
        )
    return job_id


@asynccontextmanager
async def form(database: str, model_id: str, *, language: str = "ru", **options: Any) -> AsyncIterator[Chat]:
    """A rich person with the page of a model in front of them."""
    async with conversation(database, welcome=RICH, language_code=language, **options) as chat:
        await opens(chat, model_id)
        yield chat

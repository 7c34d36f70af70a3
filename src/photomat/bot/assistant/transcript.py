"""What becomes of the words of a voice message, once their speaker has seen and confirmed them."""

from aiogram.types import CallbackQuery, Message

from photomat.bot.context import UpdateContext
from photomat.bot.transport import Tap
from photomat.bot.wish.handlers import text_said


async def on_transcript(query: CallbackQuery, tap: Tap, ctx: UpdateContext, text: str) -> None:
    """Answer as if the words had been written."""
    message = tap.message
    if isinstance(message, Message):
        written = message.model_copy(update={"text": text, "from_user": query.from_user, "entities": None})
        await text_said(written.as_(query.bot), ctx)

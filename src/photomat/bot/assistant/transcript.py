"""What becomes of the words of a voice message, once their speaker has seen and confirmed them."""

from aiogram.types import CallbackQuery

from photomat.bot.context import UpdateContext
from photomat.bot.menu.search import search_plain_text
from photomat.bot.menu.views import hint
from photomat.bot.transport import Tap


async def on_transcript(_query: CallbackQuery, tap: Tap, ctx: UpdateContext, text: str) -> None:
    """Answer as if the words had been written."""
    await tap.send(await search_plain_text(ctx, text) or hint(ctx.say, "fallback-text"))

"""How Telegram reaches the bot: by webhook where there is a public address, else by long polling. Both bear repeating."""

from typing import Final

from aiogram import Bot

from photomat.bot.app import ALLOWED_UPDATES
from photomat.kernel.logs import get_logger

CALL_TIMEOUT_S: Final = 10
MOST_CONNECTIONS: Final = 40
log = get_logger()


async def use_webhook(bot: Bot, *, url: str, secret: str) -> None:
    """Ask Telegram to bring updates to our door."""
    await bot.set_webhook(
        url,
        secret_token=secret,
        allowed_updates=list(ALLOWED_UPDATES),
        max_connections=MOST_CONNECTIONS,
        request_timeout=CALL_TIMEOUT_S,
    )
    log.info("UPDATES_BY", way="webhook")


async def use_polling(bot: Bot) -> None:
    """Ask Telegram to keep updates until we come for them."""
    await bot.delete_webhook(drop_pending_updates=False, request_timeout=CALL_TIMEOUT_S)
    log.info("UPDATES_BY", way="polling")

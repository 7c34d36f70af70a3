"""Part of phase 4: which Bot API server answers, whether it is in local mode, and whether its files can be read."""

import asyncio
import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aiogram import Bot
from aiogram.exceptions import TelegramAPIError

from photomat.app.terms import bot_api_limits_of
from photomat.checks.context import CheckContext
from photomat.checks.findings import Finding, failure, ok, warning
from photomat.files.sources import newest_at_telegram
from photomat.kernel.errors import PhotomatError
from photomat.telegram.files import BotFiles, NotGiven
from photomat.telegram.limits import MIB

CLOUD_HOST: Final = "api.telegram.org"
CALL_TIMEOUT_S: Final = 10
DOCS: Final = "docs/operations/bot-api-server.md"


async def bot_api_server(context: CheckContext, bot: Bot) -> list[Finding]:
    settings = context.settings
    folder, host = settings.telegram_local_dir, urlsplit(settings.telegram_api_url).hostname
    limits = bot_api_limits_of(settings)
    sizes = f"files up to {limits.download_bytes // MIB} MB from customers and {limits.upload_bytes // MIB} MB to them"
    if folder is None:
        return [ok(f"The Bot API server is {host}: {sizes}.")]
    if host == CLOUD_HOST:
        return [
            failure(
                "TELEGRAM_LOCAL_DIR is set, and TELEGRAM_API_URL is Telegram's cloud.",
                f"set TELEGRAM_API_URL to your own server, or remove TELEGRAM_LOCAL_DIR; see {DOCS}.",
            )
        ]
    unreadable = await asyncio.to_thread(_unreadable, folder)
    if unreadable is not None:
        return [unreadable]
    return [ok(f"The Bot API server is {host}, your own: {sizes}."), await _proof(context, bot)]


def _unreadable(folder: Path) -> Finding | None:
    if folder.is_dir() and os.access(folder, os.R_OK | os.X_OK):
        return None
    why = "is not readable" if folder.is_dir() else "is no folder"
    return failure(
        f"TELEGRAM_LOCAL_DIR {why} here: {folder}.",
        f"mount the working folder of the Bot API server there, and run both as the same user; see {DOCS}.",
    )


async def _proof(context: CheckContext, bot: Bot) -> Finding:
    """Have the server give out the newest file of a customer, and read its first bytes."""
    telegram_id = await newest_at_telegram(context.pool)
    if telegram_id is None:
        return warning(
            "Whether its files can be read is not known: nobody has sent one yet.",
            "send the bot a photo for an order, then check again.",
        )
    try:
        file = await bot.get_file(telegram_id, request_timeout=CALL_TIMEOUT_S)
        if not (file.file_path or "").startswith("/"):
            return failure("The Bot API server does not run in local mode.", f"start it with --local; see {DOCS}.")
        async with BotFiles(bot).opened(telegram_id) as chunks:
            await anext(aiter(chunks), b"")
    except NotGiven:
        return failure(
            "The Bot API server names files outside of TELEGRAM_LOCAL_DIR.",
            "set TELEGRAM_LOCAL_DIR to its working folder, which contains a folder named like the bot's token.",
        )
    except TelegramAPIError as error:
        return warning(f"The newest file of a customer is not given out: {error.message}.", "check again later.")
    except PhotomatError:
        return failure(
            "A file of the Bot API server could not be read below TELEGRAM_LOCAL_DIR.",
            f"mount its working folder there, and run both as the same user; see {DOCS}.",
        )
    return ok("It runs in local mode, and its files can be read.")

"""Part of phase 4: who is told of incidents, and whether Telegram lets the bot write to them."""

from aiogram import Bot
from aiogram.exceptions import TelegramAPIError, TelegramBadRequest, TelegramForbiddenError

from photomat.checks.finding import Finding, doubtful, fine
from photomat.checks.ground import Ground
from photomat.kernel.ids import ChatId

CALL_TIMEOUT_S = 10


async def admins(ground: Ground) -> list[Finding]:
    """A warning where nobody would hear of an incident."""
    told = ground.settings.admins
    if not told:
        return [
            doubtful(
                "Nobody is told of incidents: ADMIN_IDS is empty.",
                "set it to your Telegram id and start the bot once from there; until then watch the log for INCIDENT_OPEN.",
            )
        ]
    if ground.bot is None:
        return []
    strangers = [str(admin) for admin in told if not await _knows(ground.bot, admin)]
    if strangers:
        return [
            doubtful(
                f"Telegram does not let the bot write to {', '.join(strangers)} of ADMIN_IDS.",
                "each operator sends /start to the bot once; correct a mistyped id.",
            )
        ]
    return [fine(f"{len(told)} of ADMIN_IDS {'is' if len(told) == 1 else 'are'} told of incidents.")]


async def _knows(bot: Bot, admin: ChatId) -> bool:
    """Whether there is a chat with this operator; a Telegram in trouble is told of elsewhere and counts as yes."""
    try:
        await bot.get_chat(admin, request_timeout=CALL_TIMEOUT_S)
    except (TelegramBadRequest, TelegramForbiddenError):
        return False
    except TelegramAPIError:
        return True
    return True

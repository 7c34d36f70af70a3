"""Telegram Stars put together: who reads Telegram's list, and who sees that nobody who pays is left hanging."""

from aiogram import Bot

from photomat.bot.checkout_guard import CheckoutGuard
from photomat.db.pool import Pool
from photomat.inbox.receive import is_handled
from photomat.kernel.ids import BotId
from photomat.kernel.money import Money
from photomat.payments.stars_reading import StarsReader
from photomat.settings import Settings
from photomat.telegram.stars_client import StarsClient
from photomat.texts.load import Texts
from photomat.wiring.money import offers_of


def checkout_guard(pool: Pool, bot: Bot, texts: Texts) -> CheckoutGuard:
    """The guard of pre-checkout queries this process takes in."""

    async def answered(update_id: int) -> bool:
        return await is_handled(pool, bot_id=BotId(bot.id), update_id=update_id)

    return CheckoutGuard(bot=bot, texts=texts, is_handled=answered)


def stars_reader(pool: Pool, bot: Bot, settings: Settings) -> StarsReader:
    """What holds Telegram's list against our payments."""
    return StarsReader(
        pool=pool,
        ledger=StarsClient(bot),
        offers=offers_of(settings),
        welcome=Money(settings.welcome, settings.currency),
        bot_id=BotId(bot.id),
    )

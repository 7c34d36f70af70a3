"""Stars through aiogram. Every foreign error becomes one of ours here."""

from typing import Final

from aiogram import Bot
from aiogram.exceptions import ClientDecodeError, TelegramAPIError, TelegramBadRequest
from aiogram.types import StarTransaction, TransactionPartnerUser

from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.ids import UserId
from photomat.kernel.trouble import masked
from photomat.telegram.errors import translate
from photomat.telegram.port import CallRefused
from photomat.telegram.stars import StarMove, StarPage, StarPerson

CALL_TIMEOUT_S: Final = 20
INVOICE: Final = "invoice_payment"
REFUNDED_BEFORE: Final = "CHARGE_ALREADY_REFUNDED"


class StarsClient:
    """The port of Stars on the Bot API."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def page(self, *, offset: int, limit: int) -> StarPage:
        """The lines after the first `offset`."""
        try:
            found = await self._bot.get_star_transactions(offset=offset, limit=limit, request_timeout=CALL_TIMEOUT_S)
        except (TelegramAPIError, ClientDecodeError) as error:
            raise translate(error) from error
        moves = [move for line in found.transactions if (move := _move(line)) is not None]
        return StarPage(lines=len(found.transactions), moves=moves)

    async def give_back(self, user_id: UserId, charge_id: str) -> None:
        """Refund; "already" is success, and only a 400 is a clear no: whatever else it was is asked again."""
        try:
            await self._bot.refund_star_payment(
                user_id=user_id, telegram_payment_charge_id=charge_id, request_timeout=CALL_TIMEOUT_S
            )
        except TelegramBadRequest as error:
            if REFUNDED_BEFORE not in error.message:
                raise CallRefused(masked(error.message)) from error
        except (TelegramAPIError, ClientDecodeError) as error:
            trouble = translate(error)
            if isinstance(trouble, OutcomeUnknown | Transient):
                raise trouble from error
            raise Transient(str(trouble)) from error


def _move(line: StarTransaction) -> StarMove | None:
    """A line that concerns an invoice; gifts, withdrawals and the like are nobody's payment."""
    partner = line.source or line.receiver
    if not isinstance(partner, TransactionPartnerUser) or partner.transaction_type != INVOICE:
        return None
    person = StarPerson(
        user_id=UserId(partner.user.id),
        first_name=partner.user.first_name,
        username=partner.user.username,
        language_code=partner.user.language_code,
    )
    return StarMove(
        charge_id=line.id,
        side="in" if line.source is not None else "out",
        person=person,
        stars=line.amount,
        payload=partner.invoice_payload or "",
        is_subscription=partner.subscription_period is not None,
        at=line.date,
    )

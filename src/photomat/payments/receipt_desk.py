"""What is done about receipts by itself: operators are reminded of a waiting one, a decided one loses its buttons everywhere.

A message is edited by the id its notice kept, as often as it takes. An edit that is lost, or a message that is gone, is
harmless: the decision is in the row, and a button pressed too late is answered with it. A message still on its way is
waited for.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.db.rows import Row
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.ids import ChatId, MessageId
from photomat.kernel.logs import get_logger
from photomat.kernel.retry import backoff_s
from photomat.payments import receipt_news, receipts
from photomat.payments.receipt import Receipt, ReceiptState
from photomat.telegram.port import Card, Media, MediaKind, Messenger, Unauthorized
from photomat.texts.load import Texts
from photomat.users.user import DEFAULT_LANGUAGE

RECEIPTS_DUE: Final = "SELECT 1 FROM receipts WHERE due_at <= photomat_now()"
LEASE: Final = timedelta(seconds=90)
MOST_TRIES: Final = 12
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptDesk:
    """Keeps the operators' messages about receipts in step with the rows."""

    pool: Pool
    messenger: Messenger
    texts: Texts
    operators: Collection[ChatId]

    async def claim(self, limit: int) -> list[Receipt]:
        """Take the receipts that are due."""
        return await receipts.claim_due(self.pool, limit=limit, lease=LEASE)

    async def work(self, receipt: Receipt) -> None:
        """Remind, or take the buttons away."""
        if receipt.state is ReceiptState.WAITING:
            await self._remind(receipt)
        else:
            again = not await self._mark(receipt) and receipt.tries < MOST_TRIES
            pause = timedelta(seconds=backoff_s(receipt.tries - 1)) if again else None
            await receipts.next_due(self.pool, receipt, after=pause)

    async def _remind(self, receipt: Receipt) -> None:
        async with transaction(self.pool) as tx:
            twins = await receipts.twins_of(tx, receipt)
            which = f"reminder {receipt.tries}"
            await receipt_news.tell_operators(tx, receipt, twins, operators=self.operators, which=which)
            await receipts.next_due(tx, receipt, after=receipts.REMIND_AFTER)
        log.info("RECEIPT_REMINDED", receipt_id=receipt.receipt_id, reminder=receipt.tries)

    async def _mark(self, receipt: Receipt) -> bool:
        """Show the decision on every message; False when one is still on its way, or has to be tried again."""
        messages = await self._messages(receipt)
        shown = [await self._show(receipt, message) for message in messages if message["message_id"] is not None]
        return all(shown) and all(message["outcome"] is not None for message in messages)

    async def _messages(self, receipt: Receipt) -> list[Row]:
        return await self.pool.fetch(
            """
            SELECT chat_id, message_id, outcome, coalesce(language, $2) AS language
              FROM notices LEFT JOIN users ON users.user_id = notices.chat_id
             WHERE starts_with(key, $1)
            """,
            receipt_news.told_to_operators(receipt.receipt_id),
            DEFAULT_LANGUAGE,
        )

    async def _show(self, receipt: Receipt, message: Row) -> bool:
        card = Card(chat_id=ChatId(message["chat_id"]), message_id=MessageId(message["message_id"]))
        media = Media(kind=MediaKind(receipt.file.kind), source=receipt.file.file_id, name="")
        caption = receipt_news.decided_text(self.texts.speaker(message["language"]), receipt)
        try:
            await self.messenger.edit_media(card, media, caption, ())
        except (Transient, OutcomeUnknown, Unauthorized):
            return False
        except PhotomatError as error:
            log.info("RECEIPT_NOT_SHOWN", receipt_id=receipt.receipt_id, error=str(error))
        return True

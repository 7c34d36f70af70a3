"""Keeps the operators' messages about receipts in step with the rows: at least once, because an edit can be repeated.

Operators are reminded of a receipt that waits; a decided one loses its buttons on every message about it, found by the
message id stored with its notice. An edit that is lost is harmless: the decision is in the row, and a button pressed too late
is answered with it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Final

from photomat.db.pool import Pool, transaction
from photomat.db.rows import Row
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.ids import ChatId, MessageId
from photomat.kernel.logs import get_logger
from photomat.messages.outbox import Ending, MessageKind, PutBack, RetryPolicy
from photomat.payments.receipt import (
    CLAIM_DUE,
    REMIND_AFTER,
    Receipt,
    ReceiptState,
    duplicates_of,
    next_due,
    receipt_of,
)
from photomat.payments.receipt_notices import decided_text, notify_operators, operators_key
from photomat.telegram.port import Card, Media, MediaKind, Messenger, Unauthorized
from photomat.texts.load import Texts
from photomat.users.user import DEFAULT_LANGUAGE

LEASE: Final = timedelta(seconds=90)
MAX_TRIES: Final = 12
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptReminder(MessageKind[Receipt]):
    pool: Pool
    messenger: Messenger
    texts: Texts
    operators: Collection[ChatId]

    DUE: ClassVar = "SELECT 1 FROM receipts WHERE due_at <= photomat_now()"
    CLAIM: ClassVar = CLAIM_DUE
    RETRIES: ClassVar = RetryPolicy(pause_s=backoff_s, most_attempts=MAX_TRIES)

    @property
    def claim_arguments(self) -> tuple[object, ...]:
        return (LEASE,)

    def read(self, row: Row) -> Receipt:
        return receipt_of(row)

    async def send(self, message: Receipt) -> None:
        """Show a decision on every message about the receipt; a reminder is a notice, which `record` writes."""
        if message.state is ReceiptState.WAITING:
            return
        copies = await self._messages(message)
        shown = [await self._show(message, copy) for copy in copies if copy["message_id"] is not None]
        if not all(shown) or any(copy["outcome"] is None for copy in copies):
            raise Transient("a message about the receipt is on its way, or could not be edited now")

    async def put_back(self, message: Receipt, again: PutBack) -> None:
        async with transaction(self.pool) as tx:
            await next_due(tx, message, after=again.after)

    async def record(self, message: Receipt, ending: Ending) -> None:  # noqa: ARG002  a decision that cannot be shown is left
        if message.state is ReceiptState.WAITING:
            await self._remind(message)
        else:
            async with transaction(self.pool) as tx:
                await next_due(tx, message, after=None)

    async def _remind(self, receipt: Receipt) -> None:
        async with transaction(self.pool) as tx:
            duplicates = await duplicates_of(tx, receipt)
            which = f"reminder {receipt.attempts}"
            await notify_operators(tx, receipt, duplicates, operators=self.operators, which=which)
            await next_due(tx, receipt, after=REMIND_AFTER)
        log.info("RECEIPT_REMINDED", receipt_id=receipt.receipt_id, reminder=receipt.attempts)

    async def _messages(self, receipt: Receipt) -> list[Row]:
        return await self.pool.fetch(
            """
            SELECT chat_id, message_id, outcome, coalesce(language, $2) AS language
              FROM notices LEFT JOIN users ON users.user_id = notices.chat_id
             WHERE starts_with(key, $1)
            """,
            operators_key(receipt.receipt_id),
            DEFAULT_LANGUAGE,
        )

    async def _show(self, receipt: Receipt, message: Row) -> bool:
        """Edit one message; False when it has to be tried again."""
        card = Card(chat_id=ChatId(message["chat_id"]), message_id=MessageId(message["message_id"]))
        media = Media(kind=MediaKind(receipt.file.kind), source=receipt.file.file_id, name="")
        caption = decided_text(self.texts.speaker(message["language"]), receipt)
        try:
            await self.messenger.edit_media(card, media, caption, ())
        except (Transient, OutcomeUnknown, Unauthorized):  # an edit can be repeated, also when its answer was lost
            return False
        except PhotomatError as error:
            log.info("RECEIPT_NOT_SHOWN", receipt_id=receipt.receipt_id, error=str(error))
        return True

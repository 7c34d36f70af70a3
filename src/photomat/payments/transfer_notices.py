"""What is said about receipts: to every operator, with the file and the buttons that decide; to the user, of a declined one.

What is done about receipts by itself: operators are reminded of a waiting one, a decided one loses its buttons everywhere.

A message is edited by the id its notice kept, as often as it takes. An edit that is lost, or a message that is gone, is
harmless: the decision is in the row, and a button pressed too late is answered with it. A message still on its way is
waited for.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from typing import Final, TypeAlias

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.ids import ChatId, MessageId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.messages.notices import TO_BALANCE, NoticeButton, NoticeFile, tell
from photomat.payments import transfers
from photomat.payments.transfers import Receipt, ReceiptState, Twin
from photomat.telegram import callback_data
from photomat.telegram.port import Card, Media, MediaKind, Messenger, Unauthorized
from photomat.texts.load import Say, Texts
from photomat.users.user import DEFAULT_LANGUAGE

Words: TypeAlias = dict[str, str | int | Money]
SHOWN_NOTE: Final = 200
"""A caption has 1024 characters; what a user wrote gets a fair part of them."""
REASONS: Final = ("not-arrived", "other-sum", "unreadable", "repeated")
"""The usual reasons to decline: known by name, so that everybody reads them in their own language."""
RECEIPTS_DUE: Final = "SELECT 1 FROM receipts WHERE due_at <= photomat_now()"
LEASE: Final = timedelta(seconds=90)
MOST_TRIES: Final = 12
log = get_logger()


def told_to_operators(receipt_id: int) -> str:
    """How the keys of all messages to operators about a receipt begin."""
    return f"receipt:{receipt_id}:to:"


async def tell_operators(
    tx: Transaction, receipt: Receipt, twins: Sequence[Twin], *, operators: Collection[ChatId], which: str
) -> None:
    """Show a receipt to every operator; `which` names the occasion, and each is told once of it."""
    for operator in sorted(operators):
        await tell(
            tx,
            key=f"{told_to_operators(receipt.receipt_id)}{operator}:{which}",
            chat_id=operator,
            text_key="receipt-card-flagged" if twins else "receipt-card",
            facts=card_facts(receipt, twins),
            buttons=_buttons(receipt, flagged=bool(twins)),
            file=NoticeFile(kind=receipt.file.kind, file_id=receipt.file.file_id),
        )


async def tell_declined(tx: Transaction, receipt: Receipt) -> None:
    """Tell the user that nothing was credited, why, and what to do."""
    await tell(
        tx,
        key=f"receipt:{receipt.receipt_id}:declined",
        chat_id=ChatId(receipt.user_id),
        text_key="transfer-declined",
        facts={"amount": receipt.amount, "code": receipt.code, "reason": escape(receipt.reason or "")},
        buttons=[
            [NoticeButton(text_key="transfer-again", data=callback_data.send_receipt(receipt.topup_id))],
            [TO_BALANCE],
        ],
    )


def card_facts(receipt: Receipt, twins: Sequence[Twin]) -> Words:
    """What an operator's message about a waiting receipt says."""
    return _facts(receipt) | (_flags(receipt, twins) if twins else {})


def decided_text(say: Say, receipt: Receipt) -> str:
    """What an operator's message says once its receipt is decided."""
    facts: Words = {
        **_facts(receipt),
        "by": escape(receipt.decided_by or ""),
        "when": f"{receipt.decided_at:%d.%m %H:%M}" if receipt.decided_at else "",
    }
    if receipt.credited is not None:
        return say("receipt-card-approved", credited=receipt.credited, **facts)
    return say("receipt-card-declined", reason=escape(receipt.reason or ""), **facts)


def who(receipt: Receipt) -> str:
    """Who sent it, fit for HTML."""
    names = [escape(receipt.first_name), f"@{escape(receipt.username)}" if receipt.username else ""]
    return " ".join([name for name in names if name] + [f"<code>{receipt.user_id}</code>"])


def _facts(receipt: Receipt) -> Words:
    note = cut(receipt.note, SHOWN_NOTE)
    return {
        "number": receipt.receipt_id,
        "amount": receipt.amount,
        "who": who(receipt),
        "code": receipt.code,
        "note": escape(note) or "—",
        "sent": f"{receipt.created_at:%d.%m %H:%M}",
    }


def _flags(receipt: Receipt, twins: Sequence[Twin]) -> Words:
    first = twins[0]
    same = "both" if first.same_file and first.same_note else "file" if first.same_file else "note"
    return {
        "same": same,
        "twin": first.receipt_id,
        "twin_user": str(first.user_id),
        "twin_whose": "own" if first.user_id == receipt.user_id else "other",
        "twin_state": str(first.state),
        "twin_when": f"{first.created_at:%d.%m %H:%M}",
        "more": len(twins) - 1,
    }


def _buttons(receipt: Receipt, *, flagged: bool) -> list[list[NoticeButton]]:
    number = receipt.receipt_id
    approve = NoticeButton(
        text_key="receipt-approve-flagged" if flagged else "receipt-approve",
        data=callback_data.approve_receipt(number),
        facts={"amount": receipt.amount},
    )
    return [
        [approve],
        [
            NoticeButton(text_key="receipt-other-sum", data=callback_data.approve_another_sum(number)),
            NoticeButton(text_key="receipt-decline", data=callback_data.decline_receipt(number)),
        ],
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptDesk:
    """Keeps the operators' messages about receipts in step with the rows."""

    pool: Pool
    messenger: Messenger
    texts: Texts
    operators: Collection[ChatId]

    async def claim(self, limit: int) -> list[Receipt]:
        """Take the receipts that are due."""
        return await transfers.claim_due(self.pool, limit=limit, lease=LEASE)

    async def work(self, receipt: Receipt) -> None:
        """Remind, or take the buttons away."""
        if receipt.state is ReceiptState.WAITING:
            await self._remind(receipt)
        else:
            again = not await self._mark(receipt) and receipt.tries < MOST_TRIES
            pause = timedelta(seconds=backoff_s(receipt.tries - 1)) if again else None
            await transfers.next_due(self.pool, receipt, after=pause)

    async def _remind(self, receipt: Receipt) -> None:
        async with transaction(self.pool) as tx:
            twins = await transfers.twins_of(tx, receipt)
            which = f"reminder {receipt.tries}"
            await tell_operators(tx, receipt, twins, operators=self.operators, which=which)
            await transfers.next_due(tx, receipt, after=transfers.REMIND_AFTER)
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
            told_to_operators(receipt.receipt_id),
            DEFAULT_LANGUAGE,
        )

    async def _show(self, receipt: Receipt, message: Row) -> bool:
        card = Card(chat_id=ChatId(message["chat_id"]), message_id=MessageId(message["message_id"]))
        media = Media(kind=MediaKind(receipt.file.kind), source=receipt.file.file_id, name="")
        caption = decided_text(self.texts.speaker(message["language"]), receipt)
        try:
            await self.messenger.edit_media(card, media, caption, ())
        except (Transient, OutcomeUnknown, Unauthorized):
            return False
        except PhotomatError as error:
            log.info("RECEIPT_NOT_SHOWN", receipt_id=receipt.receipt_id, error=str(error))
        return True

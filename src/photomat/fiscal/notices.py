"""Notices to a payer about the fiscal receipt of a payment: issued, annulled."""

from photomat.db.pool import Transaction
from photomat.fiscal.receipt import FiscalReceipt
from photomat.kernel.ids import ChatId
from photomat.messages.notices import NoticeButton, notify


async def notify_issued(tx: Transaction, income: FiscalReceipt, *, url: str | None) -> None:
    """Hand over the receipt; one without a page of its own is sent by its issuer (YooKassa, by e-mail)."""
    if url is None:
        return
    await notify(
        tx,
        key=f"fiscal:{income.fiscal_id}",
        chat_id=ChatId(income.user_id),
        text_key="fiscal-notice-rest" if income.round else "fiscal-notice-issued",
        facts={"amount": income.amount},
        buttons=[[NoticeButton(text_key="fiscal-open-receipt", url=url)]],
    )


async def notify_annulled(tx: Transaction, income: FiscalReceipt, annulment: FiscalReceipt) -> None:
    if income.url is None:
        return
    await notify(
        tx,
        key=f"fiscal:{annulment.fiscal_id}",
        chat_id=ChatId(income.user_id),
        text_key="fiscal-notice-annulled-part" if annulment.amount < income.amount else "fiscal-notice-annulled",
        facts={"amount": income.amount, "refunded": annulment.amount},
        buttons=[[NoticeButton(text_key="fiscal-open-receipt", url=income.url)]],
    )


async def notify_registered(tx: Transaction, receipt: FiscalReceipt, *, url: str | None) -> None:
    """A payment provider registered a receipt: of the payment, or of its refund."""
    if receipt.kind == "income":
        await notify_issued(tx, receipt, url=url)
    elif url is not None:
        await notify(
            tx,
            key=f"fiscal:{receipt.fiscal_id}",
            chat_id=ChatId(receipt.user_id),
            text_key="fiscal-notice-refund",
            facts={"amount": receipt.amount},
            buttons=[[NoticeButton(text_key="fiscal-open-receipt", url=url)]],
        )

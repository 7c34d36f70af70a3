"""What an operator may do with fiscal receipts: try again, issue what has none, settle by hand, call off."""

from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlsplit

from photomat.db.pool import Pool, Transaction
from photomat.fiscal import decisions
from photomat.fiscal.receipt import FiscalReceipt
from photomat.operators.actions import ActionResult, journaled
from photomat.texts.sentence import Sentence

MAX_NUMBER_LENGTH: Final = 100
MAX_URL_LENGTH: Final = 500


async def retry_fiscal(pool: Pool, fiscal_id: int, *, operator: str, reason: str) -> ActionResult:
    """Try an open one now: what is wanted is sent, what is unknown is looked up first."""

    async def act(tx: Transaction, receipt: FiscalReceipt) -> ActionResult:
        done = await decisions.try_now(tx, receipt.fiscal_id)
        return ActionResult(
            done=done, says=Sentence("fiscal-retried" if done else "fiscal-not-open", **_facts(receipt))
        )

    return await _decided(pool, fiscal_id, act, "retry fiscal receipt", operator=operator, reason=reason)


async def issue_fiscal(pool: Pool, fiscal_id: int, *, operator: str, reason: str) -> ActionResult:
    """Issue one that was left without a receipt, or was blocked."""

    async def act(tx: Transaction, receipt: FiscalReceipt) -> ActionResult:
        done = await decisions.want_again(tx, receipt.fiscal_id)
        return ActionResult(
            done=done, says=Sentence("fiscal-wanted-again" if done else "fiscal-not-waiting", **_facts(receipt))
        )

    return await _decided(pool, fiscal_id, act, "issue fiscal receipt", operator=operator, reason=reason)


async def settle_fiscal(
    pool: Pool, fiscal_id: int, *, number: str | None, url: str | None, operator: str, reason: str
) -> ActionResult:
    """It was issued or annulled by hand: keep its number and the URL where the customer sees it."""

    async def act(tx: Transaction, receipt: FiscalReceipt) -> ActionResult:
        if receipt.kind == "income" and not number:
            return ActionResult(done=False, says=Sentence("fiscal-number-needed", **_facts(receipt)))
        if (number and len(number) > MAX_NUMBER_LENGTH) or (url and not _is_link(url)):
            return ActionResult(done=False, says=Sentence("fiscal-link-refused", **_facts(receipt)))
        if number and await decisions.is_number_used(tx, receipt, number):
            return ActionResult(done=False, says=Sentence("fiscal-number-used", **_facts(receipt)))
        done = await decisions.settle_by_hand(tx, receipt, number=number, url=url)
        return ActionResult(
            done=done, says=Sentence("fiscal-settled" if done else "fiscal-ended-before", **_facts(receipt))
        )

    return await _decided(pool, fiscal_id, act, "settle fiscal receipt", operator=operator, reason=reason)


async def drop_fiscal(pool: Pool, fiscal_id: int, *, operator: str, reason: str) -> ActionResult:
    """No receipt is needed; refused once one may exist."""

    async def act(tx: Transaction, receipt: FiscalReceipt) -> ActionResult:
        done = await decisions.set_unneeded(tx, receipt.fiscal_id)
        return ActionResult(
            done=done, says=Sentence("fiscal-dropped" if done else "fiscal-may-exist", **_facts(receipt))
        )

    return await _decided(pool, fiscal_id, act, "drop fiscal receipt", operator=operator, reason=reason)


async def _decided(
    pool: Pool,
    fiscal_id: int,
    act: Callable[[Transaction, FiscalReceipt], Awaitable[ActionResult]],
    action: str,
    *,
    operator: str,
    reason: str,
) -> ActionResult:
    user_id, reference = await decisions.whose(pool, fiscal_id)

    async def attempt(tx: Transaction) -> ActionResult:
        receipt = await decisions.lock_fiscal(tx, fiscal_id)
        if receipt is None:
            return ActionResult(done=False, says=Sentence("fiscal-no-such", fiscal=fiscal_id))
        return await act(tx, receipt)

    return await journaled(
        pool,
        attempt,
        action=action,
        operator=operator,
        reason=reason,
        user_id=user_id,
        reference=reference,
    )


def _facts(receipt: FiscalReceipt) -> dict[str, str | int]:
    return {"fiscal": receipt.fiscal_id, "reference": receipt.reference}


def _is_link(url: str) -> bool:
    parts = urlsplit(url)
    return len(url) <= MAX_URL_LENGTH and parts.scheme in {"http", "https"} and bool(parts.hostname)

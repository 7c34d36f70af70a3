"""What an operator may do with money: wallets, refunds, corrections, differences, promo codes, receipts of transfers.

Postings happen once per reference: repeated with the same reference nothing changes, and the answer says so. What the ledger
or `payments.transfers` refuses is answered with the reason. An action and its row in the journal are one transaction, refusals
too. Chat and terminal decide receipts by these same functions.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, cast

from photomat.audit import differences
from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs.refunds import refund_job_charge
from photomat.kernel.errors import Corrupt, NotEnough, PhotomatError, Rejected
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.operators import actions
from photomat.operators.actions import ActionResult, journaled
from photomat.payments import transfers
from photomat.payments.payment import Payment, find_payment
from photomat.payments.refunds import ask_refund, refunded_so_far
from photomat.payments.transfers import DecisionResult
from photomat.rewards.promo import PromoCode, add_code, normalize_code, stop_code
from photomat.texts.sentence import Sentence
from photomat.wallet import ledger, refunds

MAX_MINOR: Final = 10**12
BEFORE: Final = Sentence("money-done-before")
OF_A_PAYMENT: Final = "correct-of-payment"
OWNED: Final[Mapping[str, str]] = {
    "topup": OF_A_PAYMENT,
    "subscription": OF_A_PAYMENT,
    "payment-refund": OF_A_PAYMENT,
    "bonus": "correct-of-bonus",
    "referral": "correct-of-referral",
    "promo": "correct-of-promo",
    "gift": "correct-of-gift",
}
"""Postings that belong to a row of another table, by their reason: reversed, they would be given back or taken twice."""
NO_WAY_BACK: Final = frozenset({"transfer", "cryptopay"})
"""Payments that only a person can give back."""
log = get_logger()


async def credit_user(
    pool: Pool, user_id: UserId, minor: int, *, reference: str, operator: str, reason: str
) -> ActionResult:
    """Put money into a wallet, paying debt first."""

    async def act(tx: Transaction) -> ActionResult:
        amount = await _amount(tx, user_id, minor)
        is_new = await ledger.credit(tx, user_id=user_id, amount=amount, reference=reference, reason="operator")
        return await _done_or_before(tx, user_id, Sentence("money-credited", amount=amount), is_new=is_new)

    return await _with_money(pool, act, "credit", reference, operator=operator, reason=reason, user_id=user_id)


async def debit_user(
    pool: Pool, user_id: UserId, minor: int, *, reference: str, operator: str, reason: str
) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        amount = await _amount(tx, user_id, minor)
        is_new = await ledger.debit(tx, user_id=user_id, amount=amount, reference=reference, reason="operator")
        return await _done_or_before(tx, user_id, Sentence("money-debited", amount=amount), is_new=is_new)

    return await _with_money(pool, act, "debit", reference, operator=operator, reason=reason, user_id=user_id)


async def refund_job(
    pool: Pool, job_id: JobId, minor: int | None, *, reference: str, operator: str, reason: str
) -> ActionResult:
    """Give back what a job was charged, a part or all that is left of it."""
    owner = await pool.fetchrow("SELECT user_id, currency FROM generation_jobs WHERE job_id = $1", job_id)

    async def act(tx: Transaction) -> ActionResult:
        if owner is None:
            return ActionResult(done=False, says=actions.NO_SUCH_JOB)
        amount = None if minor is None else Money(_sane(minor), owner["currency"])
        refund = await refund_job_charge(tx, job_id=job_id, amount=amount, reference=reference, by=operator)
        done = Sentence("money-refunded", amount=refund.amount, job=job_id)
        return await _done_or_before(tx, refund.user_id, done, is_new=refund.is_new)

    user_id = UserId(owner["user_id"]) if owner else None
    return await _with_money(
        pool, act, "refund", reference, operator=operator, reason=reason, user_id=user_id, job_id=job_id
    )


async def correct_move(pool: Pool, of: str, *, operator: str, reason: str) -> ActionResult:
    """Reverse what an operator posted, or the welcome; what was spent of it becomes debt."""
    reference = f"correction:{of}"

    async def act(tx: Transaction) -> ActionResult:
        owned = OWNED.get(await tx.fetchval("SELECT reason FROM ledger_transactions WHERE reference = $1", of))
        if owned is not None:
            return ActionResult(done=False, says=Sentence(owned, reference=of))
        is_new = await refunds.correct(tx, of=of, reference=reference)
        reversed_now = Sentence("money-reversed", reference=of, by=reference)
        return ActionResult(done=True, says=reversed_now if is_new else BEFORE)

    return await _with_money(pool, act, "correct", reference, operator=operator, reason=reason)


async def own_difference(
    pool: Pool, difference_id: int, *, owner: str, operator: str, reason: str | None
) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        given = await differences.assign(tx, difference_id, owner=owner)
        return _of_difference(Sentence("difference-owned", difference=difference_id, owner=owner), found=given)

    return await journaled(pool, act, action="own difference", operator=operator, reason=reason)


async def resolve_difference(pool: Pool, difference_id: int, *, operator: str, reason: str) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        resolved = await differences.resolve(tx, difference_id, resolution=reason)
        return _of_difference(Sentence("difference-resolved", difference=difference_id), found=resolved)

    return await journaled(pool, act, action="resolve difference", operator=operator, reason=reason)


async def _with_money(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[ActionResult]],
    action: str,
    reference: str,
    *,
    operator: str,
    reason: str,
    user_id: UserId | None = None,
    job_id: JobId | None = None,
) -> ActionResult:
    async def attempt(tx: Transaction) -> ActionResult:
        try:
            async with tx.transaction():
                return await act(tx)
        except (Rejected, Corrupt) as error:
            return ActionResult(done=False, says=_why_not(error))

    return await journaled(
        pool,
        attempt,
        action=action,
        operator=operator,
        reason=reason,
        user_id=user_id,
        job_id=job_id,
        reference=reference,
    )


async def _amount(tx: Transaction, user_id: UserId, minor: int) -> Money:
    wallet = await ledger.balance(tx, user_id=user_id)
    return Money(_sane(minor), wallet.currency)


def _sane(minor: int) -> int:
    if not 0 < minor <= MAX_MINOR:
        raise Corrupt(f"{minor} is not an amount an operator moves")
    return minor


async def _done_or_before(tx: Transaction, user_id: UserId, done: Sentence, *, is_new: bool) -> ActionResult:
    wallet = await ledger.balance(tx, user_id=user_id)
    now = Sentence("money-now", done=done, user=user_id, available=wallet.available)
    if wallet.owed.minor:
        now = Sentence("money-now-owing", done=done, user=user_id, available=wallet.available, owed=wallet.owed)
    return ActionResult(done=True, says=now if is_new else BEFORE)


def _why_not(error: PhotomatError) -> Sentence:
    match error:
        case NotEnough():
            return Sentence("money-not-enough", available=error.available, asked=error.price)
        case Rejected(text_key="gives-back-too-much"):
            return Sentence(
                "money-too-much", rest=cast("Money", error.facts["rest"]), reference=str(error.facts["reference"])
            )
        case Rejected(text_key="not-charged"):
            return Sentence("money-not-charged")
        case Rejected(text_key="no-such-move"):
            return Sentence("money-no-such-move", reference=str(error.facts["reference"]))
        case Rejected(text_key="cannot-be-corrected"):
            return Sentence("money-not-reversible", reference=str(error.facts["reference"]))
        case _:
            return Sentence("action-refused", why=str(error))


def _of_difference(done: Sentence, *, found: bool) -> ActionResult:
    return ActionResult(done=found, says=done if found else Sentence("difference-none"))


async def refund_payment(
    pool: Pool, payment_id: int, *, owing: bool, by_hand: bool, operator: str, reason: str
) -> ActionResult:
    """Refund all that is left of a payment. `owing`: spent money becomes debt. `by_hand`: it was given back already."""
    payment = await find_payment(pool, payment_id)

    async def act(tx: Transaction) -> ActionResult:
        if payment is None:
            return ActionResult(done=False, says=Sentence("payment-none"))
        if payment.provider in NO_WAY_BACK and not by_hand:
            says = Sentence("payment-by-hand", provider=payment.provider, amount=payment.paid)
            return ActionResult(done=False, says=says)
        return await _refund(tx, payment, owing=owing, by_hand=by_hand, operator=operator)

    return await journaled(
        pool,
        act,
        action="refund payment",
        operator=operator,
        reason=reason,
        user_id=payment.user_id if payment else None,
        reference=payment.reference if payment else None,
    )


async def _refund(tx: Transaction, payment: Payment, *, owing: bool, by_hand: bool, operator: str) -> ActionResult:
    before = await refunded_so_far(tx, payment)
    rest = Money(payment.credit.minor - before.credit, payment.credit.currency)
    try:
        async with tx.transaction():
            refund_id = await ask_refund(
                tx, payment_id=payment.payment_id, asked_by=operator, owing=owing, by_hand=by_hand
            )
    except NotEnough as error:
        return ActionResult(done=False, says=Sentence("payment-spent", available=error.available, asked=error.price))
    except Rejected as error:
        without = Sentence("payment-without-contact", provider=payment.provider, amount=rest)
        is_without = error.text_key == "payment-without-contact"
        return ActionResult(done=False, says=without if is_without else Sentence("action-refused", why=str(error)))
    if rest.minor <= 0:
        return ActionResult(done=True, says=Sentence("payment-refunded-before", refund=refund_id))
    wallet = await ledger.balance(tx, user_id=payment.user_id)
    how = "hand" if by_hand else "provider"
    says = Sentence("payment-goes-back", amount=rest, how=how, provider=payment.provider, refund=refund_id)
    return ActionResult(
        done=True, says=Sentence("payment-owed", done=says, owed=wallet.owed) if wallet.owed.minor else says
    )


async def create_promo(pool: Pool, promo: PromoCode, *, operator: str, reason: str) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        if normalize_code(promo.code) != promo.code:
            return ActionResult(done=False, says=Sentence("promo-how-written"))
        if promo.amount is not None and not 0 < promo.amount <= MAX_MINOR:
            return ActionResult(done=False, says=Sentence("promo-no-sum"))
        if not await add_code(tx, promo, operator=operator, reason=reason):
            return ActionResult(done=False, says=Sentence("promo-exists", code=promo.code))
        return ActionResult(done=True, says=Sentence("promo-created", code=promo.code, gives=promo_in_words(promo)))

    reference = f"promo:{promo.code}"
    return await journaled(pool, act, action="promo", operator=operator, reason=reason, reference=reference)


async def stop_promo(pool: Pool, written: str, *, operator: str, reason: str) -> ActionResult:
    """Stop a code; what it gave before stays given."""
    code = normalize_code(written)

    async def act(tx: Transaction) -> ActionResult:
        stopped = await stop_code(tx, code)
        says = Sentence("promo-stopped", code=code) if stopped else Sentence("promo-none-to-stop")
        return ActionResult(done=stopped, says=says)

    return await journaled(
        pool, act, action="stop promo", operator=operator, reason=reason, reference=f"promo:{code or written}"
    )


def promo_in_words(promo: PromoCode) -> Sentence:
    """What a code gives, to whom, how often and until when."""
    money = promo.money or Money(0, promo.currency)
    match promo.kind:
        case "sum":
            gives = Sentence("promo-gives-sum", amount=money)
        case "percent" if promo.money is None:
            gives = Sentence("promo-gives-percent", percent=promo.percent or 0)
        case "percent":
            gives = Sentence("promo-gives-percent-most", percent=promo.percent or 0, most=money)
        case _:
            gives = Sentence("promo-gives-free", count=promo.generations or 0, most=money)
    return Sentence(
        "promo-in-words",
        gives=gives,
        often=Sentence("promo-any-uses") if promo.most_uses is None else Sentence("promo-uses", count=promo.most_uses),
        each=promo.per_user,
        whom="new" if promo.only_new else "all",
        ends="no" if promo.expires_at is None else "yes",
        until="" if promo.expires_at is None else f"{promo.expires_at:%Y-%m-%d %H:%M} UTC",
    )


async def approve_receipt(
    pool: Pool,
    receipt_id: int,
    *,
    operator: str,
    most: Money,
    minor: int | None = None,
    reason: str | None = None,
    anyway: bool = False,
) -> DecisionResult:
    async def act(tx: Transaction) -> DecisionResult:
        return await transfers.approve(
            tx, receipt_id, operator=operator, most=most, minor=minor, reason=reason, anyway=anyway
        )

    return await _decide(pool, act, "approve receipt", receipt_id, operator=operator, reason=reason)


async def decline_receipt(pool: Pool, receipt_id: int, *, operator: str, reason: str) -> DecisionResult:
    on_one_line = " ".join(reason.split())

    async def act(tx: Transaction) -> DecisionResult:
        return await transfers.decline(tx, receipt_id, operator=operator, reason=on_one_line)

    return await _decide(pool, act, "decline receipt", receipt_id, operator=operator, reason=on_one_line)


async def _decide(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[DecisionResult]],
    action: str,
    receipt_id: int,
    *,
    operator: str,
    reason: str | None,
) -> DecisionResult:
    async with transaction(pool) as tx:
        result = await act(tx)
        await actions.write_journal(
            tx,
            operator=operator,
            action=action,
            reason=reason,
            done=result.done,
            outcome=result.says,
            user_id=result.receipt.user_id if result.receipt else None,
            reference=f"receipt:{receipt_id}",
        )
        failpoint("payment.before_commit")
    failpoint("payment.after_commit")
    log.info("RECEIPT_RULED", receipt_id=receipt_id, ruling=result.decision, operator=operator)
    return result

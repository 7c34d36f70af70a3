"""What an operator may do with money: wallets, refunds, corrections, differences, promo codes, receipts of transfers.

Postings happen once per reference: repeated with the same reference nothing changes, and the answer says so. What the ledger
or `payments.transfers` refuses is answered with the reason. An action and its row in the journal are one transaction, refusals
too. Chat and terminal decide receipts by these same functions.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

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
from photomat.wallet import ledger, refunds

MAX_MINOR: Final = 10**12
BEFORE: Final = "It was done before with this reference; nothing was done again."
OF_A_PAYMENT: Final = "is a payment, or goes back to one: `photomat payments refund` it."
OWNED: Final[Mapping[str, str]] = {
    "topup": OF_A_PAYMENT,
    "subscription": OF_A_PAYMENT,
    "payment-refund": OF_A_PAYMENT,
    "bonus": "follows its payment: `photomat payments refund` takes it back, `photomat wallet debit` takes money alone.",
    "referral": "follows the friend's order and payments: `photomat wallet refund` or `photomat payments refund` those,"
    " or `photomat wallet debit` the wallet.",
    "promo": "belongs to the use of a code: `photomat wallet debit` takes it away, `photomat promo stop` ends the code.",
    "gift": "is one side of a gift: its giver takes it back until it is opened, then `photomat wallet debit`"
    " the taker and `photomat wallet credit` the giver.",
}
"""Postings that belong to a row of another table, by their reason: reversed, they would be given back or taken twice."""
NO_WAY_BACK: Final = frozenset({"transfer", "cryptopay"})
"""Payments that only a person can give back."""
HOW_WRITTEN: Final = "A code has 3 to 32 letters (English or Russian), digits, - or _."
log = get_logger()


async def credit_user(
    pool: Pool, user_id: UserId, minor: int, *, reference: str, operator: str, reason: str
) -> ActionResult:
    """Put money into a wallet, paying debt first."""

    async def act(tx: Transaction) -> ActionResult:
        amount = await _amount(tx, user_id, minor)
        is_new = await ledger.credit(tx, user_id=user_id, amount=amount, reference=reference, reason="operator")
        return await _done_or_before(tx, user_id, f"{amount} credited", is_new=is_new)

    return await _with_money(pool, act, "credit", reference, operator=operator, reason=reason, user_id=user_id)


async def debit_user(
    pool: Pool, user_id: UserId, minor: int, *, reference: str, operator: str, reason: str
) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        amount = await _amount(tx, user_id, minor)
        is_new = await ledger.debit(tx, user_id=user_id, amount=amount, reference=reference, reason="operator")
        return await _done_or_before(tx, user_id, f"{amount} debited", is_new=is_new)

    return await _with_money(pool, act, "debit", reference, operator=operator, reason=reason, user_id=user_id)


async def refund_job(
    pool: Pool, job_id: JobId, minor: int | None, *, reference: str, operator: str, reason: str
) -> ActionResult:
    """Give back what a job was charged, a part or all that is left of it."""
    owner = await pool.fetchrow("SELECT user_id, currency FROM generation_jobs WHERE job_id = $1", job_id)

    async def act(tx: Transaction) -> ActionResult:
        if owner is None:
            return ActionResult(done=False, sentence="There is no such job.")
        amount = None if minor is None else Money(_sane(minor), owner["currency"])
        refund = await refund_job_charge(tx, job_id=job_id, amount=amount, reference=reference, by=operator)
        return await _done_or_before(
            tx, refund.user_id, f"{refund.amount} of job {job_id} refunded", is_new=refund.is_new
        )

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
            return ActionResult(done=False, sentence=f"{of} {owned}")
        is_new = await refunds.correct(tx, of=of, reference=reference)
        return ActionResult(done=True, sentence=f"{of} is reversed by {reference}." if is_new else BEFORE)

    return await _with_money(pool, act, "correct", reference, operator=operator, reason=reason)


async def own_difference(
    pool: Pool, difference_id: int, *, owner: str, operator: str, reason: str | None
) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        given = await differences.assign(tx, difference_id, owner=owner)
        return _of_difference(difference_id, f"is {owner}'s now.", found=given)

    return await journaled(pool, act, action="own difference", operator=operator, reason=reason)


async def resolve_difference(pool: Pool, difference_id: int, *, operator: str, reason: str) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        resolved = await differences.resolve(tx, difference_id, resolution=reason)
        return _of_difference(difference_id, "is resolved.", found=resolved)

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
            return ActionResult(done=False, sentence=_why_not(error))

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


async def _done_or_before(tx: Transaction, user_id: UserId, done: str, *, is_new: bool) -> ActionResult:
    wallet = await ledger.balance(tx, user_id=user_id)
    owed = f", {wallet.owed} owed" if wallet.owed.minor else ""
    sentence = f"{done}. User {user_id} has {wallet.available} available{owed}." if is_new else BEFORE
    return ActionResult(done=True, sentence=sentence)


def _why_not(error: PhotomatError) -> str:
    match error:
        case NotEnough():
            return f"Only {error.available} is available, {error.price} was asked for."
        case Rejected(text_key="gives-back-too-much"):
            return f"{error.facts['rest']} is left of {error.facts['reference']}: no more can be given back."
        case Rejected(text_key="not-charged"):
            return "It was never charged: there is nothing to give back."
        case Rejected(text_key="no-such-move"):
            return f"There is no move {error.facts['reference']}; `wallet show` lists their references."
        case Rejected(text_key="cannot-be-corrected"):
            return (
                f"{error.facts['reference']} is a charge (refund its job), gives something back itself, or was given back"
                " before: it cannot be reversed."
            )
        case _:
            return f"Refused: {error}."


def _of_difference(difference_id: int, sentence: str, *, found: bool) -> ActionResult:
    answer = f"Difference {difference_id} {sentence}" if found else "There is no such open difference."
    return ActionResult(done=found, sentence=answer)


async def refund_payment(
    pool: Pool, payment_id: int, *, owing: bool, by_hand: bool, operator: str, reason: str
) -> ActionResult:
    """Refund all that is left of a payment. `owing`: spent money becomes debt. `by_hand`: it was given back already."""
    payment = await find_payment(pool, payment_id)

    async def act(tx: Transaction) -> ActionResult:
        if payment is None:
            return ActionResult(
                done=False, sentence="There is no such payment; `photomat payments list` shows their numbers."
            )
        if payment.provider in NO_WAY_BACK and not by_hand:
            return ActionResult(
                done=False,
                sentence=f"{payment.provider} cannot refund: send {payment.paid} to the payer, then"
                " say so with --by-hand.",
            )
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
        return ActionResult(
            done=False,
            sentence=f"Only {error.available} of {error.price} is left in the wallet; --owing lets the"
            " rest become a debt.",
        )
    except Rejected as error:
        return ActionResult(done=False, sentence=f"Refused: {error}.")
    if rest.minor <= 0:
        return ActionResult(
            done=True, sentence=f"All of it went back before (refund {refund_id}); nothing was done again."
        )
    wallet = await ledger.balance(tx, user_id=payment.user_id)
    owed = f" {wallet.owed} is owed now." if wallet.owed.minor else ""
    what = "is given back" if by_hand else f"left the wallet, {payment.provider} is asked to give it back"
    return ActionResult(done=True, sentence=f"{rest} {what} (refund {refund_id}).{owed}")


async def create_promo(pool: Pool, promo: PromoCode, *, operator: str, reason: str) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        if normalize_code(promo.code) != promo.code:
            return ActionResult(done=False, sentence=HOW_WRITTEN)
        if promo.amount is not None and promo.amount <= 0:
            return ActionResult(done=False, sentence="The sum must be more than nothing.")
        if not await add_code(tx, promo, operator=operator, reason=reason):
            return ActionResult(done=False, sentence=f"There is a code {promo.code} already; a code is never changed.")
        return ActionResult(done=True, sentence=f"{promo.code}: {promo_in_words(promo)}.")

    reference = f"promo:{promo.code}"
    return await journaled(pool, act, action="promo", operator=operator, reason=reason, reference=reference)


async def stop_promo(pool: Pool, written: str, *, operator: str, reason: str) -> ActionResult:
    """Stop a code; what it gave before stays given."""
    code = normalize_code(written)

    async def act(tx: Transaction) -> ActionResult:
        stopped = await stop_code(tx, code)
        sentence = (
            f"{code} is stopped; who has used it keeps what it gave." if stopped else "There is no such code to stop."
        )
        return ActionResult(done=stopped, sentence=sentence)

    return await journaled(
        pool, act, action="stop promo", operator=operator, reason=reason, reference=f"promo:{code or written}"
    )


def promo_in_words(promo: PromoCode) -> str:
    """What a code gives, to whom, how often and until when."""
    match promo.kind:
        case "sum":
            gives = f"{promo.money} at once"
        case "percent":
            most = "" if promo.money is None else f", {promo.money} at most"
            gives = f"{promo.percent} % of the next top-up{most}"
        case _:
            gives = f"{promo.generations} free generations of up to {promo.money} each"
    often = (
        "any number of uses"
        if promo.most_uses is None
        else f"{promo.most_uses} use{'' if promo.most_uses == 1 else 's'}"
    )
    until = "" if promo.expires_at is None else f", until {promo.expires_at:%Y-%m-%d %H:%M} UTC"
    whom = ", new users only" if promo.only_new else ""
    return f"{gives}, {often}, {promo.per_user} per user{whom}{until}"


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
            outcome=result.sentence,
            user_id=result.receipt.user_id if result.receipt else None,
            reference=f"receipt:{receipt_id}",
        )
        failpoint("payment.before_commit")
    failpoint("payment.after_commit")
    log.info("RECEIPT_RULED", receipt_id=receipt_id, ruling=result.decision, operator=operator)
    return result

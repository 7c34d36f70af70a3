"""Credit, debit, hold, charge and release: each happens at most once per reference.

- A repeated call changes nothing. The same reference with other parameters is `Corrupt`, a bug. Whatever is raised, the
  caller rolls its transaction back; only `NotEnough` has written nothing.
- A hold is taken only from what is available, and ends once: charged in full or released. The database decides both, by
  a conditional UPDATE with CHECKs behind it and by a primary key, under READ COMMITTED as under stricter levels.
- Money that comes in, and money that becomes free while its owner owes, pays the debt first.
- Every function locks the wallet's row before it writes, and no row that users share: postings of one user are serialized,
  those of different users never wait for each other. Lock a job before its wallet, and wallets of several users in
  ascending order of user_id (`lock_wallets`).

`jobs` decides when to charge and when to release, `catalog` what something costs. Money that goes back is in `refunds`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from photomat.db.pool import Transaction
from photomat.db.rows import Row
from photomat.kernel.errors import Corrupt, NotEnough
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet import store
from photomat.wallet.postings import (
    Balance,
    Closing,
    CreditReason,
    DebitReason,
    Facts,
    Hold,
    Posting,
    credit_posting,
    debit_posting,
    debt_posting,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobHold:
    """Money set aside for a job, and what became of it; `closed_as` is None while it is held."""

    reference: str
    amount: Money
    held_at: datetime
    closed_as: str | None
    closed_at: datetime | None


async def locked_wallet(tx: Transaction, *, user_id: UserId, amount: Money, reference: str) -> Balance:
    """Lock the wallet until the transaction ends; `Corrupt` if the amount cannot be posted in it."""
    wallet = found(await store.lock_wallet(tx, user_id), user_id)
    if amount.minor <= 0:
        raise Corrupt(f"{reference}: {amount.minor} is not an amount that can be moved")
    if amount.currency != wallet.currency:
        raise Corrupt(f"{reference}: {amount} does not fit the {wallet.currency} wallet of user {user_id}")
    return wallet


async def lock_wallets(tx: Transaction, *user_ids: UserId) -> dict[UserId, Balance]:
    """Lock the wallets of several users in the one order that cannot deadlock."""
    wallets = await store.lock_wallets(tx, user_ids)
    return {user_id: found(wallets.get(user_id), user_id) for user_id in user_ids}


async def book_once(tx: Transaction, posting: Posting) -> bool:
    """Book a posting; False if this very posting was booked before, `Corrupt` if its reference belongs to another one."""
    if await store.book(tx, posting):
        return True
    if await store.read_booked_digest(tx, posting.reference) != posting.digest:
        raise Corrupt(f"{posting.reason} {posting.reference}: this reference was booked before with other parameters")
    return False


def found(wallet: Balance | None, user_id: UserId) -> Balance:
    if wallet is None:
        raise Corrupt(f"user {user_id} has no wallet: no user with this id has written to the bot")
    return wallet


async def open_wallets(
    tx: Transaction, registering: str, values: Sequence[object], *, user_ids: Sequence[UserId], welcome: Money
) -> list[Row]:
    """Create the wallets of new users, each with the welcome as its first credit; a wallet that is new needs no lock.

    `registering` with these values makes their rows, in the same statement, and returns which `is_new`.
    """
    nothing = Money(0, welcome.currency)
    empty = Balance(posted=nothing, held=nothing, owed=nothing)
    welcomes = [
        credit_posting(user_id=user_id, wallet=empty, amount=welcome, reference=f"welcome:{user_id}", reason="welcome")
        for user_id in user_ids
        if welcome.minor
    ]
    return await store.insert_wallets(tx, registering, values, currency=welcome.currency, welcomes=welcomes)


async def balance(tx: Transaction, *, user_id: UserId) -> Balance:
    return found(await store.read_balance(tx, user_id), user_id)


async def credit(
    tx: Transaction,
    *,
    user_id: UserId,
    amount: Money,
    reference: str,
    reason: CreditReason,
    facts: Facts | None = None,
) -> bool:
    """Put money into the wallet, paying debt first; False if this very credit was booked before."""
    wallet = await locked_wallet(tx, user_id=user_id, amount=amount, reference=reference)
    return await book_once(
        tx,
        credit_posting(user_id=user_id, wallet=wallet, amount=amount, reference=reference, reason=reason, facts=facts),
    )


async def debit(
    tx: Transaction,
    *,
    user_id: UserId,
    amount: Money,
    reference: str,
    reason: DebitReason,
    facts: Facts | None = None,
) -> bool:
    """Take available money; `NotEnough` and nothing written if there is less. False if it was taken before."""
    wallet = await locked_wallet(tx, user_id=user_id, amount=amount, reference=reference)
    posting = debit_posting(user_id=user_id, amount=amount, reference=reference, reason=reason, facts=facts)
    if wallet.available < amount and await store.read_booked_digest(tx, reference) is None:
        raise NotEnough(price=amount, available=wallet.available)
    return await book_once(tx, posting)


async def hold(tx: Transaction, *, user_id: UserId, amount: Money, reference: str, job_id: JobId) -> None:
    """Set money aside for a job; `NotEnough` and nothing written if there is less or a debt."""
    wallet = await locked_wallet(tx, user_id=user_id, amount=amount, reference=reference)
    wanted = Hold(reference=reference, user_id=user_id, amount=amount, job_id=job_id)
    if await store.take_holds(tx, [wanted]):
        return
    known = await store.find_hold(tx, reference)
    if known is None:
        raise NotEnough(price=amount, available=wallet.available)
    if known != wanted:
        raise Corrupt(f"hold {reference}: this reference holds {known.amount} of user {known.user_id} already")


async def hold_covered(tx: Transaction, holds: Sequence[Hold]) -> None:
    """Set money aside for new jobs of different users, whose wallets are locked and cover it."""
    taken = await store.take_holds(tx, holds)
    for wanted in holds:
        if wanted.reference not in taken:
            raise Corrupt(
                f"hold {wanted.reference}: the wallet of user {wanted.user_id} was locked and does not cover it"
            )


async def charge(tx: Transaction, *, reference: str) -> bool:
    """Book the held money as income; False if it was charged before."""
    return reference in await charge_all(tx, [reference])


async def charge_all(tx: Transaction, references: Sequence[str]) -> set[str]:
    """Book the money of several holds as income, each under its reference; return those not charged before."""
    holds = await store.lock_holds(tx, references)
    missing = set(references) - {held.reference for held in holds}
    if missing:
        raise Corrupt(f"there is no hold {min(missing)}")
    charged = await store.charge_holds(tx, holds)
    for held in holds:
        if held.reference not in charged:
            await _require_closing(tx, held, "charge")
    return charged


async def release(tx: Transaction, *, reference: str) -> bool:
    """Return the held money to its owner, paying debt first; False if it was released before."""
    held, wallet = await _hold_with_locked_wallet(tx, reference)
    if not await _close(tx, held, "release"):
        return False
    payable = min(wallet.owed.minor, wallet.unheld.minor + held.amount.minor)
    if payable:
        await book_once(
            tx,
            debt_posting(
                user_id=held.user_id, amount=Money(payable, wallet.currency), reference=f"debt:{held.reference}"
            ),
        )
    return True


async def job_of_hold(tx: Transaction, reference: str) -> JobId | None:
    """The job a hold was made for; None when there is no such hold."""
    held = await store.find_hold(tx, reference)
    return None if held is None else held.job_id


async def holds_of_job(tx: Transaction, job_id: JobId) -> list[JobHold]:
    """Every hold of a job, oldest first: that of the purchase, and that of an accepted late result."""
    return [
        JobHold(
            reference=row["reference"],
            amount=Money(row["amount"], row["currency"]),
            held_at=row["held_at"],
            closed_as=row["closed_as"],
            closed_at=row["closed_at"],
        )
        for row in await store.read_holds_of_job(tx, job_id)
    ]


async def _hold_with_locked_wallet(tx: Transaction, reference: str) -> tuple[Hold, Balance]:
    held = await store.find_hold(tx, reference)
    if held is None:
        raise Corrupt(f"there is no hold {reference}")
    return held, found(await store.lock_wallet(tx, held.user_id), held.user_id)


async def _close(tx: Transaction, held: Hold, closed_as: Closing) -> bool:
    if await store.close_hold(tx, held, closed_as):
        return True
    await _require_closing(tx, held, closed_as)
    return False


async def _require_closing(tx: Transaction, held: Hold, closed_as: Closing) -> None:
    before = await store.read_closing(tx, held.reference)
    if before != closed_as:
        raise Corrupt(f"hold {held.reference} cannot end as {closed_as}: it ended as {before}")

"""Payments for tests: offers, money that arrives, and a provider whose answers the test writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import require_row
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import BotId, UserId
from photomat.kernel.money import Money
from photomat.messages.notices import facts_from_json
from photomat.payments.options import PaymentMethod
from photomat.payments.receive import IncomingPayment, ReceivedPayment, receive_payment
from photomat.payments.refunds import ClaimedRefund, RefundCall, Refunder, ask_refund, take_back_reported
from photomat.payments.topup import Topup, open_topup
from photomat.providers.port import FiscalTerms, Invoice, InvoiceTerms, ProviderReport
from photomat.texts.load import load_texts
from photomat.wallet import ledger
from support.money import make_user, rub
from support.updates import BOT_ID

ANNA, BORIS = UserId(42), UserId(43)
PAID_AT = datetime(2026, 3, 1, tzinfo=UTC)


def stars(number: int) -> Money:
    """So many Stars."""
    return Money(number, "XTR")


async def people(pool: Pool, *, balance: int = 0) -> None:
    """Anna and Boris, with so much money each."""
    async with transaction(pool) as tx:
        await make_user(tx, ANNA, balance=balance)
        await make_user(tx, BORIS, balance=balance)


async def offer(
    pool: Pool,
    *,
    asked: Money,
    credit: Money,
    method: PaymentMethod = "stars",
    origin: str = "1:1",
    user_id: UserId = ANNA,
    **more: Any,
) -> Topup:
    """An offer made to somebody."""
    return await open_topup(
        pool, origin=origin, bot_id=BotId(BOT_ID), user_id=user_id, method=method, asked=asked, credit=credit, **more
    )


def arrived(**facts: Any) -> IncomingPayment:
    """250 Stars of Anna's, worth 200 roubles, that no offer explains; or as said."""
    plain = IncomingPayment(
        provider="stars",
        external_id="ch-1",
        user_id=ANNA,
        topup_id=None,
        paid=stars(250),
        worth=rub(20_000),
        paid_at=PAID_AT,
        via="update",
    )
    return replace(plain, **facts)


async def receive(pool: Pool, payment: IncomingPayment) -> ReceivedPayment:
    """Money arrives, in a transaction of its own."""
    async with transaction(pool) as tx:
        return await receive_payment(tx, payment)


async def pays(pool: Pool, **facts: Any) -> ReceivedPayment:
    """Money arrives."""
    return await receive(pool, arrived(**facts))


async def asks_refund(pool: Pool, payment_id: int, *, owing: bool = False, by_hand: bool = False) -> int:
    """An operator wants a payment given back."""
    async with transaction(pool) as tx:
        return await ask_refund(tx, payment_id=payment_id, asked_by="olga", owing=owing, by_hand=by_hand)


async def told_refund(
    pool: Pool, *, refunded: Money | None = None, provider: str = "stars", external_id: str = "ch-1"
) -> int | None:
    """A provider says so much went back in all."""
    async with transaction(pool) as tx:
        return await take_back_reported(tx, provider=provider, external_id=external_id, refunded=refunded, via="test")


async def wallet_of(source: Pool | Transaction, user_id: UserId = ANNA) -> tuple[int, int, int]:
    """What a wallet has, holds and owes."""
    row = await require_row(source, "SELECT posted, held, owed FROM wallets WHERE user_id = $1", user_id)
    return row["posted"], row["held"], row["owed"]


async def spends(pool: Pool, minor: int, *, reference: str = "operator:spent", user_id: UserId = ANNA) -> None:
    """Money leaves the wallet."""
    async with transaction(pool) as tx:
        await ledger.debit(tx, user_id=user_id, amount=rub(minor), reference=reference, reason="operator")


async def told(pool: Pool) -> list[str]:
    """The texts of the notices there are, oldest first."""
    return [row["text_key"] for row in await pool.fetch("SELECT text_key FROM notices ORDER BY notice_id")]


async def last_news(pool: Pool) -> str:
    """What the newest notice says in Russian, with plain spaces."""
    row = await require_row(pool, "SELECT text_key, facts FROM notices ORDER BY notice_id DESC LIMIT 1")
    said = load_texts().say("ru", row["text_key"], **facts_from_json(row["facts"]))
    return said.replace("\N{NO-BREAK SPACE}", " ")


async def refunds_of(pool: Pool) -> list[tuple[str, int, int, str]]:
    """Every refund: its name, what left the wallet, what went back, and how it stands."""
    rows = await pool.fetch("SELECT key, amount, paid_amount, state FROM payment_refunds ORDER BY refund_id")
    return [(row["key"], row["amount"], row["paid_amount"], row["state"]) for row in rows]


async def differences_of(pool: Pool) -> list[tuple[str, str, str, str]]:
    """What differs: kind, reference, expected and found, of those that are open."""
    rows = await pool.fetch(
        "SELECT kind, reference, expected, found FROM differences WHERE resolved_at IS NULL ORDER BY difference_id"
    )
    return [(row["kind"], row["reference"], row["expected"], row["found"]) for row in rows]


@dataclass(slots=True)
class Answers:
    """How a way of giving back answers: what it was asked, and what it raises, next first."""

    asked: list[ClaimedRefund] = field(default_factory=list)
    troubles: list[PhotomatError] = field(default_factory=list)

    async def give_back(self, refund: ClaimedRefund) -> None:
        """Be asked."""
        self.asked.append(refund)
        if self.troubles:
            raise self.troubles.pop(0)


async def refund_all(pool: Pool, give_back: RefundCall, *, provider: str = "stars") -> int:
    """One round of the step of refunds; say how many there were."""
    refunder = Refunder(pool=pool, calls={provider: give_back})
    claimed = await refunder.claim(9)
    for refund in claimed:
        await refunder.refund(refund)
    return len(claimed)


@dataclass(slots=True)
class ScriptedProvider:
    """A provider that says what the test wrote down, and remembers what it was asked."""

    name: str = "yookassa"
    lists_refunds: bool = True
    reports: dict[str, ProviderReport | PhotomatError] = field(default_factory=dict)
    asked: list[InvoiceTerms] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    since: datetime | None = None

    def says(self, external_id: str, **facts: Any) -> ProviderReport:
        """Write down what it says of a bill from now on: not paid, or as said."""
        plain = ProviderReport(
            external_id=external_id, token=None, state="open", paid=rub(0), refunded=rub(0), at=PAID_AT
        )
        report = replace(plain, **facts)
        self.reports[external_id] = report
        return report

    async def create(self, asked: InvoiceTerms) -> Invoice:
        """Make a bill, another one each time."""
        self.asked.append(asked)
        external_id = f"bill-{len(self.asked)}"
        self.says(external_id, token=asked.token)
        return Invoice(external_id=external_id, pay_url=f"https://pay.example/{external_id}")

    async def find(self, external_id: str) -> ProviderReport | None:
        """Read one bill."""
        self.found.append(external_id)
        answer = self.reports.get(external_id)
        if isinstance(answer, PhotomatError):
            raise answer
        return answer

    async def recent(self, since: datetime) -> Sequence[ProviderReport]:
        """Every bill that is paid."""
        self.since = since
        return [one for one in self.reports.values() if isinstance(one, ProviderReport) and one.state == "paid"]

    async def refund(
        self, external_id: str, amount: Money, *, key: str, fiscal: FiscalTerms | None = None
    ) -> str | None:
        """Nobody asks for it here."""
        raise NotImplementedError(external_id, amount, key, fiscal)

    def noticed(self, headers: Mapping[str, str], body: bytes, *, source: str) -> str:
        """Nobody asks for it here."""
        raise NotImplementedError(headers, body, source)


async def bills(pool: Pool) -> list[tuple[str, str, timedelta | None]]:
    """Every bill: its name, how it stands, and in how long it is looked at."""
    rows = await pool.fetch(
        "SELECT external_id, state, look_at - photomat_now() AS wait FROM provider_invoices ORDER BY external_id"
    )
    return [(row["external_id"], row["state"], row["wait"]) for row in rows]

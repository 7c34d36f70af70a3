"""The simulated tax service over real HTTP, our client against it, and the loop `fiscal` step by step."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, timedelta

from photomat.db.pool import Pool
from photomat.fiscal.issuer import FiscalIssuer, FiscalPolicy, FiscalTimes
from photomat.providers.fiscal_port import ReceiptReader, TaxService
from photomat.providers.my_tax import MyTax, TaxAccount, reference_in
from photomat_chaos.lab.load_balancer import serving
from photomat_sandbox.faults import Faults
from photomat_sandbox.pay.my_tax import build_app
from photomat_sandbox.pay.my_tax_world import MyTaxWorld, TaxIncome
from photomat_sandbox.transcript import Transcript
from support.database import shift_clock

INN, PASSWORD = "770000000000", "sandbox"
TAXED = frozenset({"stars", "cryptopay", "transfer"})
TIMES = FiscalTimes(request=timedelta(seconds=2), unknown_delay=timedelta(seconds=60))


@dataclass(slots=True, kw_only=True)
class RunningTax:
    url: str
    world: MyTaxWorld
    faults: Faults
    client: MyTax

    @property
    def incomes(self) -> list[TaxIncome]:
        return list(self.world.incomes.values())

    def per_reference(self) -> Counter[str | None]:
        """How many incomes there are of each of our references."""
        return Counter(reference_in(one.name) for one in self.incomes)


@asynccontextmanager
async def running_tax(*, timeout_s: float = 2.0) -> AsyncIterator[RunningTax]:
    world, faults = MyTaxWorld(inn=INN, password=PASSWORD), Faults()
    async with serving(build_app(world, Transcript(), faults)) as url:
        client = tax_client(url, timeout_s=timeout_s)
        try:
            yield RunningTax(url=url, world=world, faults=faults, client=client)
        finally:
            await client.close()


def tax_client(url: str, *, timeout_s: float = 2.0, password: str = PASSWORD) -> MyTax:
    account = TaxAccount(inn=INN, password=password, device_id="device-1", service_name="Пополнение", zone=UTC)
    return MyTax(base_url=url + "/api/v1", account=account, timeout_s=timeout_s)


def issuer_of(pool: Pool, tax: TaxService | None, *, reader: ReceiptReader | None = None) -> FiscalIssuer:
    readers = {} if reader is None else {"yookassa": reader}
    return FiscalIssuer(pool=pool, policy=FiscalPolicy(readers=readers, tax=tax, taxed=TAXED), times=TIMES)


async def issue_due(issuer: FiscalIssuer) -> int:
    """One round of the loop; say how many were due."""
    claimed = await issuer.claim(50)
    for one in claimed:
        await issuer.issue(one)
    return len(claimed)


async def issue_all(issuer: FiscalIssuer, *, rounds: int = 12, step_s: float = 30.0) -> None:
    """Round after round, with time passing between them, until nothing is open."""
    for _ in range(rounds):
        await issue_due(issuer)
        if not await issuer.pool.fetchval("SELECT count(*) FROM fiscal_receipts WHERE due_at IS NOT NULL"):
            return
        await shift_clock(issuer.pool, step_s)


async def fiscal_rows(pool: Pool) -> list[tuple[str, int, str, int]]:
    """Every row: kind, round, state, amount."""
    rows = await pool.fetch("SELECT kind, round, state, amount FROM fiscal_receipts ORDER BY fiscal_id")
    return [(row["kind"], row["round"], row["state"], row["amount"]) for row in rows]

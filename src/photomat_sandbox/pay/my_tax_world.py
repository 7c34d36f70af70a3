"""The simulated «Мой налог»: accounts, tokens that expire, incomes, annulments, the yearly limit.

It has no idempotency key and accepts the same income twice, as the real one does: a careless client shows in `incomes`. With a
state file its incomes survive a restart.
"""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from photomat_sandbox.pay.bills import iso, to_the_cent
from photomat_sandbox.transcript import World

YEARLY_LIMIT: Final = Decimal(2_400_000)
TOKEN_LIFE_S: Final = 3600.0
UUID_BYTES: Final = 5
INN_LENGTH: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomeRequest:
    """A checked request to register an income."""

    name: str
    amount: Decimal
    operation_at: datetime


@dataclass(slots=True, kw_only=True)
class TaxIncome:
    """A registered income; `cancels` counts the requests that asked to annul it, refused ones included."""

    uuid: str
    name: str
    amount: str
    operation_time: str
    registered_at: float
    cancelled_at: float | None = None
    comment: str = ""
    cancels: int = 0

    def as_line(self, inn: str) -> dict[str, Any]:
        """As `GET /incomes` lists it."""
        cancelled = {"operationTime": iso(self.cancelled_at or 0), "comment": self.comment, "taxPeriodId": 0}
        return {
            "approvedReceiptUuid": self.uuid,
            "name": self.name,
            "services": [{"name": self.name, "quantity": 1, "serviceNumber": 0, "amount": float(self.amount)}],
            "operationTime": self.operation_time,
            "requestTime": iso(self.registered_at),
            "totalAmount": float(self.amount),
            "paymentType": "CASH",
            "inn": inn,
            "cancellationInfo": None if self.cancelled_at is None else cancelled,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPair:
    token: str
    refresh: str
    expires_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxSettings:
    """What a control route may change."""

    yearly_limit: float = float(YEARLY_LIMIT)
    token_life_s: float = TOKEN_LIFE_S


@dataclass(slots=True, kw_only=True)
class MyTaxWorld:
    inn: str = "770000000000"
    password: str = "sandbox"  # noqa: S105  opens nothing but the simulator
    clock: Callable[[], float] = time.time
    state: Path | None = None
    settings: TaxSettings = TaxSettings()
    incomes: dict[str, TaxIncome] = field(default_factory=dict)
    sign_ins: int = 0
    devices: set[str] = field(default_factory=set)
    vendor: World = "my_tax"
    _pairs: list[TokenPair] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.state is not None and self.state.exists():
            for line in self.state.read_text(encoding="utf-8").splitlines():
                income = TaxIncome(**json.loads(line))
                self.incomes[income.uuid] = income

    def sign_in(self, *, username: str, password: str, device: str) -> TokenPair | None:
        if (username, password) != (self.inn, self.password):
            return None
        self.sign_ins += 1
        self.devices.add(device)
        return self._new_pair()

    def refresh(self, token: str) -> TokenPair | None:
        """A new pair; the refresh token works once."""
        known = next((pair for pair in self._pairs if pair.refresh == token), None)
        if known is None:
            return None
        self._pairs.remove(known)
        return self._new_pair()

    def is_valid(self, token: str) -> bool:
        return any(pair.token == token and pair.expires_at > self.clock() for pair in self._pairs)

    def expire_tokens(self, *, refresh: bool = False) -> None:
        """Expire every token; with `refresh` the refresh tokens too."""
        self._pairs = [] if refresh else [replace(pair, expires_at=0.0) for pair in self._pairs]

    def register(self, order: IncomeRequest) -> TaxIncome:
        income = TaxIncome(
            uuid="20" + secrets.token_hex(UUID_BYTES),
            name=order.name,
            amount=to_the_cent(order.amount),
            operation_time=order.operation_at.isoformat(),
            registered_at=self.clock(),
        )
        self.incomes[income.uuid] = income
        self._save(income)
        return income

    def cancel(self, uuid: str, comment: str) -> bool:
        """Annul an income; False if it was annulled before."""
        income = self.incomes[uuid]
        income.cancels += 1
        if income.cancelled_at is not None:
            return False
        income.cancelled_at, income.comment = self.clock(), comment
        self._save(income)
        return True

    def exceeds_limit(self, amount: Decimal) -> bool:
        total = sum((Decimal(one.amount) for one in self.incomes.values() if one.cancelled_at is None), Decimal(0))
        return total + amount > Decimal(str(self.settings.yearly_limit))

    def page(self, *, since: datetime, until: datetime, offset: int, limit: int) -> list[TaxIncome]:
        """The incomes of a period, the newest operation first, annulled ones included."""
        found = [one for one in self.incomes.values() if since <= datetime.fromisoformat(one.operation_time) <= until]
        found.sort(key=lambda one: (datetime.fromisoformat(one.operation_time), one.uuid), reverse=True)
        return found[offset : offset + limit]

    def changed(self, wanted: Mapping[str, Any]) -> None:
        """Change settings; a ValueError explains what is wrong."""
        known = asdict(self.settings)
        for name, value in wanted.items():
            if name not in known or isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"the settings are numbers: {', '.join(known)}")
        self.settings = replace(self.settings, **{name: float(value) for name, value in wanted.items()})

    def _new_pair(self) -> TokenPair:
        pair = TokenPair(
            token=secrets.token_urlsafe(24),
            refresh=secrets.token_urlsafe(24),
            expires_at=self.clock() + self.settings.token_life_s,
        )
        self._pairs.append(pair)
        return pair

    def _save(self, income: TaxIncome) -> None:
        """Append the income as it is now: of several lines the last one counts."""
        if self.state is not None:
            with self.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(income), ensure_ascii=False) + "\n")

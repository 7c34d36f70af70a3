"""Bills as the payment page and the control routes see them, and notices about them to the shop.

A notice is tried until it is answered with HTTP 200 or the retries are used up. A fault for "notice" applies to one
try: `never` loses the notice for good, `reorder` holds it back until the next has gone out, `drop_before` loses one
try, `drop_after` loses the answer to it, `duplicate` sends it twice.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, Literal, Protocol

import aiohttp

from photomat_sandbox.faults import Fault, Faults
from photomat_sandbox.transcript import Transcript, World

BillState = Literal["open", "paid", "canceled"]
KEPT_BILLS: Final = 20_000
KEPT_NOTICES: Final = 4 * KEPT_BILLS
TO_THE_CENT: Final = Decimal("0.01")
TAKEN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """A bill as a customer sees it."""

    bill_id: str
    state: BillState
    amount: Decimal
    currency: str
    paid: Decimal
    refunded: Decimal
    description: str
    return_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentNotice:
    bill_id: str
    event: str
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSettings:
    """Where notices go and how often they are retried; an empty URL sends none."""

    notice_url: str = ""
    notice_retries: int = 20
    notice_retry_after_s: float = 3.0
    notice_timeout_s: float = 10.0

    def changed(self, wanted: Mapping[str, Any]) -> "NoticeSettings":
        """Return the settings with changes applied; a ValueError explains what is wrong."""
        kinds = {field.name: type(getattr(self, field.name)) for field in fields(self)}
        for name, value in wanted.items():
            if name not in kinds:
                raise ValueError(f"{name} is not a setting; the settings are {', '.join(kinds)}")
            if isinstance(value, bool) or not isinstance(value, (int, float) if kinds[name] is float else kinds[name]):
                raise ValueError(f"{name} must be of type {kinds[name].__name__}")  # noqa: TRY004  a sentence for people
        return replace(self, **wanted)


class SimulatedProvider(Protocol):
    """One provider's state. Invalid requests raise a ValueError with a sentence."""

    vendor: World
    allows_partial: bool
    notices: NoticeSettings
    switches: dict[str, bool]
    outbox: asyncio.Queue[PaymentNotice]

    def bill(self, bill_id: str) -> Bill | None: ...

    def bills(self) -> Sequence[Bill]:
        """Return the bills, oldest first."""
        ...

    def pay(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Pay a bill, or only `amount` of it."""
        ...

    def cancel(self, bill_id: str) -> None: ...

    def refund(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Refund as the shop's owner does in the provider's back office."""
        ...

    def notice(self, bill_id: str) -> PaymentNotice:
        """Build the notice of the bill's present state."""
        ...

    def forged(self, notice: PaymentNotice) -> PaymentNotice:
        """Return the same notice as a forger would send it."""
        ...


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_the_cent(amount: Decimal) -> str:
    """Format an amount with two decimals."""
    return str(amount.quantize(TO_THE_CENT))


@dataclass(slots=True, kw_only=True)
class WebhookSender:
    """Takes notices from a provider's outbox and tries each until it is accepted or given up."""

    provider: SimulatedProvider
    transcript: Transcript
    faults: Faults
    session: aiohttp.ClientSession
    group: asyncio.TaskGroup
    _held: deque[PaymentNotice] = field(default_factory=deque)
    _under_way: set[asyncio.Task[object]] = field(default_factory=set)

    async def run(self) -> None:
        """Send what is in the outbox, each notice in its own task, for ever."""
        while True:
            self.start(await self.provider.outbox.get())

    def start(self, notice: PaymentNotice) -> None:
        """Begin to deliver one notice; without a URL there is nothing to do."""
        if self.provider.notices.notice_url:
            self._own(self._deliver(notice))

    def stop(self) -> None:
        for task in list(self._under_way):
            task.cancel()

    async def _deliver(self, notice: PaymentNotice) -> None:
        held = list(self._held)
        for attempt in range(1 + self.provider.notices.notice_retries):
            if attempt:
                await asyncio.sleep(self.provider.notices.notice_retry_after_s)
            fault = self.faults.take(self.provider.vendor, "notice")
            if fault is not None and await self._apply_fault(notice, fault):
                return
            if fault is not None and fault.action == "drop_before":
                continue
            taken = await self._send(notice)
            if taken and not (fault and fault.action == "drop_after"):
                break
        for earlier in held:
            if earlier in self._held:
                self._held.remove(earlier)
                await self._send(earlier)

    async def _apply_fault(self, notice: PaymentNotice, fault: Fault) -> bool:
        """Apply a fault before the bytes leave; True when this notice ends here."""
        self._record("fault", notice, f"{fault.action} strikes a notice of bill {notice.bill_id}")
        match fault.action:
            case "never":
                return True
            case "reorder":
                self._held.append(notice)
                return True
            case "delay":
                await asyncio.sleep(fault.delay_s)
            case "duplicate":
                self._own(self._send(notice))
        return False

    async def _send(self, notice: PaymentNotice) -> bool:
        headers = {"Content-Type": "application/json", **notice.headers}
        try:
            async with (
                asyncio.timeout(self.provider.notices.notice_timeout_s),
                self.session.post(
                    self.provider.notices.notice_url, data=notice.body, headers=headers, allow_redirects=False
                ) as response,
            ):
                status, outcome = response.status, f"HTTP {response.status}"
        except TimeoutError:
            status, outcome = 0, "no answer in time"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            status, outcome = 0, f"no connection ({type(error).__name__})"
        self._record("webhook", notice, f"{notice.event} of bill {notice.bill_id}: {outcome}")
        return status == TAKEN

    def _own(self, work: Coroutine[Any, Any, object]) -> None:
        task = self.group.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def _record(self, kind: Literal["webhook", "fault"], notice: PaymentNotice, summary: str) -> None:
        self.transcript.add(
            world=self.provider.vendor, kind=kind, name="notice", summary=summary, detail={"bill_id": notice.bill_id}
        )

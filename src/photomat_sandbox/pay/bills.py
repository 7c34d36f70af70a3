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
KEPT_LETTERS: Final = 4 * KEPT_BILLS
TO_THE_CENT: Final = Decimal("0.01")
TAKEN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """A bill as a person sees it."""

    bill_id: str
    state: BillState
    amount: Decimal
    currency: str
    paid: Decimal
    refunded: Decimal
    description: str
    return_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One notice, ready to be sent."""

    bill_id: str
    event: str
    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSettings:
    """Where notices go and how stubbornly; an empty address sends none."""

    notice_url: str = ""
    notice_retries: int = 20
    notice_retry_after_s: float = 3.0
    notice_timeout_s: float = 10.0

    def changed(self, wanted: Mapping[str, Any]) -> "NoticeSettings":
        """The same with other values; a ValueError says what is wrong."""
        kinds = {field.name: type(getattr(self, field.name)) for field in fields(self)}
        for name, value in wanted.items():
            if name not in kinds:
                raise ValueError(f"{name} is not a setting; the settings are {', '.join(kinds)}")
            if isinstance(value, bool) or not isinstance(value, (int, float) if kinds[name] is float else kinds[name]):
                raise ValueError(f"{name} must be of type {kinds[name].__name__}")  # noqa: TRY004  a sentence for people
        return replace(self, **wanted)


class Till(Protocol):
    """One provider's state. Orders that make no sense raise a ValueError with a sentence."""

    vendor: World
    takes_part: bool
    notices: NoticeSettings
    switches: dict[str, bool]
    outbox: asyncio.Queue[Letter]

    def bill(self, bill_id: str) -> Bill | None:
        """Find a bill."""
        ...

    def bills(self) -> Sequence[Bill]:
        """Give the bills, oldest first."""
        ...

    def pay(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Pay a bill, or as much of it as is said."""
        ...

    def cancel(self, bill_id: str) -> None:
        """Walk away from a bill."""
        ...

    def refund(self, bill_id: str, amount: Decimal | None = None) -> None:
        """Give money back as the shop's owner does in the provider's cabinet."""
        ...

    def letter(self, bill_id: str) -> Letter:
        """Write the notice that tells how the bill stands now."""
        ...

    def forged(self, letter: Letter) -> Letter:
        """The same as somebody else would send it."""
        ...


def iso(at: float) -> str:
    """Write an instant as both providers do."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_the_cent(amount: Decimal) -> str:
    """Write an amount with two digits behind the point."""
    return str(amount.quantize(TO_THE_CENT))


@dataclass(slots=True, kw_only=True)
class NoticeSender:
    """Takes letters from a till's outbox and sees each through its tries."""

    till: Till
    transcript: Transcript
    faults: Faults
    session: aiohttp.ClientSession
    group: asyncio.TaskGroup
    _held: deque[Letter] = field(default_factory=deque)
    _under_way: set[asyncio.Task[object]] = field(default_factory=set)

    async def run(self) -> None:
        """Send what lies in the outbox, each notice by itself, for ever."""
        while True:
            self.start(await self.till.outbox.get())

    def start(self, letter: Letter) -> None:
        """Begin to deliver one notice; without an address there is nothing to do."""
        if self.till.notices.notice_url:
            self._own(self._deliver(letter))

    def stop(self) -> None:
        """Give up every notice that is under way."""
        for task in list(self._under_way):
            task.cancel()

    async def _deliver(self, letter: Letter) -> None:
        held = list(self._held)
        for attempt in range(1 + self.till.notices.notice_retries):
            if attempt:
                await asyncio.sleep(self.till.notices.notice_retry_after_s)
            fault = self.faults.take(self.till.vendor, "notice")
            if fault is not None and await self._struck(letter, fault):
                return
            if fault is not None and fault.action == "drop_before":
                continue
            taken = await self._send(letter)
            if taken and not (fault and fault.action == "drop_after"):
                break
        for earlier in held:
            if earlier in self._held:
                self._held.remove(earlier)
                await self._send(earlier)

    async def _struck(self, letter: Letter, fault: Fault) -> bool:
        """Carry out what a fault does before the bytes leave; True when this notice ends here."""
        self._tell("fault", letter, f"{fault.action} strikes a notice of bill {letter.bill_id}")
        match fault.action:
            case "never":
                return True
            case "reorder":
                self._held.append(letter)
                return True
            case "delay":
                await asyncio.sleep(fault.delay_s)
            case "duplicate":
                self._own(self._send(letter))
        return False

    async def _send(self, letter: Letter) -> bool:
        headers = {"Content-Type": "application/json", **letter.headers}
        try:
            async with (
                asyncio.timeout(self.till.notices.notice_timeout_s),
                self.session.post(
                    self.till.notices.notice_url, data=letter.body, headers=headers, allow_redirects=False
                ) as response,
            ):
                status, said = response.status, f"HTTP {response.status}"
        except TimeoutError:
            status, said = 0, "no answer in time"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            status, said = 0, f"no connection ({type(error).__name__})"
        self._tell("webhook", letter, f"{letter.event} of bill {letter.bill_id}: {said}")
        return status == TAKEN

    def _own(self, work: Coroutine[Any, Any, object]) -> None:
        task = self.group.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def _tell(self, kind: Literal["webhook", "fault"], letter: Letter, summary: str) -> None:
        self.transcript.add(
            world=self.till.vendor, kind=kind, name="notice", summary=summary, detail={"bill_id": letter.bill_id}
        )

"""Control routes of a payment provider: pay, cancel, refund, send a notice again or a forged one.

A notice is lost, delayed or duplicated by a fault armed for "notice".
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from aiohttp import web

from photomat_sandbox.control import read_object, refusal
from photomat_sandbox.pay.bills import Bill, PaymentNotice, SimulatedProvider, to_the_cent

MAX_NOTICES: Final = 100
LISTED_BILLS: Final = 500


@dataclass(slots=True, kw_only=True)
class ProviderControl:
    """The handlers under /sandbox/; `send` is set when the application starts."""

    provider: SimulatedProvider
    send: Callable[[PaymentNotice], None] | None = None

    def add_routes(self, app: web.Application) -> None:
        app.router.add_get("/sandbox/bills", self.list_bills)
        app.router.add_get("/sandbox/bills/{bill_id}", self.show_bill)
        app.router.add_post("/sandbox/bills/{bill_id}/pay", self.pay)
        app.router.add_post("/sandbox/bills/{bill_id}/cancel", self.cancel)
        app.router.add_post("/sandbox/bills/{bill_id}/refund", self.refund)
        app.router.add_post("/sandbox/bills/{bill_id}/notice", self.send_notice)
        app.router.add_get("/sandbox/settings", self.show_settings)
        app.router.add_post("/sandbox/settings", self.change_settings)

    async def list_bills(self, _request: web.Request) -> web.Response:
        """Show the latest bills, oldest first."""
        return web.json_response({"bills": [shown(bill) for bill in list(self.provider.bills())[-LISTED_BILLS:]]})

    async def show_bill(self, request: web.Request) -> web.Response:
        return web.json_response(shown(self._bill(request)))

    async def pay(self, request: web.Request) -> web.Response:
        """Pay a bill; `amount` pays another sum than the bill's, where the provider supports it."""
        return await self._moved(request, self.provider.pay)

    async def refund(self, request: web.Request) -> web.Response:
        """Refund `amount`, or all that is left."""
        return await self._moved(request, self.provider.refund)

    async def cancel(self, request: web.Request) -> web.Response:
        bill = self._bill(request)
        _ordered(lambda: self.provider.cancel(bill.bill_id))
        return await self.show_bill(request)

    async def send_notice(self, request: web.Request) -> web.Response:
        """Send a notice of a bill now: `times`, `forged`, and `source`, an IP address a proxy would name as the sender."""
        bill, order = self._bill(request), await read_object(request)
        times, source = order.get("times", 1), order.get("source")
        if type(times) is not int or not 1 <= times <= MAX_NOTICES:
            raise refusal(f"times must be a number from 1 to {MAX_NOTICES}")
        if self.send is None or not self.provider.notices.notice_url:
            raise refusal("notice_url is not set")
        notice = self.provider.notice(bill.bill_id)
        if order.get("forged"):
            notice = self.provider.forged(notice)
        if isinstance(source, str):
            notice = replace(notice, headers={**notice.headers, "X-Forwarded-For": source})
        for _ in range(times):
            self.send(notice)
        return web.json_response({"sending": times})

    async def show_settings(self, _request: web.Request) -> web.Response:
        return web.json_response(asdict(self.provider.notices) | self.provider.switches)

    async def change_settings(self, request: web.Request) -> web.Response:
        wanted = await read_object(request)
        switches = {name: wanted.pop(name) for name in self.provider.switches.keys() & wanted.keys()}
        if not all(isinstance(value, bool) for value in switches.values()):
            raise refusal(f"{', '.join(switches)} must be true or false")
        self.provider.notices = _ordered(lambda: self.provider.notices.changed(wanted))
        self.provider.switches.update(switches)
        return await self.show_settings(request)

    async def _moved(self, request: web.Request, move: Callable[[str, Decimal | None], None]) -> web.Response:
        bill, order = self._bill(request), await read_object(request)
        amount = _amount(order["amount"]) if "amount" in order else None
        _ordered(lambda: move(bill.bill_id, amount))
        return await self.show_bill(request)

    def _bill(self, request: web.Request) -> Bill:
        bill = self.provider.bill(request.match_info["bill_id"])
        if bill is None:
            raise refusal("there is no such bill")
        return bill


def shown(bill: Bill) -> dict[str, Any]:
    """Return a bill as JSON; amounts are strings."""
    return {name: to_the_cent(value) if isinstance(value, Decimal) else value for name, value in asdict(bill).items()}


def _ordered(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except ValueError as error:
        raise refusal(str(error)) from error


def _amount(written: object) -> Decimal:
    try:
        found = Decimal(str(written))
    except InvalidOperation as error:
        raise refusal("amount must be a number such as 50.00") from error
    if not found.is_finite() or found <= 0:
        raise refusal("amount must be more than nothing")
    return found

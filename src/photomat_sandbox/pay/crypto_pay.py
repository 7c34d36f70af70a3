"""The made-up Crypto Pay as one aiohttp application: invoices by its API, the payment page, signed notices."""

from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, Final

from aiohttp import web

from photomat_sandbox.faults import Faults
from photomat_sandbox.pay import crypto_pay_forms as forms
from photomat_sandbox.pay import crypto_pay_tables as tables
from photomat_sandbox.pay.app import furnish
from photomat_sandbox.pay.crypto_pay_world import ASSET, RATES, CryptoPayWorld
from photomat_sandbox.pay.desk import Act, Answer, Desk, RefusedError
from photomat_sandbox.transcript import Transcript

TOKEN_HEADER: Final = "Crypto-Pay-API-Token"  # noqa: S105  the header's name
TOO_OFTEN: Final = RefusedError(429, "TOO_MANY_REQUESTS")
LARGEST_BODY_BYTES: Final = 2**20


def build_app(world: CryptoPayWorld, transcript: Transcript, faults: Faults) -> web.Application:
    """Put the parts together; notices go out while the application runs."""
    app = web.Application(client_max_size=LARGEST_BODY_BYTES)
    desk = Desk(
        vendor="cryptopay",
        transcript=transcript,
        faults=faults,
        check_key=lambda request: _check_token(request, world),
        accepted=lambda result: web.json_response({"ok": True, "result": result}),
        refused=_refused,
        too_often=TOO_OFTEN,
    )
    Invoices(world=world).add_routes(app, desk)
    furnish(app, world, desk, title="Crypto Pay")
    app.router.add_route("*", "/{path:.*}", desk.route("unknown", _no_such_method))
    return app


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoices:
    """The methods under /api/; each takes GET and POST."""

    world: CryptoPayWorld

    def add_routes(self, app: web.Application, desk: Desk) -> None:
        """Put the vendor's methods into an application; their names are what faults are armed for."""
        methods: dict[str, Act] = {
            "getMe": self.get_me,
            "createInvoice": self.create,
            "getInvoices": self.list,
            "deleteInvoice": self.delete,
            "getBalance": self.balance,
            "getExchangeRates": self.rates,
            "getCurrencies": self.currencies,
        }
        for name, act in methods.items():
            for verb in ("GET", "POST"):
                app.router.add_route(verb, f"/api/{name}", desk.route(name, act))
        app.router.add_route("*", "/api/{name}", desk.route("unknown", _no_such_method))

    async def get_me(self, _request: web.Request) -> Answer:
        """Show the app."""
        me = {"app_id": 1000, "name": "Photomat sandbox", "payment_processing_bot_username": "CryptoBot"}
        return Answer(body=me, summary="getMe")

    async def create(self, request: web.Request) -> Answer:
        """Make an invoice; there are no keys, so every call makes one."""
        invoice = self.world.create(forms.invoice_order(await forms.parameters(request)))
        order = invoice.order
        said = f"invoice {invoice.invoice_id} of {order.amount} {order.currency}"
        body = self.world.as_json(invoice, _base_url(request))
        return Answer(body=body, summary=said, bill_id=str(invoice.invoice_id))

    async def list(self, request: web.Request) -> Answer:
        """Show invoices, newest first."""
        page = self.world.page(forms.list_order(await forms.parameters(request)))
        items: list[dict[str, Any]] = [self.world.as_json(invoice, _base_url(request)) for invoice in page]
        return Answer(body={"items": items}, summary=f"{len(items)} invoices")

    async def delete(self, request: web.Request) -> Answer:
        """Forget an invoice."""
        invoice_id = forms.invoice_id_of(await forms.parameters(request))
        if self.world.invoices.pop(invoice_id, None) is None:
            raise RefusedError(400, "INVOICE_NOT_FOUND")
        return Answer(body=True, summary=f"invoice {invoice_id} deleted", bill_id=str(invoice_id))

    async def balance(self, _request: web.Request) -> Answer:
        """Show what the app has earned."""
        return Answer(body=tables.balances(self.world.income()), summary="balances")

    async def rates(self, _request: web.Request) -> Answer:
        """Show what a coin costs."""
        return Answer(body=tables.exchange_rates(RATES, source=ASSET), summary="exchange rates")

    async def currencies(self, _request: web.Request) -> Answer:
        """Show the currencies of invoices."""
        return Answer(body=tables.currencies(), summary="currencies")


async def _no_such_method(_request: web.Request) -> Answer:
    raise RefusedError(405, "METHOD_NOT_FOUND")


def _base_url(request: web.Request) -> str:
    return f"{request.scheme}://{request.host}{request.path.rpartition('/api/')[0]}"


def _check_token(request: web.Request, world: CryptoPayWorld) -> None:
    given = request.headers.get(TOKEN_HEADER, "")
    if not compare_digest(given.encode(errors="surrogateescape"), world.token.encode()):
        raise RefusedError(401, "UNAUTHORIZED")


def _refused(refused: RefusedError) -> web.Response:
    body = {"ok": False, "error": {"code": refused.status, "name": refused.code}}
    return web.json_response(body, status=refused.status)

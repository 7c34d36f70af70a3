"""The simulated Crypto Pay as one aiohttp application: its methods and what they accept, balances, rates, the payment page."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from hmac import compare_digest
from typing import Any, Final

from aiohttp import web

from photomat_sandbox.faults import Faults
from photomat_sandbox.pay.crypto_pay_world import ASSET, RATES, CryptoPayWorld, InvoiceQuery, InvoiceRequest
from photomat_sandbox.pay.routing import Act, ProviderRefusal, ProviderReply, ProviderRouter, add_shared_routes
from photomat_sandbox.transcript import Transcript

STABLE: Final = frozenset({"USDT", "USDC"})
CRYPTO_DECIMALS: Final = 8
STABLE_DECIMALS: Final = 6
FIAT_DECIMALS: Final = 2
TOKEN_HEADER: Final = "Crypto-Pay-API-Token"  # noqa: S105  the header's name
TOO_MANY_REQUESTS: Final = ProviderRefusal(429, "TOO_MANY_REQUESTS")
MAX_BODY_BYTES: Final = 2**20
FIATS: Final = (
    *("USD", "EUR", "RUB", "BYN", "UAH", "GBP", "CNY", "KZT", "UZS", "GEL"),
    *("TRY", "AMD", "THB", "INR", "BRL", "IDR", "AZN", "AED", "PLN", "ILS"),
)
ASSETS: Final = ("USDT", "TON", "BTC", "ETH", "LTC", "BNB", "TRX", "USDC")
BUTTONS: Final = ("viewItem", "openChannel", "openBot", "callback")
MAX_DESCRIPTION_LENGTH: Final = 1024
MAX_PAYLOAD_BYTES: Final = 4096
MAX_OPEN_S: Final = 2_678_400
MAX_PAGE: Final = 1000
USUAL_PAGE: Final = 100


def build_app(world: CryptoPayWorld, transcript: Transcript, faults: Faults) -> web.Application:
    """Assemble the application; notices are sent while it runs."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    router = ProviderRouter(
        vendor="cryptopay",
        transcript=transcript,
        faults=faults,
        check_key=lambda request: _check_token(request, world),
        accepted=lambda result: web.json_response({"ok": True, "result": result}),
        refused=_refused,
        too_many_requests=TOO_MANY_REQUESTS,
    )
    InvoiceRoutes(world=world).add_routes(app, router)
    add_shared_routes(app, world, router, title="Crypto Pay")
    app.router.add_route("*", "/{path:.*}", router.route("unknown", _no_such_method))
    return app


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceRoutes:
    """The methods under /api/; each accepts GET and POST."""

    world: CryptoPayWorld

    def add_routes(self, app: web.Application, router: ProviderRouter) -> None:
        """Add the vendor's methods; faults are armed by their names."""
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
                app.router.add_route(verb, f"/api/{name}", router.route(name, act))
        app.router.add_route("*", "/api/{name}", router.route("unknown", _no_such_method))

    async def get_me(self, _request: web.Request) -> ProviderReply:
        me = {"app_id": 1000, "name": "Photomat sandbox", "payment_processing_bot_username": "CryptoBot"}
        return ProviderReply(body=me, summary="getMe")

    async def create(self, request: web.Request) -> ProviderReply:
        """Create an invoice; there are no idempotence keys, so every call creates one."""
        invoice = self.world.create(invoice_request(await parameters(request)))
        order = invoice.order
        summary = f"invoice {invoice.invoice_id} of {order.amount} {order.currency}"
        body = self.world.as_json(invoice, _base_url(request))
        return ProviderReply(body=body, summary=summary, bill_id=str(invoice.invoice_id))

    async def list(self, request: web.Request) -> ProviderReply:
        page = self.world.page(invoice_query(await parameters(request)))
        items: list[dict[str, Any]] = [self.world.as_json(invoice, _base_url(request)) for invoice in page]
        return ProviderReply(body={"items": items}, summary=f"{len(items)} invoices")

    async def delete(self, request: web.Request) -> ProviderReply:
        invoice_id = invoice_id_of(await parameters(request))
        if self.world.invoices.pop(invoice_id, None) is None:
            raise ProviderRefusal(400, "INVOICE_NOT_FOUND")
        return ProviderReply(body=True, summary=f"invoice {invoice_id} deleted", bill_id=str(invoice_id))

    async def balance(self, _request: web.Request) -> ProviderReply:
        return ProviderReply(body=balances(self.world.income()), summary="balances")

    async def rates(self, _request: web.Request) -> ProviderReply:
        return ProviderReply(body=exchange_rates(RATES, source=ASSET), summary="exchange rates")

    async def currencies(self, _request: web.Request) -> ProviderReply:
        return ProviderReply(body=currencies(), summary="currencies")


async def _no_such_method(_request: web.Request) -> ProviderReply:
    raise ProviderRefusal(405, "METHOD_NOT_FOUND")


def _base_url(request: web.Request) -> str:
    return f"{request.scheme}://{request.host}{request.path.rpartition('/api/')[0]}"


def _check_token(request: web.Request, world: CryptoPayWorld) -> None:
    given = request.headers.get(TOKEN_HEADER, "")
    if not compare_digest(given.encode(errors="surrogateescape"), world.token.encode()):
        raise ProviderRefusal(401, "UNAUTHORIZED")


def _refused(refused: ProviderRefusal) -> web.Response:
    body = {"ok": False, "error": {"code": refused.status, "name": refused.code}}
    return web.json_response(body, status=refused.status)


async def parameters(request: web.Request) -> dict[str, Any]:
    """Read parameters from the query, a form or JSON."""
    found: dict[str, Any] = dict(request.query)
    if request.method == "POST" and request.content_type == "application/json":
        try:
            body = json.loads(await request.read() or b"{}")
        except ValueError as error:
            raise invalid("JSON_INVALID") from error
        found |= body if isinstance(body, dict) else {}
    elif request.method == "POST":
        found |= dict(await request.post())
    return found


def invoice_request(given: Mapping[str, Any]) -> InvoiceRequest:
    kind = given.get("currency_type", "crypto")
    if kind not in {"crypto", "fiat"}:
        raise invalid("CURRENCY_TYPE_INVALID")
    name, known = ("fiat", FIATS) if kind == "fiat" else ("asset", ASSETS)
    if given.get(name) not in known:
        raise invalid(f"{name.upper()}_INVALID")
    button, button_url = given.get("paid_btn_name", ""), given.get("paid_btn_url", "")
    if button and button not in BUTTONS:
        raise invalid("PAID_BTN_NAME_INVALID")
    if button and not str(button_url).startswith(("https://", "http://")):
        raise invalid("PAID_BTN_URL_INVALID")
    return InvoiceRequest(
        currency_type=str(kind),
        currency=str(given[name]),
        amount=_amount(given.get("amount")),
        description=_text(given, "description", MAX_DESCRIPTION_LENGTH),
        payload=_text(given, "payload", MAX_PAYLOAD_BYTES),
        expires_in=_whole(given, "expires_in", 1, MAX_OPEN_S) if "expires_in" in given else None,
        button=str(button),
        button_url=str(button_url),
    )


def invoice_id_of(given: Mapping[str, Any]) -> int:
    return _whole(given, "invoice_id", 1, 10**12)


def invoice_query(given: Mapping[str, Any]) -> InvoiceQuery:
    status, fiat = given.get("status"), given.get("fiat")
    if status not in {None, "active", "paid"}:
        raise invalid("STATUS_INVALID")
    if fiat is not None and fiat not in FIATS:
        raise invalid("FIAT_INVALID")
    wanted = [part.strip() for part in str(given.get("invoice_ids", "")).split(",") if part.strip()]
    if not all(part.isdigit() for part in wanted):
        raise invalid("INVOICE_IDS_INVALID")
    return InvoiceQuery(
        invoice_ids=frozenset(map(int, wanted)) if wanted else None,
        status=status,
        fiat=fiat,
        offset=_whole(given, "offset", 0, 10**9, usual=0),
        count=_whole(given, "count", 1, MAX_PAGE, usual=USUAL_PAGE),
    )


def _amount(given: object) -> Decimal:
    text = str(given)
    if isinstance(given, bool) or not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,8})?", text, re.ASCII):
        raise invalid("AMOUNT_INVALID")
    if not Decimal(text):
        raise invalid("AMOUNT_TOO_SMALL")
    return Decimal(text)


def _text(given: Mapping[str, Any], name: str, longest: int) -> str:
    text = given.get(name, "")
    length = len(text.encode()) if isinstance(text, str) and name == "payload" else len(str(text))
    if not isinstance(text, str) or length > longest:
        raise invalid(f"{name.upper()}_TOO_LONG")
    return text


def _whole(given: Mapping[str, Any], name: str, least: int, most: int, usual: int | None = None) -> int:
    text = str(given.get(name, usual))
    if not text.isdigit() or not least <= int(text) <= most:
        raise invalid(f"{name.upper()}_INVALID")
    return int(text)


def invalid(name: str) -> ProviderRefusal:
    return ProviderRefusal(400, name)


def balances(income: Iterable[tuple[str, Decimal]]) -> list[dict[str, Any]]:
    """Add up the income by asset; every asset has a row."""
    sums = dict.fromkeys(ASSETS, Decimal(0))
    for asset, amount in income:
        sums[asset] += amount
    return [{"currency_code": asset, "available": f"{amount:f}", "onhold": "0"} for asset, amount in sums.items()]


def exchange_rates(rates: Mapping[str, Decimal], *, source: str) -> list[dict[str, Any]]:
    """List what one coin costs in the currencies whose rate is known."""
    return [
        {
            "is_valid": True,
            "is_crypto": True,
            "is_fiat": False,
            "source": source,
            "target": target,
            "rate": str(rate),
        }
        for target, rate in rates.items()
    ]


def currencies() -> list[dict[str, Any]]:
    """List every currency an invoice can be in."""
    coins = [
        {
            "is_blockchain": code not in STABLE,
            "is_stablecoin": code in STABLE,
            "is_fiat": False,
            "name": code,
            "code": code,
            "decimals": STABLE_DECIMALS if code in STABLE else CRYPTO_DECIMALS,
        }
        for code in ASSETS
    ]
    money = [
        {
            "is_blockchain": False,
            "is_stablecoin": False,
            "is_fiat": True,
            "name": code,
            "code": code,
            "decimals": FIAT_DECIMALS,
        }
        for code in FIATS
    ]
    return coins + money

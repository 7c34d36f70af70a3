"""The simulated «Мой налог» as one aiohttp application, written from what public clients send and get.

`duplicate` makes a request take effect twice, `drop_after` loses its answer, `delay` longer than a client waits lets it land
late, `error` answers 503, 408, 404 or HTML; `reorder` on `incomes.repeat` repeats the page before.
"""

import html
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from aiohttp import web

from photomat_sandbox import control
from photomat_sandbox.control import read_object, refusal
from photomat_sandbox.faults import Faults
from photomat_sandbox.pay.my_tax_world import IncomeRequest, MyTaxWorld, TaxIncome, TokenPair
from photomat_sandbox.pay.routing import Handler, ProviderRefusal, ProviderReply, ProviderRouter
from photomat_sandbox.transcript import Transcript

COMMENTS: Final = frozenset({"Возврат средств", "Чек сформирован ошибочно"})
INCOME_TYPES: Final = frozenset({"FROM_INDIVIDUAL", "FROM_LEGAL_ENTITY", "FROM_FOREIGN_AGENCY"})
PAYMENT_TYPES: Final = frozenset({"CASH", "ACCOUNT"})
MOST_ON_A_PAGE: Final = 50
MAX_NAME_LENGTH: Final = 256
SORTED: Final = "operation_time:desc"
PICTURE: Final = """<svg xmlns="http://www.w3.org/2000/svg" width="420" height="300" font-family="sans-serif">
<rect width="420" height="300" fill="#fff" stroke="#bbb"/>
<text x="24" y="48" font-size="20">Чек № {uuid}</text>
<text x="24" y="84" font-size="13">{when}</text>
<text x="24" y="124" font-size="14">{name}</text>
<text x="24" y="168" font-size="22">Итого: {amount} ₽</text>
<text x="24" y="208" font-size="13">Режим НО: НПД · ИНН {inn}</text>
<text x="24" y="252" font-size="22" fill="#b00020">{annulled}</text>
</svg>"""


def build_app(world: MyTaxWorld, transcript: Transcript, faults: Faults) -> web.Application:
    app = web.Application()
    service = _TaxRoutes(world=world, transcript=transcript, faults=faults)
    service.add_routes(app)
    control.register(app, transcript, faults, world.vendor)

    async def release_held_connections(_app: web.Application) -> None:
        service.signed_in.closing.set()
        service.anyone.closing.set()

    app.on_shutdown.append(release_held_connections)
    return app


@dataclass(slots=True)
class _TaxRoutes:
    world: MyTaxWorld
    transcript: Transcript
    faults: Faults
    signed_in: ProviderRouter = field(init=False)
    anyone: ProviderRouter = field(init=False)

    def __post_init__(self) -> None:
        self.signed_in, self.anyone = self._router(needs_token=True), self._router(needs_token=False)

    def add_routes(self, app: web.Application) -> None:
        add, base = app.router, "/api/v1"
        add.add_post(base + "/auth/lkfl", self.anyone.route("auth/lkfl", self.sign_in))
        add.add_post(base + "/auth/token", self.anyone.route("auth/token", self.refresh))
        add.add_post(base + "/income", _read_first(self.signed_in.route("income", self.income)))
        add.add_post(base + "/cancel", _read_first(self.signed_in.route("cancel", self.cancel)))
        add.add_get(base + "/incomes", self._incomes_with_repeats())
        add.add_get(base + "/receipt/{inn}/{uuid}/print", self.show_picture)
        add.add_get(base + "/receipt/{inn}/{uuid}/json", self.show_json)
        add.add_get("/sandbox/incomes", self.list_incomes)
        add.add_post("/sandbox/incomes/{uuid}/cancel", self.cancel_by_hand)
        add.add_post("/sandbox/expire", self.expire)
        add.add_get("/sandbox/settings", self.show_settings)
        add.add_post("/sandbox/settings", self.change_settings)

    async def sign_in(self, request: web.Request) -> ProviderReply:
        body = await _body(request)
        device = _device(body)
        pair = self.world.sign_in(username=str(body.get("username")), password=str(body.get("password")), device=device)
        if pair is None:
            raise ProviderRefusal(422, "authentication.failed", "Указанный Вами ИНН или пароль некорректны")
        return ProviderReply(
            body=_tokens(pair) | {"profile": {"inn": self.world.inn, "displayName": "Sandbox"}}, summary="signed in"
        )

    async def refresh(self, request: web.Request) -> ProviderReply:
        body = await _body(request)
        _device(body)
        pair = self.world.refresh(str(body.get("refreshToken")))
        if pair is None:
            raise ProviderRefusal(401, "refresh.token.invalid", "refreshToken")
        return ProviderReply(body=_tokens(pair), summary="refreshed a token")

    async def income(self, request: web.Request) -> ProviderReply:
        body = await _body(request)
        order = income_of(body)
        if self.world.exceeds_limit(order.amount) and not body["ignoreMaxTotalIncomeRestriction"]:
            raise ProviderRefusal(400, "income.limit.exceeded", "Превышен годовой лимит дохода")
        made = self.world.register(order)
        return ProviderReply(
            body={"approvedReceiptUuid": made.uuid}, summary=f"registered {made.amount}: {made.name}", bill_id=made.uuid
        )

    async def cancel(self, request: web.Request) -> ProviderReply:
        body = await _body(request)
        _instant(body, "operationTime")
        _instant(body, "requestTime")
        uuid, comment = body.get("receiptUuid"), body.get("comment")
        if comment not in COMMENTS:
            raise ProviderRefusal(400, "validation.failed", "comment")
        if not isinstance(uuid, str) or uuid not in self.world.incomes:
            raise ProviderRefusal(400, "receipt.not.found", "Чек не найден")
        if not self.world.cancel(uuid, comment):
            raise ProviderRefusal(400, "receipt.already.cancelled", "Чек уже аннулирован")
        info = {"approvedReceiptUuid": uuid, "cancellationInfo": {"comment": comment}}
        return ProviderReply(body={"incomeInfo": info}, summary=f"annulled {uuid}", bill_id=uuid)

    async def incomes(self, request: web.Request) -> ProviderReply:
        return self._listed(request, pages_back=0)

    def _incomes_with_repeats(self) -> Handler:
        """The list; a fault `reorder` answers with the page before the one that was asked for."""
        plain = self.signed_in.route("incomes", self.incomes)

        async def repeated(request: web.Request) -> ProviderReply:
            return self._listed(request, pages_back=1)

        again = self.signed_in.route("incomes.repeated", repeated)

        async def handle(request: web.Request) -> web.StreamResponse:
            fault = self.faults.take_exact("my_tax", {"incomes.repeat"}, actions={"reorder"})
            return await (plain if fault is None else again)(request)

        return handle

    def _listed(self, request: web.Request, *, pages_back: int) -> ProviderReply:
        query = request.query
        if query.get("sortBy") != SORTED:
            raise ProviderRefusal(400, "validation.failed", "sortBy")
        try:
            limit, offset = int(query.get("limit", "10")), int(query.get("offset", "0"))
        except ValueError:
            raise ProviderRefusal(400, "validation.failed", "limit") from None
        if not 1 <= limit <= MOST_ON_A_PAGE or offset < 0:
            raise ProviderRefusal(400, "validation.failed", "limit")
        since, until = _instant(query, "from"), _instant(query, "to")
        first = max(0, offset - pages_back * limit)
        page = self.world.page(since=since, until=until, offset=first, limit=limit)
        content = [one.as_line(self.world.inn) for one in page]
        return ProviderReply(body={"content": content}, summary=f"listed {len(content)} incomes from {first} on")

    async def show_picture(self, request: web.Request) -> web.Response:
        found = self._receipt(request)
        picture = PICTURE.format(
            uuid=found.uuid,
            when=html.escape(found.operation_time[:16].replace("T", " ")),
            name=html.escape(found.name),
            amount=found.amount,
            inn=self.world.inn,
            annulled="" if found.cancelled_at is None else "АННУЛИРОВАН",
        )
        return web.Response(text=picture, content_type="image/svg+xml")

    async def show_json(self, request: web.Request) -> web.Response:
        return web.json_response(
            self._receipt(request).as_line(self.world.inn) | {"receiptId": self._receipt(request).uuid}
        )

    async def list_incomes(self, _request: web.Request) -> web.Response:
        return web.json_response({"incomes": [asdict(one) for one in self.world.incomes.values()]})

    async def cancel_by_hand(self, request: web.Request) -> web.Response:
        """Annul as the taxpayer does in the application."""
        uuid = request.match_info["uuid"]
        if uuid not in self.world.incomes:
            raise refusal("there is no such income")
        self.world.cancel(uuid, "Чек сформирован ошибочно")
        return web.json_response(asdict(self.world.incomes[uuid]))

    async def expire(self, request: web.Request) -> web.Response:
        self.world.expire_tokens(refresh=bool((await read_object(request)).get("refresh")))
        return web.json_response({})

    async def show_settings(self, _request: web.Request) -> web.Response:
        return web.json_response(asdict(self.world.settings))

    async def change_settings(self, request: web.Request) -> web.Response:
        try:
            self.world.changed(await read_object(request))
        except ValueError as error:
            raise refusal(str(error)) from error
        return await self.show_settings(request)

    def _receipt(self, request: web.Request) -> TaxIncome:
        found = self.world.incomes.get(request.match_info["uuid"])
        if found is None or request.match_info["inn"] != self.world.inn:
            raise web.HTTPNotFound
        return found

    def _router(self, *, needs_token: bool) -> ProviderRouter:
        def check(request: web.Request) -> None:
            token = request.headers.get("Authorization", "").removeprefix("Bearer ")
            if needs_token and not self.world.is_valid(token):
                raise ProviderRefusal(401, "unauthorized", "token")

        return ProviderRouter(
            vendor=self.world.vendor,
            transcript=self.transcript,
            faults=self.faults,
            check_key=check,
            accepted=web.json_response,
            refused=lambda no: web.json_response({"code": no.code, "message": no.sentence}, status=no.status),
            too_many_requests=ProviderRefusal(429, "too.many.requests", "Слишком много запросов"),
        )


def _read_first(handle: Handler) -> Handler:
    """Have the whole request before anything else: one that was sent is carried out even if its sender has gone away."""

    async def read_and_handle(request: web.Request) -> web.StreamResponse:
        await request.read()
        return await handle(request)

    return read_and_handle


def income_of(body: Mapping[str, Any]) -> IncomeRequest:
    """Check a request to register an income; refuse what the service would refuse."""
    operation_at = _instant(body, "operationTime")
    _instant(body, "requestTime")
    services = body.get("services")
    if not isinstance(services, list) or not services or not all(isinstance(one, dict) for one in services):
        raise ProviderRefusal(400, "validation.failed", "services")
    total = sum((_service_amount(one) for one in services), Decimal(0))
    client = body.get("client")
    wrong = {
        "totalAmount": _amount(body, "totalAmount") != total,
        "client": not isinstance(client, dict) or client.get("incomeType") not in INCOME_TYPES,
        "paymentType": body.get("paymentType") not in PAYMENT_TYPES,
        "ignoreMaxTotalIncomeRestriction": not isinstance(body.get("ignoreMaxTotalIncomeRestriction"), bool),
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            raise ProviderRefusal(400, "validation.failed", name)
    return IncomeRequest(name=str(services[0]["name"]), amount=total, operation_at=operation_at)


def _service_amount(service: Mapping[str, Any]) -> Decimal:
    name, quantity = service.get("name"), service.get("quantity")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_LENGTH:
        raise ProviderRefusal(400, "validation.failed", "services.name")
    if type(quantity) is not int or quantity < 1:
        raise ProviderRefusal(400, "validation.failed", "services.quantity")
    return _amount(service, "amount") * quantity


def _amount(body: Mapping[str, Any], name: str) -> Decimal:
    try:
        found = Decimal(str(body.get(name)))
    except InvalidOperation:
        raise ProviderRefusal(400, "validation.failed", name) from None
    if not found.is_finite() or found <= 0 or found != found.quantize(Decimal("0.01")):
        raise ProviderRefusal(400, "validation.failed", name)
    return found


def _instant(body: Mapping[str, Any], name: str) -> datetime:
    try:
        found = datetime.fromisoformat(str(body.get(name)))
    except ValueError:
        raise ProviderRefusal(400, "validation.failed", name) from None
    if found.tzinfo is None:
        raise ProviderRefusal(400, "validation.failed", name)
    return found


def _device(body: Mapping[str, Any]) -> str:
    device = body.get("deviceInfo")
    if not isinstance(device, dict) or not device.get("sourceDeviceId") or device.get("sourceType") != "WEB":
        raise ProviderRefusal(400, "validation.failed", "deviceInfo")
    return str(device["sourceDeviceId"])


def _tokens(pair: TokenPair) -> dict[str, Any]:
    return {"token": pair.token, "refreshToken": pair.refresh}


async def _body(request: web.Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError:
        raise ProviderRefusal(400, "validation.failed", "body") from None
    if not isinstance(body, dict):
        raise ProviderRefusal(400, "validation.failed", "body")
    return body

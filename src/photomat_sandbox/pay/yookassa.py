"""The simulated YooKassa as one aiohttp application: payments, refunds and receipts of API v3, the payment page, notices."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from hmac import compare_digest
from typing import Any, Final
from uuid import uuid4

from aiohttp import hdrs, web

from photomat_sandbox.control import read_object, refusal
from photomat_sandbox.faults import Faults
from photomat_sandbox.pay import yookassa_requests as requests
from photomat_sandbox.pay.routing import ProviderRefusal, ProviderReply, ProviderRouter, add_shared_routes
from photomat_sandbox.pay.yookassa_receipts import MAX_RECEIPTS, checked_receipt
from photomat_sandbox.pay.yookassa_world import YooKassaPayment, YooKassaWorld
from photomat_sandbox.transcript import Transcript

TOO_MANY_REQUESTS: Final = ProviderRefusal(429, "too_many_requests", "Too many requests")
MAX_BODY_BYTES: Final = 2**20


def build_app(world: YooKassaWorld, transcript: Transcript, faults: Faults) -> web.Application:
    """Assemble the application; notices are sent while it runs."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    router = ProviderRouter(
        vendor="yookassa",
        transcript=transcript,
        faults=faults,
        check_key=lambda request: _check_key(request, world),
        accepted=web.json_response,
        refused=_refused,
        too_many_requests=TOO_MANY_REQUESTS,
    )
    PaymentRoutes(world=world).add_routes(app, router)
    add_shared_routes(app, world, router, title="ЮKassa")
    app.router.add_route("*", "/{path:.*}", router.route("unknown", _nothing_here))
    return app


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRoutes:
    world: YooKassaWorld

    def add_routes(self, app: web.Application, router: ProviderRouter) -> None:
        """Add the vendor's paths; faults are armed by their names."""
        app.router.add_post("/v3/payments", router.route("createPayment", self.create))
        app.router.add_get("/v3/payments", router.route("listPayments", self.list))
        app.router.add_get("/v3/payments/{payment_id}", router.route("getPayment", self.get))
        app.router.add_post("/v3/refunds", router.route("createRefund", self.refund))
        app.router.add_get("/v3/refunds", router.route("listRefunds", self.list_refunds))
        app.router.add_get("/v3/refunds/{refund_id}", router.route("getRefund", self.get_refund))
        app.router.add_post("/v3/payments/{payment_id}/capture", router.route("capturePayment", self.capture))
        app.router.add_post("/v3/payments/{payment_id}/cancel", router.route("cancelPayment", self.cancel))
        app.router.add_post("/v3/receipts", router.route("createReceipt", self.create_receipt))
        app.router.add_get("/v3/receipts", router.route("listReceipts", self.list_receipts))
        app.router.add_post("/sandbox/receipts", self.settle_receipts)
        app.router.add_get("/v3/me", router.route("me", self.me))

    async def create(self, request: web.Request) -> ProviderReply:
        """Create a payment, or return the one this key has created, as it stands now."""
        key, body = requests.key_of(request), await requests.body_of(request)
        known = self.world.made_before("payments", key, body)
        payment = self.world.find(known) if known else None
        if payment is None:
            order = requests.payment_request(body, currency=self.world.currency, check_receipt=self._check_receipt)
            payment = self.world.create(order)
            self.world.keep_key("payments", key, body, payment.payment_id)
        order = payment.order
        summary = f"payment {payment.payment_id} of {order.amount} {order.currency}" + (" again" if known else "")
        return ProviderReply(body=self._shown(request, payment), summary=summary, bill_id=payment.payment_id)

    async def get(self, request: web.Request) -> ProviderReply:
        payment = self._payment(request.match_info["payment_id"])
        summary = f"payment {payment.payment_id} is {payment.status}"
        return ProviderReply(body=self._shown(request, payment), summary=summary, bill_id=payment.payment_id)

    async def list(self, request: web.Request) -> ProviderReply:
        payments, following = self.world.page(requests.payment_query(request.query))
        items = [self._shown(request, payment) for payment in payments]
        return ProviderReply(body=_listing(items, following), summary=f"{len(payments)} payments")

    async def list_refunds(self, request: web.Request) -> ProviderReply:
        refunds, following = self.world.refund_page(requests.refund_query(request.query))
        body = _listing([refund.as_json() for refund in refunds], following)
        return ProviderReply(body=body, summary=f"{len(refunds)} refunds")

    async def refund(self, request: web.Request) -> ProviderReply:
        """Refund, once per key."""
        key, body = requests.key_of(request), await requests.body_of(request)
        known = self.world.made_before("refunds", key, body)
        if known is not None:
            made = self.world.refunds[known]
            return ProviderReply(body=made.as_json(), summary=f"refund {known} again", bill_id=made.payment_id)
        payment = self._payment(str(body.get("payment_id", "")))
        requests.description_of(body)
        amount = requests.amount_of(body, currency=payment.order.currency)
        must_send = self.world.rules.required and payment.order.receipt is not None and amount != payment.order.amount
        receipt = checked_receipt(body, amount=amount, rules=self.world.rules, required=must_send)
        try:
            made = self.world.make_refund(payment, amount, receipt=receipt)
        except ValueError as error:
            raise requests.invalid(str(error), "amount") from error
        self.world.keep_key("refunds", key, body, made.refund_id)
        return ProviderReply(body=made.as_json(), summary=f"refund of {made.amount}", bill_id=payment.payment_id)

    async def get_refund(self, request: web.Request) -> ProviderReply:
        refund = self.world.refunds.get(request.match_info["refund_id"])
        if refund is None:
            raise ProviderRefusal(404, "not_found", "Refund doesn't exist or access denied", "refund_id")
        return ProviderReply(body=refund.as_json(), summary=f"refund {refund.refund_id}", bill_id=refund.payment_id)

    async def create_receipt(self, request: web.Request) -> ProviderReply:
        """Register another receipt of a payment: one that closes a prepayment, or a careless second one."""
        key, body = requests.key_of(request), await requests.body_of(request)
        known = self.world.made_before("receipts", key, body)
        if known is not None:
            return ProviderReply(body=self.world.receipts.receipts[known].as_json(), summary=f"receipt {known} again")
        payment = self._payment(str(body.get("payment_id", "")))
        if body.get("type") != "payment" or not isinstance(body.get("settlements"), list):
            raise requests.invalid("only receipts of type payment, with settlements, are simulated", "type")
        if len(self.world.receipts.of(payment_id=payment.payment_id)) >= MAX_RECEIPTS:
            raise requests.invalid(f"at most {MAX_RECEIPTS} receipts of a payment", "payment_id")
        checked_receipt({"receipt": body}, amount=payment.order.amount, rules=self.world.rules, required=True)
        made = self.world.receipts.register(
            body, payment_id=payment.payment_id, refund_id=None, at=self.world.clock(), pending=False
        )
        self.world.keep_key("receipts", key, body, made.receipt_id)
        return ProviderReply(body=made.as_json(), summary=f"receipt {made.receipt_id}", bill_id=payment.payment_id)

    async def list_receipts(self, request: web.Request) -> ProviderReply:
        order = requests.receipt_query(request.query)
        if self.world.rules.self_employed:
            return ProviderReply(body=_listing([], None), summary="no receipts: they are in «Мой налог»")
        found, following = self.world.receipts.page(order)
        body = _listing([receipt.as_json() for receipt in found], following)
        return ProviderReply(body=body, summary=f"{len(found)} receipts")

    async def settle_receipts(self, request: web.Request) -> web.Response:
        """The tax office answers for every receipt that waits: `{"status": "succeeded"}` or `"canceled"`."""
        status = (await read_object(request)).get("status")
        if status not in {"succeeded", "canceled"}:
            raise refusal("status must be succeeded or canceled")
        return web.json_response({"settled": self.world.receipts.settle(status)})

    async def capture(self, request: web.Request) -> ProviderReply:
        """Capture an authorized payment; partial capture is not simulated."""
        payment = self._payment(request.match_info["payment_id"])
        body = await requests.body_of(request) if request.can_read_body else {}
        if "amount" in body and requests.amount_of(body, currency=payment.order.currency) != payment.order.amount:
            raise requests.invalid("only the whole sum can be captured here", "amount")
        return self._once(request, payment, body, self.world.capture)

    async def cancel(self, request: web.Request) -> ProviderReply:
        """Cancel an authorized payment."""
        return self._once(request, self._payment(request.match_info["payment_id"]), {}, self.world.cancel_by_shop)

    async def me(self, _request: web.Request) -> ProviderReply:
        """Show the shop, and whether it must send receipts."""
        fiscal = self.world.switches["receipts_required"]
        body: dict[str, Any] = {
            "account_id": self.world.shop_id,
            "status": "enabled",
            "test": True,
            "fiscalization": {"enabled": fiscal},
            "fiscalization_enabled": fiscal,
            "payment_methods": ["bank_card"],
        }
        return ProviderReply(body=body, summary="the shop's settings")

    def _once(
        self,
        request: web.Request,
        payment: YooKassaPayment,
        body: dict[str, Any],
        act: Callable[[YooKassaPayment], None],
    ) -> ProviderReply:
        """Change a payment once per key; the same key again shows it as it stands."""
        key = requests.key_of(request)
        if self.world.made_before(request.path, key, body) is None:
            try:
                act(payment)
            except ValueError as error:
                raise requests.invalid(str(error), "payment_id") from error
            self.world.keep_key(request.path, key, body, payment.payment_id)
        summary = f"payment {payment.payment_id} is {payment.status}"
        return ProviderReply(body=self._shown(request, payment), summary=summary, bill_id=payment.payment_id)

    def _check_receipt(self, body: Mapping[str, Any], amount: Decimal) -> dict[str, Any] | None:
        rules = self.world.rules
        return checked_receipt(body, amount=amount, rules=rules, required=rules.required)

    def _payment(self, payment_id: str) -> YooKassaPayment:
        payment = self.world.find(payment_id)
        if payment is None:
            raise ProviderRefusal(404, "not_found", "Payment doesn't exist or access denied", "payment_id")
        return payment

    def _shown(self, request: web.Request, payment: YooKassaPayment) -> dict[str, Any]:
        body = payment.as_json(shop_id=self.world.shop_id)
        if payment.status == "pending":
            base = f"{request.scheme}://{request.host}{request.path.rpartition('/v3/')[0]}"
            confirm = {"type": "redirect", "confirmation_url": f"{base}/pay/{payment.payment_id}"}
            body["confirmation"] = {**confirm, "return_url": payment.order.return_url}
        return body


async def _nothing_here(request: web.Request) -> ProviderReply:
    raise ProviderRefusal(404, "not_found", f"{request.method} {request.path} doesn't exist")


def _listing(items: list[dict[str, Any]], following: str | None) -> dict[str, Any]:
    body: dict[str, Any] = {"type": "list", "items": items}
    return body if following is None else {**body, "next_cursor": following}


def _check_key(request: web.Request, world: YooKassaWorld) -> None:
    wanted = "Basic " + b64encode(f"{world.shop_id}:{world.secret_key}".encode()).decode()
    given = request.headers.get(hdrs.AUTHORIZATION, "")
    if not compare_digest(given.encode(errors="surrogateescape"), wanted.encode()):
        raise ProviderRefusal(401, "invalid_credentials", "Authentication by given credentials failed")


def _refused(refused: ProviderRefusal) -> web.Response:
    body = {"type": "error", "id": str(uuid4()), "code": refused.code, "description": refused.sentence}
    if refused.parameter:
        body["parameter"] = refused.parameter
    return web.json_response(body, status=refused.status)

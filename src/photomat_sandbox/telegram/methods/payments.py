"""Stars: invoices, subscriptions, refunds, and the list of transactions that survives a lost update."""

from typing import Final

from photomat_sandbox.telegram.call import Call, Params
from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.keyboards import Markup
from photomat_sandbox.telegram.methods.content import read_markup, recipient
from photomat_sandbox.telegram.methods.send import deliver
from photomat_sandbox.telegram.payments import edit_by_bot, show_refund
from photomat_sandbox.telegram.stars import StarCharge, bill_of, new_link
from photomat_sandbox.telegram.world import TelegramWorld

MAX_TITLE: Final = 32
MAX_DESCRIPTION: Final = 255
MAX_PAYLOAD_BYTES: Final = 128
MAX_LISTED: Final = 100
MAX_STARS: Final = 100_000
MAX_SUBSCRIPTION_STARS: Final = 10_000
SUBSCRIPTION_PERIOD_S: Final = 2_592_000


async def send_invoice(call: Call) -> JsonObject:
    """Send an invoice in Stars; its first button pays."""
    invoice = read_invoice(call.params)
    markup = read_markup(call.params, for_invoice=True)
    if not markup.inline:
        button = {"text": f"Pay ⭐️{invoice['total_amount']}", "pay": True}
        markup = Markup(inline=[[button]])
    message = deliver(
        call,
        recipient(call),
        markup,
        kind="invoice",
        invoice_payload=call.params.text("payload"),
        extra={"invoice": invoice},
    )
    return call.world.api(message)


async def create_invoice_link(call: Call) -> str:
    """Create a link to an invoice; nothing is shown, so repeating the call is harmless."""
    invoice, period = read_invoice(call.params), call.params.number("subscription_period")
    if period and period != SUBSCRIPTION_PERIOD_S:
        raise bad_request("SUBSCRIPTION_PERIOD_INVALID")
    if period and invoice["total_amount"] > MAX_SUBSCRIPTION_STARS:
        raise bad_request("STARS_AMOUNT_INVALID")
    bill = bill_of(invoice, payload=call.params.text("payload"), link=new_link(), subscription_period=period)
    return call.world.keep_bill(bill)


async def refund_star_payment(call: Call) -> bool:
    charge = call.world.stars.refund(
        call.params.text("telegram_payment_charge_id"),
        user_id=call.params.number("user_id"),
        now=call.world.now(),
    )
    show_refund(call.world, charge)
    return True


async def edit_user_star_subscription(call: Call) -> bool:
    """End a subscription with the paid month, or allow the person to resume it."""
    user_id = call.params.number("user_id")
    if user_id <= 0:
        raise bad_request("invalid user_id specified")
    edit_by_bot(
        call.world,
        call.params.text("telegram_payment_charge_id"),
        user_id=user_id,
        is_canceled=call.params.flag("is_canceled"),
    )
    return True


async def get_star_transactions(call: Call) -> JsonObject:
    """List payments and refunds, oldest first."""
    placed: list[tuple[int, int, JsonObject]] = []
    for charge in call.world.stars.charges:
        row = _transaction(call.world, charge, at=charge.paid_at, side="source")
        placed.append((charge.paid_at, charge.number, row))
        if charge.refunded_at is not None:
            row = _transaction(call.world, charge, at=charge.refunded_at, side="receiver")
            placed.append((charge.refunded_at, charge.refund_number, row))
    rows = [row for _, _, row in sorted(placed, key=lambda place: place[:2])]
    start = max(0, call.params.number("offset"))
    limit = min(max(call.params.number("limit", MAX_LISTED), 1), MAX_LISTED)
    return {"transactions": rows[start : start + limit]}


async def get_my_star_balance(call: Call) -> JsonObject:
    return {"amount": call.world.stars.balance()}


def read_invoice(params: Params) -> JsonObject:
    """Validate an invoice: Stars only, exactly one price."""
    title, description = params.text("title").strip(), params.text("description").strip()
    if not title or len(title) > MAX_TITLE:
        raise bad_request("INVOICE_TITLE_INVALID" if title else "title must be non-empty")
    if not description or len(description) > MAX_DESCRIPTION:
        raise bad_request("INVOICE_DESCRIPTION_INVALID" if description else "description must be non-empty")
    if not 1 <= len(params.text("payload").encode()) <= MAX_PAYLOAD_BYTES:
        raise bad_request("INVOICE_PAYLOAD_INVALID")
    if params.text("currency") != "XTR":
        raise bad_request("CURRENCY_INVALID" if params.text("provider_token") else "PAYMENT_PROVIDER_INVALID")
    return {
        "title": title,
        "description": description,
        "start_parameter": params.text("start_parameter"),
        "currency": "XTR",
        "total_amount": _one_price(params),
    }


def _one_price(params: Params) -> int:
    prices = params.items("prices", "LabeledPrice") or []
    if len(prices) != 1 or not isinstance(prices[0], dict) or not prices[0].get("label"):
        raise bad_request("STARS_INVOICE_INVALID")
    amount = prices[0].get("amount")
    if not isinstance(amount, int) or not 1 <= amount <= MAX_STARS:
        raise bad_request("CURRENCY_TOTAL_AMOUNT_INVALID")
    return amount


def _transaction(world: TelegramWorld, charge: StarCharge, *, at: int, side: str) -> JsonObject:
    partner: JsonObject = {
        "type": "user",
        "transaction_type": "invoice_payment",
        "user": world.people[charge.user_id].as_user(),
        "invoice_payload": charge.payload,
    }
    if charge.subscription_period:
        partner["subscription_period"] = charge.subscription_period
    return {"id": charge.charge_id, "amount": charge.amount, "date": at, side: partner}

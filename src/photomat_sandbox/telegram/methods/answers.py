"""Answers to a person's questions: the tap of a button and the checkout before a payment."""

from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import bad_request
from photomat_sandbox.telegram.payments import show_outcome, take_payment

MAX_ANSWER: Final = 200


async def answer_callback_query(call: Call) -> bool:
    """Stop the button's clock, with a line or an alert if there is one; works once per tap."""
    params = call.params
    if len(params.text("text")) > MAX_ANSWER:
        raise bad_request("MESSAGE_TOO_LONG")
    query = call.world.queries.close(params.text("callback_query_id"), kind="tap")
    answer = {
        "query_id": query.query_id,
        "message_id": query.message_id,
        "text": params.text("text") or None,
        "show_alert": params.flag("show_alert"),
        "url": params.text("url") or None,
    }
    call.world.stream.publish(query.user_id, "answer", answer)
    said = f"answered: «{params.text('text')}»" if params.text("text") else "answered"
    call.world.note("answer", f"tap on message {query.message_id} {said}", answer)
    return True


async def answer_pre_checkout_query(call: Call) -> bool:
    """Let the payment go through, or stop it with a reason; what is not a yes is a no, and a no needs its reason."""
    ok = call.params.flag("ok")
    if not ok and not call.params.text("error_message"):
        raise bad_request('parameter "error_message" is required')
    query = call.world.queries.close(call.params.text("pre_checkout_query_id"), kind="checkout")
    if ok:
        take_payment(call.world, query)
        return True
    reason = call.params.text("error_message")
    call.world.note("checkout", f"payment of {query.amount} ⭐ stopped: «{reason}»")
    show_outcome(call.world, query, "refused", reason=reason, code="BOT_PRECHECKOUT_FAILED")
    return True

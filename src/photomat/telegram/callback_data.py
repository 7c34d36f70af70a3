"""callback_data of buttons outside the conversation: under notices and on a job's card.

The conversation parses them with the classes of `bot/buttons.py`; a test compares both.
"""

from typing import Final, Literal, TypeAlias

ActOnJob: TypeAlias = Literal[
    "cancel", "accept", "again", "resend", "files", "why", "noop", "variant", "like", "unlike", "info", "sos"
]
ActOnTicket: TypeAlias = Literal["answer", "thread", "refund", "repeat", "show", "close"]
Verdict: TypeAlias = Literal["yes", "no"]
OPEN_BALANCE: Final = "m:balance"
OPEN_PICTURES: Final = "m:create"
OPEN_TOPUP: Final = "m:topup"


def send_receipt(topup_id: int) -> str:
    """Send the receipt of a transfer, again where one was declined."""
    return f"tr:{topup_id}"


def create_from_draft(draft_id: int, revision: int) -> str:
    """Buy what a draft says, as its card shows it."""
    return f"d:create:{draft_id}:{revision}"


def open_card(draft_id: int) -> str:
    """Show the card of a draft as it is now."""
    return f"d:back:{draft_id}:0"


def decide_appeal(refusal_id: int, verdict: Verdict) -> str:
    """Decide a customer's appeal, as an operator."""
    return f"cd:{verdict}:{refusal_id}"


def open_broadcast(broadcast_id: int) -> str:
    """Open what a broadcast offers."""
    return f"bc:{broadcast_id}"


def approve_receipt(receipt_id: int) -> str:
    """Credit a receipt with its own sum."""
    return f"r:yes:{receipt_id}"


def approve_another_sum(receipt_id: int) -> str:
    """Ask what a receipt is credited with instead."""
    return f"r:sum:{receipt_id}"


def decline_receipt(receipt_id: int) -> str:
    """Ask why a receipt is declined."""
    return f"r:no:{receipt_id}"


def act_on_job(job_id: int, action: ActOnJob) -> str:
    """Act on a job from its card."""
    return f"j:{job_id}:{action}"


def go_on_from(job_id: int, position: int, wish: str) -> str:
    """Begin an order with an output of a job."""
    return f"j:{job_id}:next:{position}:{wish}"


def turn_to_page(job_id: int, page: int) -> str:
    """Turn to a page of a job's results."""
    return f"j:{job_id}:page:{page}"


def act_on_incident(incident_id: int, action: str) -> str:
    """Act on an incident from its alert."""
    return f"i:{action}:{incident_id}"


def about_ticket(ticket_id: int, action: ActOnTicket) -> str:
    """Act on a ticket as an operator."""
    return f"uo:{action}:{ticket_id}"


def write_to_support(ticket_id: int) -> str:
    """Write to the thread of a ticket, as its customer."""
    return f"u:write:{ticket_id}"


def close_ticket(ticket_id: int) -> str:
    """Close a ticket, as its customer."""
    return f"u:close:{ticket_id}"

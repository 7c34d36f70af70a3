"""The history checker finds every broken promise, and nothing in a history that is in order."""

from dataclasses import replace

import pytest

from photomat_chaos.evidence import job_of_address
from photomat_chaos.history import RING, Evidence, Handled, JobRow, Shown, violations

ANNA, CARD, PRICE = 7, 40, 64
JOB = JobRow(
    job_id=1, chat_id=ANNA, card=CARD, status="done", price=PRICE, gift=False, shown=True, closings=("charge",)
)
FAILED = JobRow(
    job_id=2, chat_id=ANNA, card=50, status="failed", price=PRICE, gift=False, shown=True, closings=("release",)
)
PICTURE = Shown(chat_id=ANNA, message_id=CARD, is_media=True, text="готово", reply_to=None)
THE_RING = Shown(chat_id=ANNA, message_id=41, is_media=False, text=RING, reply_to=CARD)
FIRST = Handled(lane="7", update_id=1, handled_at=10.0)
SECOND = Handled(lane="7", update_id=2, handled_at=11.0)
GOOD = Evidence(
    jobs=(JOB, FAILED),
    screens=(PICTURE, THE_RING),
    orders={"task-1": 1, "task-2": 2},
    answered_200=("task-1", "task-1"),
    stored_callbacks=frozenset({"task-1"}),
    lanes=(FIRST, SECOND),
    spent={ANNA: PRICE},
)
BROKEN = {
    "a job without an end": replace(GOOD, jobs=(JOB, replace(FAILED, status="running", closings=()))),
    "a card that is not up to date": replace(GOOD, jobs=(replace(JOB, shown=False), FAILED)),
    "a result nobody sees": replace(GOOD, screens=(THE_RING,)),
    "a second picture": replace(GOOD, screens=(PICTURE, replace(PICTURE, message_id=42), THE_RING)),
    "a picture for a failed job": replace(GOOD, screens=(PICTURE, replace(PICTURE, message_id=50), THE_RING)),
    "money that was never given back": replace(GOOD, jobs=(JOB, replace(FAILED, closings=()))),
    "money charged for a gift": replace(GOOD, jobs=(replace(JOB, gift=True), FAILED)),
    "a double charge": replace(GOOD, spent={ANNA: 2 * PRICE}),
    "a free lunch": replace(GOOD, spent={}),
    "two orders for one job": replace(GOOD, orders={"task-1": 1, "task-2": 2, "task-3": 1}),
    "an order for nobody": replace(GOOD, orders={"task-1": 1, "task-9": 9}),
    "a callback that left nothing behind": replace(GOOD, answered_200=("task-1", "task-2")),
    "a second ring": replace(GOOD, screens=(PICTURE, THE_RING, replace(THE_RING, message_id=43))),
    "a ring for a failure": replace(GOOD, screens=(PICTURE, replace(THE_RING, message_id=51, reply_to=50))),
    "updates out of order": replace(GOOD, lanes=(replace(FIRST, handled_at=12.0), SECOND)),
    "an update nobody handled": replace(GOOD, lanes=(replace(FIRST, handled_at=None), SECOND)),
    "books in disorder": replace(GOOD, audit=("ledger-balances: RUB 1",)),
}


def test_a_history_in_order_breaks_nothing() -> None:
    assert violations(GOOD) == []


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_promise_is_found(what: str) -> None:
    assert violations(BROKEN[what])


def test_a_gift_and_a_taken_offer_are_in_order() -> None:
    gift = replace(GOOD, jobs=(replace(JOB, gift=True, closings=("release",)), FAILED), spent={})
    offer = replace(GOOD, jobs=(replace(JOB, closings=("charge", "release")), FAILED))
    assert violations(gift) == []
    assert violations(offer) == []


@pytest.mark.parametrize(
    ("url", "job_id"), [("http://host/kie/callback/17.abc", 17), ("http://host/kie/callback", None), (None, None)]
)
def test_an_address_names_its_job(url: str | None, job_id: int | None) -> None:
    assert job_of_address(url) == job_id

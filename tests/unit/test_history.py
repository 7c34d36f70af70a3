"""The history checker finds every broken promise, and nothing in a history that is in order."""

from dataclasses import replace

import pytest

from photomat_chaos.lab.evidence import job_of_address
from photomat_chaos.lab.history import (
    OFFER_RING,
    RING,
    SAD_RING,
    Evidence,
    ForgedCallback,
    HandledUpdate,
    HistoryViolation,
    JobRow,
    SentAgain,
    ShownMessage,
    violations,
)

ANNA, CARD, PRICE = 7, 40, 64
JOB = JobRow(
    job_id=1,
    chat_id=ANNA,
    card=CARD,
    status="done",
    price=PRICE,
    gift=False,
    shown=True,
    closings=("charge",),
    task_id="task-1",
)
FAILED = JobRow(
    job_id=2, chat_id=ANNA, card=50, status="failed", price=PRICE, gift=False, shown=True, closings=("release",)
)
PICTURE = ShownMessage(chat_id=ANNA, message_id=CARD, is_media=True, text="готово", reply_to=None)
SORRY = ShownMessage(chat_id=ANNA, message_id=50, is_media=False, text="❌ 0,64 ₽ вернулись на баланс.", reply_to=None)
SAD = ShownMessage(chat_id=ANNA, message_id=51, is_media=False, text=f"{SAD_RING} Деньги не списаны", reply_to=50)
REFUSED = ForgedCallback(kind="address", task_id="forged-1", status=401, must_be_refused=True)
ORPHANED = ForgedCallback(kind="unknown-task", task_id="forged-2", status=200, must_be_refused=False)
SLOT = ShownMessage(
    chat_id=ANNA, message_id=60, is_media=False, text="⏳ Карточка удалена, показываю здесь…", reply_to=None
)
CREDIT = 1000
THE_RING = ShownMessage(chat_id=ANNA, message_id=41, is_media=False, text=RING, reply_to=CARD)
FIRST = HandledUpdate(lane="7", kind="message", update_id=1, received_at=9.0, handled_at=10.0)
SECOND = HandledUpdate(lane="7", kind="message", update_id=2, received_at=9.1, handled_at=11.0)
MUCH_LATER = HandledUpdate(lane="7", kind="callback_query", update_id=3, received_at=60.0, handled_at=61.0)
ONCE_MORE = ShownMessage(
    chat_id=ANNA, message_id=80, is_media=True, text="📩 Z-Image · ещё раз, бесплатно", reply_to=None
)
SENT = SentAgain(job_id=1, chat_id=ANNA, is_due=False, outcome="sent", message_id=80)
LOST = replace(SENT, outcome=None, message_id=None)
GOOD = Evidence(
    jobs=(JOB, FAILED),
    screens=(PICTURE, THE_RING, SORRY, SAD),
    orders={"task-1": 1, "task-2": 2},
    answered_200=frozenset({("task-1", "waiting"), ("task-1", "success")}),
    stored_callbacks={"task-1": 2},
    lanes=(FIRST, SECOND),
    spent={ANNA: PRICE},
    credit=CREDIT,
    balances={ANNA: CREDIT - PRICE},
    forged=(REFUSED, ORPHANED),
    orphans=frozenset({"forged-2"}),
)


def seen(*shown: ShownMessage) -> Evidence:
    """The good history with other screens."""
    return replace(GOOD, screens=shown)


BROKEN = {
    "a job without an end": replace(GOOD, jobs=(JOB, replace(FAILED, status="running", closings=()))),
    "a card that is not up to date": replace(GOOD, jobs=(replace(JOB, shown=False), FAILED)),
    "a result nobody sees": seen(THE_RING, replace(PICTURE, is_media=False), SORRY, SAD),
    "a second picture": seen(PICTURE, replace(PICTURE, message_id=42), THE_RING, SORRY, SAD),
    "a link beside the picture": seen(
        PICTURE, replace(SORRY, message_id=42, text="Скачать по ссылке"), THE_RING, SORRY, SAD
    ),
    "a picture for a failed job": seen(PICTURE, THE_RING, replace(SORRY, is_media=True), SAD),
    "money that was never given back": replace(GOOD, jobs=(JOB, replace(FAILED, closings=()))),
    "money charged for a gift": replace(GOOD, jobs=(replace(JOB, gift=True), FAILED)),
    "a double charge": replace(GOOD, spent={ANNA: 2 * PRICE}),
    "a free lunch": replace(GOOD, spent={}),
    "two orders for one job": replace(GOOD, orders={"task-1": 1, "task-2": 2, "task-3": 1}),
    "an order for nobody": replace(GOOD, orders={"task-1": 1, "task-9": 9}),
    "a callback that left nothing behind": replace(GOOD, stored_callbacks={}),
    "a second callback of a task that left nothing behind": replace(GOOD, stored_callbacks={"task-1": 1}),
    "a second ring": seen(PICTURE, THE_RING, replace(THE_RING, message_id=43), SORRY, SAD),
    "a happy ring for a failure": seen(PICTURE, SORRY, replace(THE_RING, message_id=51, reply_to=50)),
    "a sad ring for a result": seen(PICTURE, THE_RING, SORRY, replace(SAD, reply_to=CARD)),
    "a second sad ring": seen(PICTURE, THE_RING, SORRY, SAD, replace(SAD, message_id=52)),
    "an offer nobody made": seen(PICTURE, THE_RING, SORRY, replace(SAD, text=OFFER_RING)),
    "a ring for nobody": seen(PICTURE, THE_RING, SORRY, SAD, replace(THE_RING, message_id=70, reply_to=None)),
    "a ring before its card": seen(PICTURE, replace(THE_RING, message_id=39), SORRY, SAD),
    "a failed card that is silent about the money": seen(PICTURE, THE_RING, replace(SORRY, text="❌"), SAD),
    "a failed card that says it twice": seen(PICTURE, THE_RING, replace(SORRY, text=SORRY.text * 2), SAD),
    "a paid card that speaks of money back": seen(replace(PICTURE, text=SORRY.text), THE_RING, SORRY, SAD),
    "a failed card that is still being made": seen(
        PICTURE, THE_RING, replace(SORRY, text=f"Генерация идёт {SORRY.text}"), SAD
    ),
    "a card that is gone": seen(PICTURE, THE_RING, SAD),
    "a stray slot": seen(PICTURE, THE_RING, SORRY, SAD, SLOT),
    "a result sent again that nobody asked for": seen(PICTURE, THE_RING, SORRY, SAD, ONCE_MORE),
    "a result sent again twice": replace(
        seen(PICTURE, THE_RING, SORRY, SAD, ONCE_MORE, replace(ONCE_MORE, message_id=81)), sent_again=(SENT,)
    ),
    "a result said to be sent again": replace(GOOD, sent_again=(SENT,)),
    "one message for two that were sent again": replace(
        seen(PICTURE, THE_RING, SORRY, SAD, ONCE_MORE), sent_again=(SENT, SENT)
    ),
    "a result that is still to be sent again": replace(GOOD, sent_again=(replace(LOST, is_due=True),)),
    "a balance that is wrong in the chat": replace(GOOD, balances={ANNA: CREDIT}),
    "a forgery that was believed": replace(GOOD, forged=(replace(REFUSED, status=200),)),
    "a forgery that left no trace": replace(GOOD, orphans=frozenset()),
    "a forged task in a job": replace(GOOD, jobs=(replace(JOB, task_id="forged-1"), FAILED)),
    "somebody else's task in a job": replace(GOOD, jobs=(replace(JOB, task_id="task-2"), FAILED)),
    "updates out of order": replace(GOOD, lanes=(replace(FIRST, handled_at=12.0), SECOND)),
    "a tap long after a message, and handled before it": replace(
        GOOD, lanes=(replace(FIRST, handled_at=90.0), MUCH_LATER)
    ),
    "an update nobody handled": replace(GOOD, lanes=(replace(FIRST, handled_at=None), SECOND)),
    "an update put aside": replace(GOOD, parked=("update 3 of lane 7",)),
    "books in disorder": replace(GOOD, audit=("ledger-balances: RUB 1",)),
}


def test_a_history_in_order_breaks_nothing() -> None:
    assert violations(GOOD) == []


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_promise_is_found(what: str) -> None:
    assert violations(BROKEN[what])


def test_a_gift_and_a_taken_offer_are_in_order() -> None:
    thanks = replace(PICTURE, text=f"подарок, деньги {SORRY.text}")
    gift = replace(
        GOOD,
        jobs=(replace(JOB, gift=True, closings=("release",)), FAILED),
        screens=(thanks, THE_RING, replace(SAD, reply_to=CARD), SORRY, SAD),
        spent={},
        balances={ANNA: CREDIT},
    )
    offer = replace(
        GOOD,
        jobs=(replace(JOB, closings=("charge", "release")), FAILED),
        screens=(PICTURE, THE_RING, replace(SAD, text=OFFER_RING, reply_to=CARD), SORRY, SAD),
    )
    assert violations(gift) == []
    assert violations(offer) == []


def test_a_result_sent_again_is_no_second_result_and_may_have_had_no_answer() -> None:
    again = seen(PICTURE, THE_RING, SORRY, SAD, ONCE_MORE)
    assert violations(replace(again, sent_again=(SENT, LOST, replace(LOST, outcome="refused")))) == []
    assert violations(replace(again, sent_again=(LOST,))) == []
    assert violations(replace(GOOD, sent_again=(LOST,))) == [], "killed before it left"


def test_an_offer_nobody_took_says_nothing_of_the_money() -> None:
    offered = replace(SORRY, text="Вы отменили заказ. Хотите забрать его за 0,64 ₽?")
    canceled = replace(GOOD, jobs=(JOB, replace(FAILED, status="canceled")), screens=(PICTURE, THE_RING, offered))
    assert violations(canceled) == []


def test_a_tap_and_a_message_at_once_may_cross() -> None:
    tap = replace(FIRST, kind="callback_query", update_id=0, handled_at=12.0)
    assert violations(replace(GOOD, lanes=(tap, SECOND, MUCH_LATER))) == []


def test_who_deletes_a_card_gets_a_slot_a_ring_without_a_card_and_keeps_the_right_to_nothing_more() -> None:
    gone = replace(GOOD, deleted=frozenset({(ANNA, CARD)}), screens=(THE_RING, SORRY, SAD, SLOT))
    assert violations(gone) == []
    assert violations(replace(gone, screens=(*gone.screens, replace(SLOT, message_id=61))))


def test_a_violation_names_its_job_where_there_is_one() -> None:
    assert HistoryViolation(check="", sentence="the card of job 17 (failed) is gone").job_id == 17
    assert HistoryViolation(check="", sentence="chat 7 was rung").job_id is None


@pytest.mark.parametrize(
    ("url", "job_id"), [("http://host/kie/callback/17.abc", 17), ("http://host/kie/callback", None), (None, None)]
)
def test_an_address_names_its_job(url: str | None, job_id: int | None) -> None:
    assert job_of_address(url) == job_id


def test_a_page_of_the_gallery_is_no_second_result() -> None:
    page = replace(PICTURE, message_id=90, text="🗂 Z-Image · 0,64 ₽")
    assert violations(seen(PICTURE, THE_RING, SORRY, SAD, page)) == []
    assert violations(seen(PICTURE, THE_RING, SORRY, SAD, replace(page, text="Z-Image")))

"""Why is it not delivered? Every state a row can be in has its one true sentence."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from photomat.jobs.explain import Facts, Surroundings, facts_of, why_not_delivered
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId
from photomat.texts.load import load_texts

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
AROUND = Surroundings(alive=frozenset({"vm-1"}), delivery_lease=timedelta(minutes=5), timeout=timedelta(days=1))
NOBODY = replace(AROUND, alive=frozenset())
PENDING = Facts(
    model="z-image",
    now=NOW,
    job_id=JobId(7),
    status=JobStatus.PENDING,
    external_task_id=None,
    fail_code=None,
    fail_reason=None,
    gift=False,
    last_error=None,
    created_at=NOW - timedelta(hours=3),
    intent_at=None,
    overdue_at=None,
    empty_since=None,
    offered_at=None,
    stopped_at=None,
    due_at=NOW,
    leased_by=None,
    leased_until=None,
    card_wanted=2,
    card_shown=2,
    deliver_at=NOW,
    delivering_at=None,
    delivering_by=None,
    delivery_attempts=0,
    delivery_error=None,
    delivery_failing_since=None,
    delivered_at=None,
    undeliverable_at=None,
    parked_at=None,
)


def ago(**span: float) -> datetime:
    return NOW - timedelta(**span)


def ahead(**span: float) -> datetime:
    return NOW + timedelta(**span)


LEASED = {"leased_by": "vm-1", "leased_until": ahead(seconds=20)}
SENT: dict[str, Any] = {"status": JobStatus.SUBMITTING, "intent_at": ago(minutes=4)}
RUNNING: dict[str, Any] = SENT | {"status": JobStatus.RUNNING, "external_task_id": "t-1"}
DONE: dict[str, Any] = RUNNING | {"status": JobStatus.DONE, "due_at": None, "card_wanted": 3}
SENTENCES: dict[str, tuple[dict[str, Any], str]] = {
    "being submitted": (LEASED, "Not delivered yet: instance vm-1 is submitting it right now."),
    "waiting for Kie's limit": (
        {"due_at": ahead(seconds=9), "last_error": "Kie is busy: code 429"},
        "Not delivered yet: it waits to be submitted (Kie is busy: code 429), next try in 9 s.",
    ),
    "due for a submit": (
        {"due_at": ago(seconds=1)},
        "Not delivered yet: its submit has been due for 1 s; it leaves in its turn, within Kie's limit (KIE_CREATES_PER_10S).",
    ),
    "waiting for the create answer": (
        SENT | LEASED,
        "Not delivered yet: its request left for Kie 4 min ago and instance vm-1 waits for the answer.",
    ),
    "outcome unknown": (
        SENT | {"last_error": "no answer", "due_at": ahead(minutes=1)},
        (
            "Not delivered yet: its request left for Kie 4 min ago and the outcome is unknown (no answer); it is "
            "never sent again, its callback finds it or the money goes back in 21 h."
        ),
    ),
    "submitter died": (
        SENT | {"leased_by": "vm-9", "leased_until": ago(seconds=1)},
        (
            "Not delivered yet: its request left for Kie 4 min ago and the outcome is unknown (no error recorded); it "
            "is never sent again, its callback finds it or the money goes back in 21 h."
        ),
    ),
    "running": (
        RUNNING | {"due_at": ahead(seconds=14)},
        "Not delivered yet: Kie has had task t-1 for 4 min; the next look comes in 14 s.",
    ),
    "being looked at": (
        RUNNING | LEASED,
        "Not delivered yet: Kie has had task t-1 for 4 min; instance vm-1 is asking Kie right now.",
    ),
    "looked at by a dead instance": (
        RUNNING | LEASED | {"leased_by": "vm-9"},
        "Not delivered yet: Kie has had task t-1 for 4 min; instance vm-9, which is no longer alive, is asking Kie right now.",
    ),
    "look due": (
        RUNNING | {"due_at": ago(minutes=3)},
        (
            "Not delivered yet: Kie has had task t-1 for 4 min; the next look has been due for 3 min, an instance "
            "takes it within a second."
        ),
    ),
    "overdue": (
        RUNNING | {"overdue_at": ago(minutes=2), "due_at": ahead(minutes=5)},
        (
            "Not delivered yet: Kie has had task t-1 for 4 min, longer than usual (it is given up in 21 h, the "
            "customer may cancel); the next look comes in 5 min."
        ),
    ),
    "success without a result": (
        RUNNING | {"empty_since": ago(seconds=30), "due_at": ahead(seconds=5)},
        (
            "Not delivered yet: Kie has had task t-1 for 4 min and says success without a result for 30 s; the next "
            "look comes in 5 s."
        ),
    ),
    "running and forgotten": (
        RUNNING | {"due_at": None},
        "Not delivered: Kie has had task t-1 for 4 min, and it is no longer polled; `jobs retry 7` polls it now.",
    ),
    "lost at Kie": (
        RUNNING | {"last_error": "Kie does not know it", "due_at": ahead(minutes=1)},
        "Not delivered yet: Kie has had task t-1 for 4 min (Kie does not know it); the next look comes in 60 s.",
    ),
    "stopped": (
        RUNNING | {"stopped_at": ago(minutes=10), "last_error": "there is no hold job:7", "due_at": None},
        (
            "Not delivered: a rule of our own broke 10 min ago (there is no hold job:7), so it is stopped with its "
            "money held; `jobs retry 7` goes on, `jobs cancel 7` gives the money back."
        ),
    ),
    "delivered": (
        DONE | {"delivered_at": ago(days=3), "card_shown": 3},
        "Delivered: the card has shown the result for 3 days.",
    ),
    "a gift delivered": (
        DONE | {"delivered_at": ago(hours=3), "card_shown": 3, "gift": True},
        "Delivered as a gift: the card has shown the result for 3 h.",
    ),
    "to be rendered once more": (
        DONE | {"delivered_at": ago(seconds=30), "deliver_at": ahead(seconds=90)},
        "Delivered: the card has shown the result for 30 s; the card is rendered again, next try in 90 s.",
    ),
    "blocked": (
        DONE | {"undeliverable_at": ago(minutes=30), "delivery_error": "the user cannot be reached"},
        (
            "Not delivered: the result is there; the customer has not been reachable for 30 min (the user cannot be "
            "reached); it is shown when they return, or now by `jobs redeliver 7`."
        ),
    ),
    "parked": (
        DONE | {"parked_at": ago(hours=2), "delivery_error": "Bad Request: never seen"},
        (
            "Not delivered: the result is there; Telegram refused the card too often, it has been parked for 2 h (Bad "
            "Request: never seen); `jobs redeliver 7` tries again."
        ),
    ),
    "being shown": (
        DONE | {"delivering_at": ago(seconds=2), "delivering_by": "vm-1", "delivery_attempts": 1},
        "Not delivered yet: the result is there; instance vm-1 has been editing the card for 2 s, attempt 1.",
    ),
    "stale lock": (
        DONE | {"delivering_at": ago(minutes=6), "delivering_by": "vm-1"},
        (
            "Not delivered yet: the result is there; instance vm-1 locked the card and did not come back; the card "
            "has been due for 60 s, an instance takes it within a second."
        ),
    ),
    "lock of the dead": (
        DONE
        | {"delivering_at": datetime.min.replace(tzinfo=UTC), "delivering_by": "vm-9", "deliver_at": ago(seconds=4)},
        (
            "Not delivered yet: the result is there; the instance that had locked the card died; the card has been "
            "due for 4 s, an instance takes it within a second."
        ),
    ),
    "tried again later": (
        DONE | {"delivery_error": "429", "deliver_at": ahead(seconds=31)},
        "Not delivered yet: the result is there; the last try failed (429), next try in 31 s.",
    ),
    "card due": (
        DONE,
        "Not delivered yet: the result is there; the card has been due for 0 s, an instance takes it within a second.",
    ),
    "failed and said so": (
        RUNNING | {"status": JobStatus.FAILED, "fail_code": "kie-422", "fail_reason": "flagged"},
        "Nothing to deliver: it failed (kie-422: flagged) and the money went back; the card says so.",
    ),
    "failed, card due": (
        RUNNING | {"status": JobStatus.FAILED, "fail_code": "timeout", "card_wanted": 3, "deliver_at": ago(seconds=1)},
        (
            "Nothing to deliver: it failed (timeout) and the money went back; the card has been due for 1 s, an "
            "instance takes it within a second."
        ),
    ),
    "canceled": (
        {"status": JobStatus.CANCELED},
        "Nothing to deliver: it was canceled and the money went back; the card says so.",
    ),
    "offered": (
        RUNNING | {"status": JobStatus.CANCELED, "offered_at": ago(seconds=1)},
        "Nothing to deliver: it was canceled and a late result is offered for its price; the card says so.",
    ),
    "canceled after it was stopped": (
        {"status": JobStatus.CANCELED, "stopped_at": ago(hours=2)},
        "Nothing to deliver: it was canceled and the money went back; the card says so.",
    ),
}


@pytest.mark.parametrize(("changes", "sentence"), SENTENCES.values(), ids=SENTENCES.keys())
def test_every_state_has_its_sentence(changes: dict[str, Any], sentence: str) -> None:
    said = why_not_delivered(replace(PENDING, **changes), AROUND)
    assert said.plain == sentence
    assert said.in_(load_texts().speaker("ru"))


@pytest.mark.parametrize("changes", [{}, RUNNING, DONE], ids=["submit", "look", "card"])
def test_where_nobody_is_alive_it_says_so(changes: dict[str, Any]) -> None:
    assert "no instance is running: start one" in why_not_delivered(replace(PENDING, **changes), NOBODY).plain


@pytest.mark.parametrize("status", JobStatus)
def test_every_status_is_one_sentence(status: JobStatus) -> None:
    said = why_not_delivered(replace(PENDING, status=status), AROUND).plain
    assert said.endswith(".")
    assert said.count(". ") == 0


def test_facts_come_from_a_row_with_real_statuses() -> None:
    row = {name: getattr(PENDING, name) for name in Facts.__dataclass_fields__} | {"status": "pending", "more": 1}
    assert facts_of(row) == PENDING


def test_a_job_behind_a_pause_says_why_nothing_is_submitted() -> None:
    paused = replace(AROUND, submits_blocked="kie-402")
    assert why_not_delivered(replace(PENDING, due_at=ago(minutes=4)), paused).plain == (
        "Not delivered yet: its submit has been due for 4 min and nothing is submitted at the moment: kie-402."
    )

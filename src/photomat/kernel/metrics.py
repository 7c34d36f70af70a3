"""Metrics of /metrics, all of them: names, labels, buckets. Each is measured in one place, named in its comment.

Every log event is counted by its tag, so logs and metrics agree. A label never holds a user, a job, a URL or free text: its
values are names from our own code, or from a short list of a vendor (a method of the Bot API, a currency). Counters of money
and jobs are raised after the commit (`db/connection.py`); figures of the database are read on request, at most every few
seconds (`reports/figures.py`).
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from photomat.kernel.clock import monotonic
from photomat.kernel.errors import PhotomatError

disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each counter, which nothing here reads
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
CALL_BUCKETS: Final = (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
WORK_BUCKETS: Final = (0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)
FAST_BUCKETS: Final = (0.001, 0.005, 0.025, 0.1, 0.5, 2, 10)

BUILD = Gauge("photomat_build_info", "1, labelled by the version that runs.", ["version"], registry=REGISTRY)
ACTIVE = Gauge("photomat_active", "1 while this instance is ACTIVE.", registry=REGISTRY)
EVENTS = Counter("photomat_events", "Log events by tag.", ["tag"], registry=REGISTRY)

# Money and jobs: wallet/store.py, payments/receive.py, payments/refunds.py, jobs/store.py.
MONEY = Counter(
    "photomat_money_minor_units",
    "Money moved in wallets, in minor units: credit, debit, hold, release, charge, refund, debt, correction.",
    ["move", "reason", "currency"],
    registry=REGISTRY,
)
PAYMENTS = Counter(
    "photomat_payments", "Payments received and refunded.", ["provider", "event", "currency"], registry=REGISTRY
)
PAYMENTS_MINOR = Counter(
    "photomat_payments_minor_units",
    "What they credited or took back, in minor units.",
    ["provider", "event", "currency"],
    registry=REGISTRY,
)
JOBS_CREATED = Counter("photomat_jobs_created", "Jobs bought, by the kind of their model.", ["kind"], registry=REGISTRY)
JOBS_ENDED = Counter(
    "photomat_jobs_ended",
    "Jobs that ended: done, gift (done without a charge), failed, canceled, offered, accepted.",
    ["kind", "outcome"],
    registry=REGISTRY,
)

# From the tap to the picture: delivery/coordinator.py.
TAP_TO_PICTURE_S = Histogram(
    "photomat_tap_to_picture_seconds",
    "From the tap on Create to the result shown.",
    buckets=(2, 5, 10, 20, 30, 60, 120, 300, 900, 3600),
    registry=REGISTRY,
)
DELIVERY_S = Histogram(
    "photomat_delivery_seconds",
    "Showing a result on its card, from the lock to the mark, by what worked: file_id, url, bytes, text …",
    ["rung"],
    buckets=CALL_BUCKETS,
    registry=REGISTRY,
)

# Loops: work/loop.py; duties of the ACTIVE instance: work/duties.py.
LOOP_BATCH = Histogram(
    "photomat_loop_batch_items",
    "Items taken by one claim; claims that found nothing are in the lowest bucket.",
    ["loop"],
    buckets=(0, 1, 2, 4, 8, 16, 32),
    registry=REGISTRY,
)
LOOP_ITEM_S = Histogram(
    "photomat_loop_item_seconds", "Work on one item.", ["loop"], buckets=WORK_BUCKETS, registry=REGISTRY
)
LOOP_ERRORS = Counter(
    "photomat_loop_errors", "Errors that reached the top of a loop.", ["loop", "where"], registry=REGISTRY
)
LOOP_TICK = Gauge(
    "photomat_loop_last_tick_timestamp_seconds",
    "When the loop last looked for work or showed that it waits for some; an idle one does so once a minute.",
    ["loop"],
    registry=REGISTRY,
)
DUTY_ERRORS = Counter(
    "photomat_duty_errors", "Failed rounds of the ACTIVE instance's duties.", ["duty"], registry=REGISTRY
)

# Connections: db/pool.py counts, web/metrics.py reads the pool's size.
POOL_ACQUIRE_S = Histogram(
    "photomat_pool_acquire_seconds", "Waiting for a database connection.", buckets=FAST_BUCKETS, registry=REGISTRY
)
POOL_CONNECTIONS = Gauge("photomat_pool_connections", "Open connections of the pool.", ["state"], registry=REGISTRY)
POOL_MAX = Gauge("photomat_pool_max_connections", "How many it may open.", registry=REGISTRY)
POOL_WAITING = Gauge("photomat_pool_waiting", "Tasks that wait for a connection now.", registry=REGISTRY)

# Calls to others: kernel/calls.py, at the client of each vendor.
KIE_S = Histogram(
    "photomat_kie_request_seconds", "Calls to Kie.", ["call", "outcome"], buckets=CALL_BUCKETS, registry=REGISTRY
)
TELEGRAM_S = Histogram(
    "photomat_telegram_request_seconds",
    "Calls to Telegram; getUpdates waits for updates on purpose.",
    ["method", "outcome"],
    buckets=CALL_BUCKETS,
    registry=REGISTRY,
)
PROVIDER_S = Histogram(
    "photomat_provider_request_seconds",
    "Calls to payment providers, the tax service and the content checker.",
    ["provider", "call", "outcome"],
    buckets=CALL_BUCKETS,
    registry=REGISTRY,
)
BUDGET_BLOCKS = Counter(
    "photomat_budget_blocks",
    "How often a vendor made us wait (429 and the like), by the budget that was blocked.",
    ["budget"],
    registry=REGISTRY,
)
BUDGET_WAITS = Counter(
    "photomat_budget_waits", "Calls to Telegram put off because a budget was used up.", ["budget"], registry=REGISTRY
)

# Requests to us: web/metrics.py; what was refused: each route.
HTTP_S = Histogram(
    "photomat_http_request_seconds",
    "Requests to us, by route: webhooks, callbacks, notices, downloads, console.",
    ["route", "status"],
    buckets=FAST_BUCKETS,
    registry=REGISTRY,
)
BAD_REQUESTS = Counter(
    "photomat_bad_requests",
    "Requests refused before anything was stored.",
    ["door", "reason"],
    registry=REGISTRY,
)

# The disk: work/disk.py.
DISK_FREE = Gauge("photomat_disk_free_bytes", "Free space of DATA_DIR.", registry=REGISTRY)

# Figures of the database, the same for every instance: reports/figures.py.
DATABASE_UP = Gauge("photomat_database_up", "1 if the database answered the last question.", registry=REGISTRY)
QUEUE_DEPTH = Gauge("photomat_queue_depth", "Inbox rows not handled yet.", registry=REGISTRY)
JOBS_LIVE = Gauge("photomat_jobs_live", "Jobs on their way.", ["kind", "status"], registry=REGISTRY)
MONEY_HELD = Gauge("photomat_money_held_minor_units", "Held for jobs on their way.", ["currency"], registry=REGISTRY)
MONEY_OWED = Gauge("photomat_money_owed_minor_units", "Debt of users.", ["currency"], registry=REGISTRY)
BACKLOG = Gauge("photomat_backlog_rows", "Rows due for a loop, a thousand at most.", ["loop"], registry=REGISTRY)
BACKLOG_OLDEST_S = Gauge(
    "photomat_backlog_oldest_seconds", "How long the oldest of them has been due.", ["loop"], registry=REGISTRY
)
INCIDENTS = Gauge("photomat_incidents_open", "Open incidents by kind.", ["kind"], registry=REGISTRY)
PAUSED = Gauge("photomat_paused", "1 while operators pause it; models are counted.", ["what"], registry=REGISTRY)
KIE_CREDITS = Gauge("photomat_kie_credits", "Kie's balance, as last read.", registry=REGISTRY)
INSTANCES = Gauge("photomat_instances", "Instances alive by their heartbeat.", ["state"], registry=REGISTRY)
AUDIT_BROKEN = Gauge("photomat_audit_broken_invariants", "Of the last proof.", registry=REGISTRY)
AUDIT_AT = Gauge("photomat_audit_last_run_timestamp_seconds", "When it was made.", registry=REGISTRY)
PG_SIZE = Gauge("photomat_postgres_size_bytes", "Size of the database.", registry=REGISTRY)
PG_CONNECTIONS = Gauge("photomat_postgres_connections", "Sessions in the database.", registry=REGISTRY)
PG_CONNECTIONS_MAX = Gauge("photomat_postgres_max_connections", "Sessions the server allows.", registry=REGISTRY)
PG_OLDEST_S = Gauge(
    "photomat_postgres_oldest_transaction_seconds", "Age of the longest open transaction.", registry=REGISTRY
)
PG_XMIN = Gauge(
    "photomat_postgres_oldest_xmin_transactions",
    "How many transactions the oldest snapshot holds back the vacuum.",
    registry=REGISTRY,
)


MOVES: Final = {
    "credit": ("welcome", "topup", "operator", "gift", "promo", "bonus", "referral", "subscription"),
    "debit": ("operator", "gift", "payment-refund", "promo", "bonus", "referral", "subscription"),
    "hold": ("job",),
    "release": ("job",),
    "charge": ("charge",),
    "refund": ("refund", "undelivered"),
    "debt": ("debt",),
    "correction": ("correction",),
}
ENDS: Final = ("done", "gift", "failed", "canceled", "offered", "accepted")


def begin(*, version: str, currency: str, kinds: Iterable[str], providers: Iterable[str]) -> None:
    """Show what is going to be counted as 0: Prometheus sees an increase only from a value it has seen."""
    BUILD.labels(version=version).set(1)
    for move, reasons in MOVES.items():
        for reason in reasons:
            MONEY.labels(move=move, reason=reason, currency=currency)
    for kind in kinds:
        JOBS_CREATED.labels(kind=kind)
        for outcome in ENDS:
            JOBS_ENDED.labels(kind=kind, outcome=outcome)
    for provider in providers:
        for event in ("received", "refunded"):
            PAYMENTS.labels(provider=provider, event=event, currency=currency)
            PAYMENTS_MINOR.labels(provider=provider, event=event, currency=currency)


def exposition() -> bytes:
    return generate_latest(REGISTRY)


def outcome_of(error: BaseException | None) -> str:
    """`ok`, or a word for the error: one of our own classes by its name, anything else `error`."""
    if error is None:
        return "ok"
    return type(error).__name__ if isinstance(error, PhotomatError) else "error"


@contextmanager
def timed(
    histogram: Histogram, *, outcome: Callable[[BaseException | None], str] = outcome_of, **labels: str
) -> Iterator[None]:
    """Observe how long the block takes, by its outcome."""
    began, error = monotonic(), None
    try:
        yield
    except BaseException as raised:
        error = raised
        raise
    finally:
        _timer(histogram, **labels, outcome=outcome(error)).observe(monotonic() - began)


@cache
def _timer(histogram: Histogram, **labels: str) -> Histogram:
    return histogram.labels(**labels)

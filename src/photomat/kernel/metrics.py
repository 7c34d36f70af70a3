"""Metrics of /metrics. Every log event is counted by its tag, so logs and metrics agree."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

REGISTRY = CollectorRegistry()

EVENTS = Counter("photomat_events", "Log events by tag.", ["tag"], registry=REGISTRY)
BAD_REQUESTS = Counter(
    "photomat_bad_requests",
    "Requests refused before anything was stored.",
    ["door", "reason"],
    registry=REGISTRY,
)
ACTIVE = Gauge("photomat_active", "1 while this instance is ACTIVE.", registry=REGISTRY)
QUEUE_DEPTH = Gauge("photomat_queue_depth", "Inbox rows not handled yet.", registry=REGISTRY)
TAP_TO_PICTURE_S = Histogram(
    "photomat_tap_to_picture_seconds",
    "From the tap on Create to the result shown.",
    buckets=(2, 5, 10, 20, 30, 60, 120, 300, 900, 3600),
    registry=REGISTRY,
)


def exposition() -> bytes:
    return generate_latest(REGISTRY)

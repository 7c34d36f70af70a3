"""The first limit that says no is told, with how long it says so; 0 is no limit."""

from dataclasses import replace
from datetime import timedelta

from photomat.jobs.history import RecentOrders
from photomat.orders.limits import Limits, limit_reached
from photomat.orders.outcome import LimitKind, LimitReached

IDLE = RecentOrders(running=0, newest=None, minute_ago=None, free=0, oldest_free=None)
BUSY = RecentOrders(running=99, newest=timedelta(0), minute_ago=timedelta(0), free=99, oldest_free=timedelta(hours=1))
STRICT = Limits(running=2, a_minute=3, pause=timedelta(seconds=20), free_a_day=5)


def test_who_has_done_nothing_may_buy() -> None:
    assert limit_reached(IDLE, STRICT, is_free=True) is None


def test_zero_is_no_limit() -> None:
    assert limit_reached(BUSY, Limits(running=0), is_free=True) is None


def test_every_limit_lets_the_last_one_pass_and_refuses_the_next() -> None:
    assert limit_reached(replace(IDLE, running=1), STRICT, is_free=False) is None
    assert limit_reached(replace(IDLE, running=2), STRICT, is_free=False) == LimitReached(
        why=LimitKind.RUNNING, limit=2
    )
    recent = replace(IDLE, minute_ago=timedelta(seconds=20))
    assert limit_reached(recent, STRICT, is_free=False) == LimitReached(
        why=LimitKind.MINUTE, limit=3, wait=timedelta(seconds=40)
    )
    assert limit_reached(replace(IDLE, minute_ago=timedelta(seconds=60)), STRICT, is_free=False) is None
    just = replace(IDLE, newest=timedelta(seconds=5))
    assert limit_reached(just, STRICT, is_free=False) == LimitReached(
        why=LimitKind.PAUSE, limit=20, wait=timedelta(seconds=15)
    )
    assert limit_reached(replace(IDLE, newest=timedelta(seconds=20)), STRICT, is_free=False) is None
    used = replace(IDLE, free=5, oldest_free=timedelta(hours=1))
    assert limit_reached(used, STRICT, is_free=True) == LimitReached(
        why=LimitKind.FREE, limit=5, wait=timedelta(hours=23)
    )
    assert limit_reached(replace(used, free=4), STRICT, is_free=True) is None


def test_the_free_quota_does_not_touch_who_pays() -> None:
    assert limit_reached(replace(IDLE, free=9, oldest_free=timedelta(hours=1)), STRICT, is_free=False) is None

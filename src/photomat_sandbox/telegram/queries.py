"""Questions the bot must answer once and in time: taps (150 s) and checkouts (10 s)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from photomat_sandbox.telegram.bills import Bill
from photomat_sandbox.telegram.errors import query_too_old

TAP_LIFE_S: Final = 150.0
CHECKOUT_LIFE_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One open question; from `amount` on, the fields belong to checkouts."""

    query_id: str
    kind: str
    user_id: int
    message_id: int
    expires_at: float
    amount: int = 0
    payload: str = ""
    title: str = ""
    link: str = ""
    subscription_period: int = 0


class Queries:
    """The open questions by id; an answer closes its question."""

    def __init__(self, *, clock: Callable[[], float], checkout_life_s: float = CHECKOUT_LIFE_S) -> None:
        self._clock = clock
        self.checkout_life_s = checkout_life_s
        self._open: dict[str, Query] = {}
        # From the clock, so that ids do not come again after a restart.
        self._next = int(clock() * 1_000_000)

    def open_tap(self, *, user_id: int, message_id: int) -> Query:
        """Open the question of a tapped button."""
        return self._add(
            Query(
                query_id=self._new_id(),
                kind="tap",
                user_id=user_id,
                message_id=message_id,
                expires_at=self._clock() + TAP_LIFE_S,
            )
        )

    def open_checkout(self, bill: Bill, *, user_id: int, message_id: int) -> Query:
        """Open the question before a payment."""
        return self._add(
            Query(
                query_id=self._new_id(),
                kind="checkout",
                user_id=user_id,
                message_id=message_id,
                expires_at=self._clock() + self.checkout_life_s,
                amount=bill.amount,
                payload=bill.payload,
                title=bill.title,
                link=bill.link,
                subscription_period=bill.subscription_period,
            )
        )

    def close(self, query_id: str, *, kind: str) -> Query:
        """Take the question off the list, or refuse: answered already, too old, or never asked."""
        query = self._open.get(query_id)
        if query is None or query.kind != kind:
            raise query_too_old()
        del self._open[query_id]
        if query.expires_at <= self._clock():
            raise query_too_old()
        return query

    def take_expired(self) -> list[Query]:
        """Remove the questions nobody answered in time, and give them."""
        expired = [query for query in self._open.values() if query.expires_at <= self._clock()]
        for query in expired:
            del self._open[query.query_id]
        return expired

    def _new_id(self) -> str:
        self._next += 1
        return str(self._next)

    def _add(self, query: Query) -> Query:
        self._open[query.query_id] = query
        return query

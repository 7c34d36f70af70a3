"""Four error families; each determines what the caller does next.

    PhotomatError
    ├── Rejected         a definite no; the customer reads the text of its key
    │   └── NotEnough    the wallet does not cover the price
    ├── Transient        nothing happened; try again (perhaps after `retry_after_s`)
    ├── OutcomeUnknown   a request left and got no answer; find out, never just repeat
    └── Corrupt          one of our invariants does not hold; stop, an operator must look
    Startup              the program cannot start; the text is one sentence for the operator

Foreign exceptions are translated into these once, by the client that receives them.
"""

from photomat.kernel.money import Money


class PhotomatError(Exception):
    """Base of the four families."""


class Rejected(PhotomatError):
    """`text_key` names the text the customer reads, `facts` are its arguments."""

    def __init__(self, text_key: str, **facts: object) -> None:
        super().__init__(text_key)
        self.text_key = text_key
        self.facts = facts


class NotEnough(Rejected):
    """The wallet does not cover the price; nothing was held. Its key has no text: callers word it for what was paid."""

    def __init__(self, *, price: Money, available: Money) -> None:
        super().__init__("not-enough", price=price, available=available)
        self.price = price
        self.available = available


class Transient(PhotomatError):
    """Nothing happened; try again, not before `retry_after_s` if given."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class OutcomeUnknown(PhotomatError):
    """The request left and its answer is lost; it may have been carried out."""


class Corrupt(PhotomatError):
    """One of our invariants does not hold; the message names the ids an operator needs."""


class Startup(Exception):
    """The program cannot start; the message is one sentence that says what to do."""

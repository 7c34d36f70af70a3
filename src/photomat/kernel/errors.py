"""Four families of trouble; each tells the caller what to do next.

    PhotomatError
    ├── Rejected         no: tell the customer, by text key
    │   └── NotEnough    the wallet does not cover the price
    ├── Transient        later: nothing happened, try again (perhaps after `retry_after_s`)
    ├── OutcomeUnknown   a request left and no answer came: find out, never just repeat
    └── Corrupt          our own rule broke: stop this job, call an operator
    Startup              the program cannot start; the text is one sentence for the operator

Foreign exceptions are translated into these once, by the client that meets them.
"""


class PhotomatError(Exception):
    """The root of everything we raise on purpose."""


class Rejected(PhotomatError):
    """A definite no. `text_key` names what the customer reads, `facts` fill it in."""

    def __init__(self, text_key: str, **facts: object) -> None:
        super().__init__(text_key)
        self.text_key = text_key
        self.facts = facts


class NotEnough(Rejected):
    """The wallet does not cover the price; nothing was held."""


class Transient(PhotomatError):
    """Nothing happened; try again, not before `retry_after_s` when it is given."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class OutcomeUnknown(PhotomatError):
    """The request left and its answer is lost. It may have been carried out."""


class Corrupt(PhotomatError):
    """A rule of our own does not hold. The message names the ids an operator needs."""


class Startup(Exception):
    """The program cannot start. The message is one sentence that says what to do."""

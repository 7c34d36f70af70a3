"""What Kie will be sent for a job: frozen when it is bought, so that a catalogue that changes later changes nothing paid for.

It may hold references to files and earlier jobs (`catalog/reference.py`); `jobs/inputs.py` replaces them just before the
request leaves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from photomat.catalog.model import Model
from photomat.catalog.order import body_of
from photomat.catalog.reference import FileRef, references
from photomat.kernel.errors import Rejected
from photomat.kie.families import JOBS


class InputLost(Rejected):
    """Something the order refers to is not there any more, or is not what was looked at: the job cannot be submitted.

    `code` becomes the job's fail code; codes that begin with `input-` are explained to customers as one.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__("fail-input")
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The body of an order and the protocol it travels by (a name of `kie/families.py`)."""

    protocol: str
    body: Mapping[str, Any]

    @property
    def is_complete(self) -> bool:
        """Whether it can be sent as it is: nothing in it refers to something else."""
        return next(references(self.body), None) is None

    @property
    def needs_files(self) -> bool:
        """Whether files must be uploaded before it can be sent."""
        return any(isinstance(ref, FileRef) for ref in references(self.body))

    def as_json(self) -> dict[str, Any]:
        """The request as the job keeps it."""
        return {"protocol": self.protocol, "body": dict(self.body)}


def frozen_request(model: Model, inputs: Mapping[str, Any]) -> Request | None:
    """The request of an order; None where it says no more than the inputs do, which every program can send."""
    request = Request(protocol=model.protocol, body=body_of(model, inputs))
    return None if request == plain_request(inputs) else request


def plain_request(inputs: Mapping[str, Any]) -> Request:
    """The request of a job that keeps none: its inputs as they are."""
    return Request(protocol=JOBS, body=dict(inputs))


def request_from_json(kept: Mapping[str, Any] | None, inputs: Mapping[str, Any]) -> Request:
    """The request a job keeps, or the one its inputs make."""
    return plain_request(inputs) if kept is None else Request(protocol=str(kept["protocol"]), body=kept["body"])

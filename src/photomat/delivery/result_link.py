"""Links to results that are too large for a chat. Pure.

Kie deletes its files after a day to two weeks. With a PUBLIC_URL and a copy of our own the link leads to that:
PUBLIC_URL/result/<job>.<position>.<signature>, signed like the URL of a callback and compared in constant time.
"""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from photomat.delivery.outputs import Output
from photomat.kernel.ids import JobId

SIGNATURE_CHARS: Final = 32
NUMBERS: Final = 2
LONGEST_NUMBER: Final = 18
"""A bigint has 19 digits at most; no job has that many."""


@dataclass(frozen=True, slots=True)
class ResultLink:
    """A URL; `is_ours`: it leads to our copy, which lasts."""

    url: str
    is_ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLinks:
    """Makes links; without a `base_url` we are not reachable from outside."""

    base_url: str | None = None
    secrets: Sequence[bytes] = ()

    def to(self, output: Output, *, is_kept: bool) -> ResultLink:
        """A link to our copy, else to Kie's file."""
        if self.base_url is None or not is_kept:
            return ResultLink(output.url, is_ours=False)
        token = sign_result(output.job_id, output.position, self.secrets)
        return ResultLink(f"{self.base_url}/result/{token}", is_ours=True)


NO_LINKS: Final = ResultLinks()


def sign_result(job_id: JobId, position: int, secrets: Sequence[bytes]) -> str:
    """The part of a URL that names one output."""
    return f"{job_id}.{position}.{_signature(job_id, position, secrets[0])}"


def result_of(token: str, secrets: Sequence[bytes]) -> tuple[JobId, int] | None:
    """The output a URL names, or None when the signature is not ours."""
    *numbers, signature = token.split(".")
    if len(numbers) != NUMBERS or not all(_is_number(number) for number in numbers):
        return None
    job_id, position = JobId(int(numbers[0])), int(numbers[1])
    given = signature.encode(errors="replace")
    valid = [hmac.compare_digest(given, _signature(job_id, position, secret).encode()) for secret in secrets]
    return (job_id, position) if any(valid) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER


def _signature(job_id: JobId, position: int, secret: bytes) -> str:
    return hmac.new(secret, f"result:{job_id}:{position}".encode(), hashlib.sha256).hexdigest()[:SIGNATURE_CHARS]

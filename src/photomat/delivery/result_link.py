"""A lasting way to a result that is too large for a chat: our own copy, under an address only we can write. Pure.

Kie deletes its files after a day to two weeks. Where the outside can reach us and there is a copy, the link leads to it:
PUBLIC_URL/result/<job>.<position>.<signature>, signed like the address of a callback and compared in constant time.
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
    """An address, and whether it lasts."""

    url: str
    is_ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLinks:
    """Writes links; without an address the outside cannot reach us."""

    address: str | None = None
    secrets: Sequence[bytes] = ()

    def to(self, output: Output, *, is_kept: bool) -> ResultLink:
        """The way to an output: to our copy, else to Kie's file while it lasts."""
        if self.address is None or not is_kept:
            return ResultLink(output.url, is_ours=False)
        token = sign_result(output.job_id, output.position, self.secrets)
        return ResultLink(f"{self.address}/result/{token}", is_ours=True)


NO_LINKS: Final = ResultLinks()


def sign_result(job_id: JobId, position: int, secrets: Sequence[bytes]) -> str:
    """The part of an address that names one output."""
    return f"{job_id}.{position}.{_signature(job_id, position, secrets[0])}"


def result_of(token: str, secrets: Sequence[bytes]) -> tuple[JobId, int] | None:
    """The output an address names, or None when the signature is not ours."""
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

"""Signatures of callbacks: our own signed URLs, and Kie's signature where a webhook key is set.

Comparisons take constant time. Kie signs the task id and the time, not the body: a valid signature proves only that Kie sent
something about this task around then.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Final

from photomat.kernel.ids import JobId

TIMESTAMP_HEADER: Final = "X-Webhook-Timestamp"
SIGNATURE_HEADER: Final = "X-Webhook-Signature"
OLDEST_S: Final = 300
TOKEN_CHARS: Final = 32


def sign_job(job_id: JobId, secrets: Sequence[bytes]) -> str:
    """The job's part of its callback URL: `<job id>.<signature>`."""
    return f"{job_id}.{_job_signature(job_id, secrets[0])}"


def job_of(token: str, secrets: Sequence[bytes]) -> JobId | None:
    """The job a callback URL names, or None when the signature is not ours."""
    number, _, signature = token.partition(".")
    if not (number.isascii() and number.isdigit() and len(number) < 19):  # noqa: PLR2004  a bigint has at most 19 digits
        return None
    job_id = JobId(int(number))
    valid = [hmac.compare_digest(signature.encode(), _job_signature(job_id, secret).encode()) for secret in secrets]
    return job_id if any(valid) else None


def kie_signature(task_id: str, timestamp: str, key: str) -> str:
    digest = hmac.new(key.encode(), f"{task_id}.{timestamp}".encode(), hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def signed_by_kie(task_id: str, headers: Mapping[str, str], key: str, *, now_s: int) -> bool:
    """Whether the headers carry Kie's signature for this task, not older than five minutes."""
    timestamp = headers.get(TIMESTAMP_HEADER, "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 12):  # noqa: PLR2004  seconds since 1970
        return False
    fresh = abs(now_s - int(timestamp)) <= OLDEST_S
    expected = kie_signature(task_id, timestamp, key)
    given = headers.get(SIGNATURE_HEADER, "").encode(errors="surrogateescape")
    return hmac.compare_digest(given, expected.encode()) and fresh


def _job_signature(job_id: JobId, secret: bytes) -> str:
    return hmac.digest(secret, f"job:{job_id}".encode(), "sha256").hex()[:TOKEN_CHARS]

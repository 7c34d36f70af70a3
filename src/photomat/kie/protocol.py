"""Kie's protocols: the endpoints of each family of models, the envelope `{"code": …, "msg": …, "data": …}` and its codes.

`jobs` is the default. The older families have endpoints of their own and take their inputs flat, beside the callback URL. One
parser reads the answers of all of them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from photomat.kernel.text import storable

JOBS: Final = "jobs"
MUSIC: Final = "generate/record-info"
OK: Final = 200
BUSY_CODES: Final = frozenset({429, 405, 430, 455})
QUEUE_FULL: Final = 550
PAUSED_CODES: Final = frozenset({401, 402, 433})
CLIENT_ERROR_FROM: Final = 400
REFUSED_CODES: Final = frozenset(range(400, 500)) - {408}
"""A definite no, unlike 408: after a timeout the task may exist."""
UNKNOWN_FROM: Final = 500
"""A server error leaves open whether a task was created."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The endpoints of a family, below `/api/v1/`. `wraps`: inputs are nested and the model is named."""

    create: str
    query: str
    wraps: bool = False

    def body(self, model: str, inputs: Mapping[str, object], callback_url: str | None) -> dict[str, object]:
        order: dict[str, object] = {"model": model, "input": dict(inputs)} if self.wraps else dict(inputs)
        return order if callback_url is None else {**order, "callBackUrl": callback_url}


FAMILIES: Final[Mapping[str, Family]] = {
    JOBS: Family(create="jobs/createTask", query="jobs/recordInfo", wraps=True),
    "veo": Family(create="veo/generate", query="veo/record-info"),
    "veo/extend": Family(create="veo/extend", query="veo/record-info"),
    "veo/4k": Family(create="veo/get-4k-video", query="veo/record-info"),
    "runway": Family(create="runway/generate", query="runway/record-detail"),
    "runway/extend": Family(create="runway/extend", query="runway/record-detail"),
    "aleph": Family(create="aleph/generate", query="aleph/record-info"),
    "gpt4o-image": Family(create="gpt4o-image/generate", query="gpt4o-image/record-info"),
    "flux-kontext": Family(create="flux/kontext/generate", query="flux/kontext/record-info"),
    "midjourney": Family(create="mj/generate", query="mj/record-info"),
    "suno": Family(create="generate", query=MUSIC),
    "suno/extend": Family(create="generate/extend", query=MUSIC),
    "suno/upload-cover": Family(create="generate/upload-cover", query=MUSIC),
    "suno/upload-extend": Family(create="generate/upload-extend", query=MUSIC),
    "suno/add-instrumental": Family(create="generate/add-instrumental", query=MUSIC),
    "suno/add-vocals": Family(create="generate/add-vocals", query=MUSIC),
    "suno/mashup": Family(create="generate/mashup", query=MUSIC),
    "suno/replace-section": Family(create="generate/replace-section", query=MUSIC),
    "suno/sounds": Family(create="generate/sounds", query=MUSIC),
    "suno/lyrics": Family(create="lyrics", query="lyrics/record-info"),
    "suno/wav": Family(create="wav/generate", query="wav/record-info"),
    "suno/vocals": Family(create="vocal-removal/generate", query="vocal-removal/record-info"),
    "suno/midi": Family(create="midi/generate", query="midi/record-info"),
    "suno/mp4": Family(create="mp4/generate", query="mp4/record-info"),
    "suno/cover": Family(create="suno/cover/generate", query="suno/cover/record-info"),
}
"""By the `protocol` of a model in the catalogue."""


class Envelope(NamedTuple):
    """A decoded answer; `code` counts, whatever the HTTP status was."""

    code: int
    message: str
    data: Any


def decode(body: bytes, http_status: int) -> Envelope | None:
    """Decode an envelope; None when the answer is unreadable (truncated, or junk).

    A 4xx page of a gateway is a refusal like Kie's own; its 5xx page leaves the outcome open.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if http_status >= UNKNOWN_FROM:
        return Envelope(http_status, "", None)
    if not isinstance(found, Mapping):
        return Envelope(http_status, "", None) if http_status >= CLIENT_ERROR_FROM else None
    code = found.get("code", http_status)
    message = storable(str(found.get("msg") or found.get("message") or ""))
    return Envelope(int(code), str(message), found.get("data")) if str(code).isascii() and str(code).isdigit() else None

"""The protocols of Kie: where each creates a task and where it is asked about one.

`jobs` is the common one, and every model's unless the catalogue says otherwise. The older families have endpoints of their own
and take their inputs flat, beside the callback's address. Whatever a family answers, one parser reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

JOBS: Final = "jobs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One way to speak of tasks; both paths stand below `/api/v1/`. The common one wraps its inputs and names the model."""

    create: str
    query: str
    wraps: bool = False

    def body(self, model: str, inputs: Mapping[str, object], callback_url: str | None) -> dict[str, object]:
        """What is sent to create a task. An older family names its model, if at all, among the inputs."""
        order: dict[str, object] = {"model": model, "input": dict(inputs)} if self.wraps else dict(inputs)
        return order if callback_url is None else {**order, "callBackUrl": callback_url}


MUSIC: Final = "generate/record-info"

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
"""By the name a model of the catalogue gives as its protocol."""

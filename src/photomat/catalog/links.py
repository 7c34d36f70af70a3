"""A model behind a link: what stands after `?start=`, in the letters Telegram lets through. Pure."""

import re
from typing import Final

from photomat.catalog.load import Catalog

KIND: Final = "model"
NOT_LET_THROUGH: Final = re.compile(r"[^A-Za-z0-9-]")


def payload_of(model_id: str) -> str:
    """What opens a model: `model_kling-3_0_video`."""
    return f"{KIND}_{NOT_LET_THROUGH.sub('_', model_id)}"


def model_behind(catalog: Catalog, payload: str) -> str | None:
    """The id of the model a link is about, sold or not; None where there is none."""
    return next((model_id for model_id in catalog.models if payload_of(model_id) == payload), None)

"""A model list in Kie's shape, made of the simulator's own digest: nothing in it comes from the catalogue."""

import json
from importlib.resources import files
from typing import Any, Final

UNPRICED: Final = frozenset(
    {
        "ai-music-api/check-voice",
        "ai-music-api/create-voice",
        "ai-music-api/regenerate-phrase",
        "ai-music-api/suno-recovery-audio",
        "ai-music-api/validation-phrase",
        "omnihuman-1-5/human-identification",
        "omnihuman-1-5/subject-detection",
        "wan/2-6-flash-image-to-video",
        "wan/2-6-flash-video-to-video",
    }
)
"""Where no price is known the simulator takes nothing."""


def kie_list() -> list[dict[str, Any]]:
    """Every model of the common protocol, fresh at each call, so that a test may change it."""
    rows = json.loads(files("photomat_sandbox.kie").joinpath("models.json").read_text(encoding="utf-8"))
    return [_entry(row) for row in rows]


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    price = {"credits": row["credits"], "per": row["per"], "variants": row.get("price_variants", [])}
    known = None if row["id"] in UNPRICED else price
    return {"id": row["id"], "category": row["category"], "inputs": row["inputs"], "price": known}

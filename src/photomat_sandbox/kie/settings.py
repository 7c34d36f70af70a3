"""The switches of the made-up Kie.ai; every one can be changed while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

DAY_S: Final = 86_400.0
TYPES_OF: Final[Mapping[str, tuple[type, ...]]] = {"float": (int, float), "int": (int,), "bool": (bool,), "str": (str,)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How this Kie.ai behaves. A limit of 0 means no limit; an empty text means "none"."""

    webhook_key: str = ""
    """Signs callbacks; empty: they go out unsigned, as for an account without a webhook key."""
    public_url: str = ""
    """Base of result and upload URLs; empty: the Host of the request that made them."""
    seconds_to_success: float = 4.0
    """How long a picture takes; sound takes half as long again, video twice as long."""
    skip_states: bool = False
    """Go from waiting to the end at once, without generating in between."""
    null_grace_s: float = 0.0
    """For so long after creation recordInfo says "recordInfo is null"."""
    refuse_stock_agents: bool = False
    """Answer 403 to result downloads with the user agent of a stock Python client."""
    added_defaults: bool = False
    """Show the model's defaults in `param` beside what was sent."""
    lagging_flag: bool = False
    """Old families: completeTime and results are there, successFlag is still 0 for two seconds."""
    maintenance: bool = False
    """Refuse every create with 455."""
    creates_per_10_s: int = 20
    queries_per_s: int = 10
    running_limit: int = 100
    callback_timeout_s: float = 15.0
    callback_retries: int = 3
    callback_retry_after_s: float = 5.0
    result_ttl_s: float = DAY_S
    """Results answer 404 afterwards: 24 hours as one page of the docs says, 14 days as another."""
    upload_ttl_s: float = 3 * DAY_S
    picture_side_px: int = 1024
    """The long side of a drawn picture; smaller draws faster."""


def changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Give the settings with some of them changed; a ValueError says in a sentence what is wrong."""
    known = {field.name: str(getattr(field.type, "__name__", field.type)) for field in fields(Settings)}
    for name, value in changes.items():
        if name not in known:
            raise ValueError(f"{name} is not a setting; the settings are {', '.join(known)}")
        if type(value) not in TYPES_OF[known[name]]:
            raise ValueError(f"{name} must be of type {known[name]}")
        if isinstance(value, int | float) and not 0 <= value < float("inf"):
            raise ValueError(f"{name} must not be negative or endless")
    return replace(settings, **changes)

"""Import aiogram without building the validators of its types: each is built when it is first used.

aiogram builds all of them, about four hundred, while it is imported: two thirds of the time that takes and two thirds of its
memory. A bot uses a few dozen. Call `import_aiogram` before anything else imports it; later it does nothing, and everything
works as it does without it.
"""

import sys
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel


def import_aiogram() -> None:
    """Import aiogram; only the types of an update, which every bot needs, are built at once."""
    if "aiogram" in sys.modules:
        return
    names = _import_without_building()
    from aiogram.client.context_controller import BotContextController  # noqa: PLC0415  the import above must come first
    from aiogram.methods.base import Response  # noqa: PLC0415
    from aiogram.types import Message, Update  # noqa: PLC0415

    for base in (BotContextController, Response):
        _build_with(base, names)
    for kind in (Message, Update):
        kind.model_rebuild()


def _import_without_building() -> Mapping[str, Any]:
    """Import aiogram while `model_rebuild` does nothing; return the names that its annotations refer to."""
    names: dict[str, Any] = {}
    build = BaseModel.__dict__["model_rebuild"]

    def remember_names(
        _kind: type[BaseModel], /, *, _types_namespace: Mapping[str, Any] | None = None, **_: object
    ) -> None:
        names.update(_types_namespace or {})

    BaseModel.model_rebuild = classmethod(remember_names)  # type: ignore[assignment,method-assign]
    try:
        import aiogram  # noqa: F401, PLC0415  what this function is for
    finally:
        BaseModel.model_rebuild = build  # type: ignore[method-assign]
    return names


def _build_with(base: type[BaseModel], names: Mapping[str, Any]) -> None:
    """Let pydantic, which builds a type at its first use, find these names."""
    build = BaseModel.__dict__["model_rebuild"].__func__

    def model_rebuild(
        kind: type[BaseModel], /, *, force: bool = False, raise_errors: bool = True, **_: object
    ) -> bool | None:
        built: bool | None = build(kind, force=force, raise_errors=raise_errors, _types_namespace=names)
        return built

    base.model_rebuild = classmethod(model_rebuild)  # type: ignore[assignment,method-assign]

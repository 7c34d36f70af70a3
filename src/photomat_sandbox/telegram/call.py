"""One call of the Bot API on its way through a method."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from photomat_sandbox.telegram.params import Params
from photomat_sandbox.telegram.world import TelegramWorld


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The world a method acts on, and its parameters."""

    world: TelegramWorld
    params: Params


Method = Callable[[Call], Awaitable[Any]]

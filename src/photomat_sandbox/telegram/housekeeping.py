"""What happens by itself as time goes by: unanswered questions run out, the state is saved."""

import asyncio
from pathlib import Path
from typing import Final

from photomat_sandbox.telegram.payments import show_outcome
from photomat_sandbox.telegram.state_file import save_state
from photomat_sandbox.telegram.world import TelegramWorld

TICK_S: Final = 0.25


async def keep_house(world: TelegramWorld, state_file: Path | None) -> None:
    """Tidy up for ever."""
    while True:
        await asyncio.sleep(TICK_S)
        world.updates.forget_expired()
        tell_of_unanswered(world)
        if state_file and world.changed:
            world.changed = False
            save_state(world, state_file, clean=False)


def tell_of_unanswered(world: TelegramWorld) -> None:
    """Let a person know that the bot did not answer their payment in time; a tap just stops spinning."""
    for query in world.queries.take_expired():
        if query.kind == "checkout":
            world.note("checkout", f"payment of {query.amount} ⭐ ran out: the bot did not answer in time")
            show_outcome(world, query, "timeout", code="BOT_PRECHECKOUT_TIMEOUT")

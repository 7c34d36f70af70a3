"""A process dies when an operator's own checker has just answered: the answer stands, the order is bought once."""

from collections.abc import Mapping
from typing import Final

from aiohttp import web

from support.endings import ends_well
from support.patience import until
from support.stories import Tell
from support.system import System
from support.telegram_sim import served


async def the_verdict_stands(system: System, point: str) -> None:
    """The tap is handled again by a fresh process, which finds the verdict and asks nobody."""
    asked: list[object] = []

    async def check(request: web.Request) -> web.Response:
        asked.append(await request.json())
        return web.json_response({"allow": True})

    app = web.Application()
    app.router.add_post("/check", check)
    async with served(app) as url:
        system.settings["CONTENT_CHECK_URL"] = f"{url}/check"
        first = await system.start(FAILPOINT=point)
        anna = system.customer()
        card = await anna.buys()
        await until(lambda: first.exit_code is not None, about=lambda: first.log[-4000:])
        assert first.lines("FAILPOINT"), first.log[-2000:]
        await system.start()
        await ends_well(system, anna, cards=(card,))
    assert len(asked) == 1


STORIES: Final[Mapping[str, Tell]] = {"content.after_verdict": the_verdict_stands}

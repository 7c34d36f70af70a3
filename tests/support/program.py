"""A program of the product in the process of the test: everything is wired, nothing runs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from photomat.app.settings import Settings
from photomat.app.wiring import Program, build
from support.kie_sim import running_kie
from support.telegram_sim import running_telegram

TOKEN: Final = "7000000001:AAH-of-a-long-history"


@asynccontextmanager
async def a_program(dsn: str, folder: Path) -> AsyncIterator[Program]:
    async with AsyncExitStack() as stack:
        kie = await stack.enter_async_context(running_kie())
        telegram = await stack.enter_async_context(running_telegram(token=TOKEN))
        settings = Settings(
            bot_token=TOKEN,
            kie_api_key=kie.world.key,
            kie_api_url=kie.url,
            kie_upload_url=kie.url,
            telegram_api_url=telegram.url,
            public_url="http://127.0.0.1:9",
            data_dir=folder,
            admin_ids="901",
        )
        yield await build(stack, settings, dsn, stop=asyncio.Event())

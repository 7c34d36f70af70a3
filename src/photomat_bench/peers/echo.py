"""A bare aiohttp server that answers with what it got: what accepting a request costs at least. Run as a script."""

import asyncio
import signal
import sys

import uvloop
from aiohttp import web


async def echo(request: web.Request) -> web.Response:
    return web.Response(body=await request.read(), content_type="application/json")


async def main(port: int) -> None:
    app = web.Application()
    app.router.add_post("/{path:.*}", echo)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=1024).start()
    sys.stdout.write("Photomat is running\n")
    sys.stdout.flush()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()


if __name__ == "__main__":
    uvloop.install()
    asyncio.run(main(int(sys.argv[1])))

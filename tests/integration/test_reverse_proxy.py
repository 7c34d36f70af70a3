"""The reverse proxy of docs/deploy.md, run as it stands there: every public route passes, the rest stays inside."""

import io
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web

from photomat.checks.smoke_environment import reserve_port
from photomat.web.app import MAX_BODY_BYTES, build_app
from photomat.web.payments import client_ip
from photomat_chaos.lab.load_balancer import serving
from support.patience import until

ROOT: Final = Path(__file__).parents[2]
PROGRAM: Final = shutil.which("caddy")
PRIVATE: Final = {"/metrics", "/ready"}
"""Routes that are for the machine itself. Any other route is public, and the example must let it pass."""

pytestmark = pytest.mark.skipif(
    PROGRAM is None and not os.environ.get("CI"), reason="no caddy on the PATH; scripts/need_tools gets it"
)


class Echo:
    """Stands behind every route and tells what arrived: the path, how long the body was, who sent it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.answer

    async def answer(self, request: web.Request) -> web.Response:
        told = {"path": request.path, "body": len(await request.read()), "source": client_ip(request)}
        return web.json_response(told | {"host": request.headers.get("Host")})


def the_app() -> web.Application:
    echo: Any = Echo()
    console = web.Application()
    for path in ("/", "/today", "/jobs/{job_id}"):
        console.router.add_get(path, echo.answer)
    console.router.add_post("/sign-in", echo.answer)
    return build_app(
        health=echo, metrics=echo, callbacks=echo, webhook=echo, notices=echo, results=echo, console=console
    )


def routes() -> list[tuple[str, str]]:
    """Method and path of every route of the program, names in the path filled in."""
    found = {
        (route.method, re.sub(r"\{[^}]+\}", "a.b", route.resource.canonical))
        for route in the_app().router.routes()
        if route.resource is not None
    }
    return sorted((method, path) for method, path in found if method != "HEAD")


def documented() -> str:
    (block,) = re.findall(r"```\n(bot\.example\.org \{.*?)```", (ROOT / "docs" / "deploy.md").read_text(), re.DOTALL)
    return str(block)


@asynccontextmanager
async def the_proxy(folder: Path) -> AsyncIterator[str]:
    """The documented proxy in front of the program's routes; gives its address."""
    assert PROGRAM is not None, "no caddy on the PATH"
    async with serving(the_app()) as inside:
        port, log = reserve_port(), folder / "caddy.log"
        config = documented().replace("bot.example.org", f"http://127.0.0.1:{port}")
        config = config.replace("127.0.0.1:8080", urlsplit(inside).netloc)
        (folder / "Caddyfile").write_text(f"{{\n    admin off\n}}\n{config}")
        home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        command = [PROGRAM, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
        process = _start(command, log, home)
        try:
            await until(lambda: process.poll() is None and "serving initial" in log.read_text(), about=log.read_text)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=120)


def _start(command: list[str], log: Path, home: dict[str, str]) -> subprocess.Popen[bytes]:
    with log.open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **home})


async def test_every_public_route_passes_and_nothing_else(tmp_path: Path) -> None:
    assert {path for _, path in routes()} > PRIVATE
    async with the_proxy(tmp_path) as url, aiohttp.ClientSession() as client:
        for method, path in routes():
            async with client.request(method, f"{url}{path}", data=b"x" if method == "POST" else None) as response:
                if path in PRIVATE:
                    assert (response.status, await response.read()) == (404, b""), f"{path} is open to the internet"
                else:
                    assert response.status == 200, f"{method} {path} does not pass the proxy"
                    assert (await response.json())["path"].rstrip("/") == path.rstrip("/")
        for path in ("/", "/metrics/", "/health/../metrics", "//metrics", "/.env"):
            async with client.get(f"{url}{path}") as response:
                assert response.status == 404, path


async def test_the_largest_body_passes_whole(tmp_path: Path) -> None:
    async with the_proxy(tmp_path) as url, aiohttp.ClientSession() as client:
        for path in ("/telegram/webhook", "/kie/callback/a.b", "/pay/yookassa"):
            async with client.post(f"{url}{path}", data=io.BytesIO(b"x" * MAX_BODY_BYTES)) as response:
                assert (await response.json())["body"] == MAX_BODY_BYTES


async def test_a_sender_cannot_pretend_to_be_another_behind_the_proxy(tmp_path: Path) -> None:
    async with the_proxy(tmp_path) as url, aiohttp.ClientSession() as client:
        forged = {"X-Forwarded-For": "185.71.76.1", "X-Real-IP": "185.71.76.1"}
        async with client.post(f"{url}/pay/yookassa", data=b"{}", headers=forged) as response:
            assert (await response.json())["source"] == "127.0.0.1"

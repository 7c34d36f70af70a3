"""The built wheel, alone in an environment with what it declares: it starts anywhere and sells a picture."""

import asyncio
import io
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from aiohttp import ClientSession
from PIL import Image

from support.http_chat import Chat
from support.patience import until
from support.ports import free_ports_in_a_row
from support.wheel import THIS_VERSION, Environment, build_wheel, environment_of, install

VERSIONS: Final = ("3.11", "3.12", "3.13")
RING: Final = "✅ Генерация завершена"
ALL_MODULES_THEN_MAIN: Final = """
import importlib, pkgutil, sys, warnings
warnings.filterwarnings("error", module="photomat")
for name in ("photomat", "photomat_sandbox", "photomat_chaos", "photomat_bench"):
    package = importlib.import_module(name)
    assert package.__file__.startswith(sys.prefix), package.__file__
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
warnings.resetwarnings()
sys.argv[0] = "photomat"
from photomat.cli.main import main
main()
"""
"""Another version of Python may refuse a module that a purchase does not use."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


OTHERS: Final = [pytest.param(each, marks=pytest.mark.prove) for each in VERSIONS if each != THIS_VERSION]


@pytest.fixture(params=[THIS_VERSION, *OTHERS])
def installed(request: pytest.FixtureRequest, wheel: Path, tmp_path: Path) -> Environment:
    """The wheel without extras, for one version of Python."""
    place = environment_of(request.param)
    if place is None:
        pytest.skip(f"python{request.param} is not on the PATH (or `make prove` has not prepared it)")
    return install(wheel, tmp_path / "environment", from_=place)


def test_the_versions_we_name_are_tested() -> None:
    """The version that runs the gate is one of them, so at least one is never skipped."""
    assert THIS_VERSION in VERSIONS


async def test_a_picture_is_bought_from_the_wheel_alone(installed: Environment, tmp_path: Path) -> None:
    folder = tmp_path / "anywhere"
    folder.mkdir()
    (
        installed.prefix / "bin" / "photomat-sandbox"
    ).unlink()  # `pip install --user` puts scripts apart from the interpreter
    async with running(installed, folder) as (port, log), ClientSession(f"http://127.0.0.1:{port + 1}") as telegram:
        person = await (await telegram.post("/sandbox/people", json={"first_name": "Анна"})).json()
        chat = Chat(telegram, person["user_id"], log)
        await chat.buys_a_picture("кот-космонавт")
        pictures = await chat.sees(lambda message: message["kind"] == "photo")
        await chat.sees(lambda message: message["text"] == RING)
        bytes_ = await (await telegram.get(pictures["media"]["url"])).read()
    with Image.open(io.BytesIO(bytes_)) as picture:
        assert picture.width == picture.height
    assert (folder / "var" / "sandbox" / "postgres").is_dir(), "the data lies where it was started"
    assert "pip install 'photomat[sandbox]'" in log.read_text(), "what the missing extra means is said"
    assert await asyncio.to_thread(caption, installed, "Ёж — кот-космонавт в Łódź… 🐱") == "Yozh  kot-kosmonavt v odz…"


def caption(installed: Environment, prompt: str) -> str:
    """What a prompt becomes on a picture where the font of the extra is missing."""
    code = "import sys; from photomat_sandbox.kie.pictures import printable; print(printable(sys.argv[1]))"
    done = subprocess.run(
        [str(installed.python), "-I", "-X", "utf8", "-c", code, prompt], capture_output=True, check=True, timeout=600
    )
    return done.stdout.decode().strip()


@asynccontextmanager
async def running(installed: Environment, folder: Path) -> AsyncIterator[tuple[int, Path]]:
    """`photomat run` with no settings but a port: the sandbox; it ends with code 0 when asked to."""
    port = free_ports_in_a_row(3)
    log = folder.parent / "log"
    environment = {"PATH": os.environ["PATH"], "PORT": str(port), "HOST": "127.0.0.1"}
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *_program(installed),
            "run",
            env=environment,
            cwd=folder,
            stdout=output,
            stderr=asyncio.subprocess.STDOUT,
        )
    try:
        await until(lambda: "Chat page" in log.read_text() or process.returncode is not None)
        assert process.returncode is None, log.read_text()
        yield port, log
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(120):
            assert await process.wait() == 0, log.read_text()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _program(installed: Environment) -> list[str]:
    if installed.version == THIS_VERSION:
        return [str(installed.prefix / "bin" / "photomat")]
    return [str(installed.python), "-I", "-c", ALL_MODULES_THEN_MAIN]

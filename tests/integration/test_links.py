"""Links of customers: where they may lead, how many are waited for at once, and how names are looked up."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from photomat.app.settings import Settings
from photomat.app.wiring import file_sources
from photomat.catalog.answers import Refused
from photomat.catalog.input import FileLimits, Input
from photomat.files import sources
from photomat.files.accept import accept_file
from photomat.files.file import FromLink, InputFile
from photomat.kernel import http
from photomat.kernel.errors import Transient
from photomat.kernel.http import Fetcher, NotAllowed, is_public
from photomat.telegram.limits import BotApiLimits
from support import media_bytes as made
from support.database import pool_of
from support.files import Sender, a_sender
from support.patience import until
from support.telegram_media import running_files
from support.telegram_sim import running_telegram

IMAGE = Input(name="image", type="file", required=True, files=FileLimits(kind="image"))
A_WHILE_S = 240.0


async def takes(sender: Sender, link: str) -> InputFile | Refused:
    return await accept_file(sender.desk, user_id=sender.user_id, origin=link, source=FromLink(link), asked=IMAGE)


async def asked_for(link: str, **how: Any) -> None:
    async with Fetcher(**how).opened(link, most_bytes=1000) as chunks:
        async for _ in chunks:
            pass


@contextmanager
def a_name_server_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Semaphore]:
    """Every name takes a thread until the end; gives how many were asked for."""
    over, asked = threading.Event(), threading.Semaphore(0)

    def wait(*_: object, **__: object) -> list[Any]:
        asked.release()
        over.wait(A_WHILE_S)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", wait)
    try:
        yield asked
    finally:
        over.set()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "::7f00:1",
        "::808:808",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "2002:7f00:1::",
        "2002:808:808::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "fec0::1",
        "fe80::1",
        "fc00::1",
        "ff0e::1",
    ],
)
async def test_nobody_of_our_own_network_is_reached_in_disguise(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(NotAllowed):
        await asked_for(f"https://[{address}]/a.png" if ":" in address else f"https://{address}/a.png")


def test_whoever_is_public_is_reached() -> None:
    for address in ("8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"):
        assert is_public(address)


async def test_customers_links_lead_to_the_usual_port_and_results_to_any() -> None:
    for link in ("https://127.0.0.1.example:8443/a", "https://files.example:22/a", "https://files.example:99999/a"):
        with pytest.raises(Transient) as refused:
            await asked_for(link, any_port=False)
        assert "port" in str(refused.value) or "ValueError" in str(refused.value)
    with pytest.raises(Transient) as refused:
        await asked_for("https://nobody.invalid:8443/a")
    assert not isinstance(refused.value, NotAllowed)


async def test_a_customers_link_is_fetched_as_the_product_wires_it(database: str, tmp_path: Path) -> None:
    settings = Settings.model_validate({"data_dir": str(tmp_path), "lease_s": 2})
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / "left").write_bytes(b"from a program that was killed")
    async with pool_of(database) as pool, running_telegram() as telegram, telegram.bot() as bot:
        desk = file_sources(settings, pool=pool, bot=bot)
        assert not desk.links.any_port
        assert desk.results.any_port
        assert list((tmp_path / "tmp").iterdir()) == []
        assert desk.accept_within_s < 2 * 0.7, "the handler's time is a share of the lease"
        usual = file_sources(settings.model_copy(update={"lease_s": 600.0}), pool=pool, bot=bot)
        assert usual.accept_within_s == pytest.approx(15)


async def test_a_name_server_that_never_answers_keeps_nobody_else_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "LOOKUP_TIMEOUT_S", 0.3)
    with a_name_server_that_never_answers(monkeypatch) as asked:
        fetcher = Fetcher()

        async def one(number: int) -> None:
            async with fetcher.opened(f"https://silent-{number}.example/a", most_bytes=1000):
                pass

        async with asyncio.timeout(A_WHILE_S / 2):
            ends = await asyncio.gather(*(one(number) for number in range(40)), return_exceptions=True)
            assert await asyncio.to_thread(lambda: "free") == "free"
        assert all(isinstance(end, Transient) for end in ends)
        assert sum(asked.acquire(blocking=False) for _ in range(40)) == http.THREADS


async def test_slow_links_leave_place_for_others_and_are_told_so(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender, running_files() as server, asyncio.TaskGroup() as group:
        sender.desk = replace(sender.desk, accept_within_s=120.0)
        server.pause.clear()
        links = [server.add(f"{number}.png", made.image("PNG"), "image/png") for number in range(3)]
        slow = [group.create_task(takes(sender, link)) for link in links]
        await until(lambda: len(server.asked) == len(links))
        hasty = replace(sender, desk=replace(sender.desk, accept_within_s=0.5))
        refused = await takes(hasty, server.add("more.png", made.image("PNG"), "image/png"))
        assert isinstance(refused, Refused)
        assert refused.key == "file-later"
        assert len(server.asked) == len(links)
        server.pause.set()
        assert all(isinstance(file, InputFile) for file in await asyncio.gather(*slow))
        assert isinstance(await takes(sender, f"{server.url}/more.png"), InputFile)


async def test_copies_lie_below_our_own_folder_and_nothing_is_left(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "not there"))
    async with a_sender(database, tmp_path / "own") as sender, running_files() as server:
        link = server.add("a.png", made.image("PNG"), "image/png")
        assert isinstance(await takes(sender, link), InputFile)
        assert list(sender.desk.tmp.iterdir()) == []
        sender.desk.tmp.rmdir()
        sender.desk.tmp.write_bytes(b"a file where the folder should be")
        refused = await takes(sender, f"{link}?again")
        assert isinstance(refused, Refused)
        assert refused.key == "file-later", "it is our trouble, and the link is not blamed"


async def test_more_than_we_hold_ourselves_is_refused_whatever_a_model_would_take(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 2**20)
    small = BotApiLimits(download_bytes=2**19, upload_bytes=2**19)
    large = Input(name="video", type="file", required=True, files=FileLimits(kind="video", max_bytes=500 * 2**20))
    async with a_sender(database, tmp_path) as sender, running_files() as server:
        link = server.add("a.mp4", made.film(padding=2**20), "video/mp4")
        desk = replace(sender.desk, limits=small)
        refused = await accept_file(desk, user_id=sender.user_id, origin="a", source=FromLink(link), asked=large)
        assert isinstance(refused, Refused)
        assert (refused.key, refused.facts["limit"]) == ("form-file-heavy", 1)

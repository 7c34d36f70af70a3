"""Results are fetched from where results may lie, and from nowhere else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from photomat.delivery import archive
from photomat.delivery.archive import ResultFiles
from photomat.delivery.outputs import Output
from photomat.kernel import http
from photomat.kernel.errors import Transient
from photomat.kernel.http import Fetcher, NotAllowed
from photomat.kernel.ids import JobId
from photomat.storage.store import PARTS
from support.delivery import delivery_desk
from support.jobs import row_of
from support.ports import free_ports_in_a_row
from support.telegram_media import picture
from support.telegram_sim import served

CAT = picture()


@dataclass(slots=True, kw_only=True)
class Redirecting:
    """A server that gives a picture, sends people where `to` says, and at /round for ever in a circle."""

    url: str = ""
    asked: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        self.agents.append(request.headers.get("User-Agent", ""))
        to = "/round" if request.path == "/round" else request.query.get("to")
        if to is not None:
            return web.Response(status=302, headers={"Location": to})
        if request.path == "/empty":
            return web.Response()
        return web.Response(body=CAT, content_type="image/png")


@asynccontextmanager
async def redirecting() -> AsyncIterator[Redirecting]:
    server = Redirecting()
    app = web.Application()
    app.router.add_get("/{path:.*}", server.answer)
    async with served(app) as url:
        server.url = url
        yield server


def output(url: str) -> Output:
    return Output(
        job_id=JobId(1),
        corr="c0ffee00",
        position=0,
        url=url,
        media=None,
        mime=None,
        size_bytes=None,
        width=None,
        height=None,
        kept_as=None,
        file_id=None,
    )


def kept_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("1/[0-9]*"))


def left_in(folder: Path) -> list[Path]:
    """Files that are not complete."""
    return [*folder.rglob("*.part"), *(folder / PARTS).iterdir()]


def port_of(url: str) -> int:
    return urlsplit(url).port or 0


def outside(folder: Path) -> ResultFiles:
    """As in production: Kie's API is another host, loopback is a private address."""
    return ResultFiles(folder=folder, fetcher=Fetcher(trusted_host="api.kie.ai"))


async def test_a_private_address_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    async with redirecting() as server:
        port = port_of(server.url)
        for url in (
            f"{server.url}/cat.png",
            f"https://127.0.0.1:{port}/cat.png",
            f"https://[::1]:{port}/cat.png",
            f"https://[::ffff:127.0.0.1]:{port}/cat.png",
            "https://10.0.0.1/cat.png",
            "https://192.168.1.1/cat.png",
            "https://169.254.169.254/latest/meta-data",
            "https://0.0.0.0/cat.png",
            "http://files.example/cat.png",
            "ftp://files.example/cat.png",
            "file:///etc/passwd",
            "https:///cat.png",
        ):
            with pytest.raises(NotAllowed):
                await outside(tmp_path).fetch(output(url))
        assert server.asked == []


async def test_a_name_that_leads_to_a_private_address_is_refused(tmp_path: Path) -> None:
    async with redirecting() as server:
        port = port_of(server.url)
        for host in ("localhost", "2130706433", "0x7f000001", "127.1", "0177.0.0.1", "127.0.0.1."):
            with pytest.raises(Transient):
                await outside(tmp_path).fetch(output(f"https://{host}:{port}/cat.png"))
        assert server.asked == []


async def test_the_host_of_kies_api_is_trusted_whatever_its_address(tmp_path: Path) -> None:
    async with redirecting() as server:
        files = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="127.0.0.1"))
        kept = await files.fetch(output(f"{server.url}/cat.png"))
        assert (tmp_path / kept.name).read_bytes() == CAT
        assert (kept.mime, kept.size_bytes) == ("image/png", len(CAT))
        assert "Python" not in server.agents[0], "Kie's file servers refuse the agent of a stock client"


async def test_a_large_file_is_kept_like_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with redirecting() as server:
        files = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="127.0.0.1"))
        small = await files.fetch(output(f"{server.url}/cat.png"))
        monkeypatch.setattr(archive, "SMALL_BYTES", len(CAT) // 2)
        monkeypatch.setattr(http, "CHUNK_BYTES", len(CAT) // 3)
        large = await files.fetch(replace(output(f"{server.url}/cat.png"), position=1))
        assert replace(large, name=small.name) == small
        assert (tmp_path / large.name).read_bytes() == CAT
        assert kept_in(tmp_path) == ["0.png", "1.png"]
        assert left_in(tmp_path) == []


async def test_a_redirect_is_followed_where_it_may_lead(tmp_path: Path) -> None:
    async with redirecting() as server:
        files = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="127.0.0.1"))
        kept = await files.fetch(output(f"{server.url}/a?to=/b%3Fto%3D/cat.png"))
        assert (tmp_path / kept.name).read_bytes() == CAT
        assert server.asked == ["/a", "/b", "/cat.png"]


@pytest.mark.parametrize(
    "to",
    [
        "http://localhost:{port}/cat.png",
        "https://localhost:{port}/cat.png",
        "https://[::1]:{port}/cat.png",
        "http://10.0.0.1/cat.png",
        "file:///etc/passwd",
        "",
    ],
)
async def test_a_redirect_is_tested_like_the_first_address(tmp_path: Path, to: str) -> None:
    async with redirecting() as server:
        files = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="127.0.0.1"))
        where = to.format(port=port_of(server.url))
        with pytest.raises(Transient):
            await files.fetch(output(f"{server.url}/a?to={where}"))
        assert set(server.asked) == {"/a"}


async def test_redirects_come_to_an_end(tmp_path: Path) -> None:
    async with redirecting() as server:
        files = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="127.0.0.1"))
        with pytest.raises(NotAllowed):
            await files.fetch(output(f"{server.url}/round"))
        assert server.asked == ["/round"] * (http.MAX_REDIRECTS + 1)


async def test_what_is_too_large_or_empty_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ResultFiles, "most_bytes", len(CAT) - 1)
    async with redirecting() as server:
        files = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="127.0.0.1"))
        for path in ("cat.png", "empty"):
            with pytest.raises(NotAllowed):
                await files.fetch(output(f"{server.url}/{path}"))
        assert kept_in(tmp_path) == []


async def test_a_server_that_is_not_there_is_a_passing_trouble(tmp_path: Path) -> None:
    files = ResultFiles(folder=tmp_path, fetcher=Fetcher(trusted_host="127.0.0.1"))
    with pytest.raises(Transient):
        await files.fetch(output(f"http://127.0.0.1:{free_ports_in_a_row(1)}/cat.png"))


async def test_a_result_at_a_private_address_is_never_fetched_by_us(database: str, tmp_path: Path) -> None:
    """Telegram may try its luck from where it is; our own machine does not reach into its own network."""
    async with delivery_desk(database, tmp_path) as desk, redirecting() as server:
        url = server.url.replace("127.0.0.1", "localhost")
        job_id = await desk.done_job(f"{url}/cat.png")
        await desk.deliver()
        assert [agent for agent in server.agents if agent.startswith("Photomat")] == []
        assert (await row_of(desk.pool, job_id))["delivered_at"] is not None
        assert await desk.pool.fetchval("SELECT count(kept_as) FROM job_outputs") == 0


async def test_a_copy_that_is_lost_is_fetched_again(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", CAT, "image/png"))
        await desk.deliver()
        kept = tmp_path / str(job_id) / "0.png"
        kept.unlink()
        await desk.pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1")
        await desk.deliver()
        assert kept.read_bytes() == CAT


async def test_a_disk_that_takes_nothing_keeps_nobody_from_their_picture(database: str, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.write_bytes(b"a file stands where the folder should be")
    async with delivery_desk(database, full) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", CAT, "image/png"))
        await desk.deliver()
        assert desk.kinds() == ["photo"]
        assert (await row_of(desk.pool, job_id))["delivered_at"] is not None
        assert await desk.pool.fetchval("SELECT count(kept_as) FROM job_outputs") == 0

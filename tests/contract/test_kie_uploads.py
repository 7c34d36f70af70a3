"""Files brought to Kie's upload host over real HTTP: what arrives there, and what each answer means for the caller."""

import io
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from photomat.kernel.errors import Transient
from photomat.kie.client import KieUploads
from photomat.kie.port import Busy, Paused, UploadRefused
from support.kie_sim import KEY, running_kie
from support.ports import free_ports_in_a_row
from support.telegram_media import picture
from support.telegram_sim import served

CAT = picture()


@asynccontextmanager
async def answering(body: Any, *, status: int = 200) -> AsyncIterator[KieUploads]:
    """An upload host that reads what comes and always answers the same."""

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(text=body if isinstance(body, str) else json.dumps(body), status=status)

    app = web.Application(client_max_size=2**24)
    app.router.add_post("/api/file-stream-upload", answer)
    async with served(app) as url:
        yield KieUploads(base_url=url, api_key=KEY)


async def bring(uploads: KieUploads, content: bytes = CAT) -> str:
    return await uploads.upload(io.BytesIO(content), mime="image/png", extension="png")


def answered(address: object, **more: Any) -> dict[str, Any]:
    return {"success": True, "code": 200, "msg": "ok", "data": {"success": True, "downloadUrl": address, **more}}


async def test_a_file_arrives_whole_and_its_address_gives_it_out() -> None:
    async with running_kie() as kie:
        address = await bring(KieUploads(base_url=kie.url, api_key=KEY))
        (upload,) = kie.world.uploads.values()
        assert (upload.content, upload.mime) == (CAT, "image/png")
        async with kie.client.get(address) as response:
            assert await response.read() == CAT


async def test_a_large_file_travels_from_the_disk_with_its_length_known() -> None:
    large = bytes(range(256)) * 40_000
    async with running_kie() as kie:
        with tempfile.TemporaryFile() as file:
            file.write(large)
            file.seek(0)
            await KieUploads(base_url=kie.url, api_key=KEY).upload(file, mime="video/mp4", extension="mp4")
        (upload,) = kie.world.uploads.values()
        assert upload.content == large
        assert upload.path.endswith(".mp4")


async def test_no_two_files_have_the_same_name() -> None:
    async with running_kie() as kie:
        uploads = KieUploads(base_url=kie.url, api_key=KEY)
        names = {urlsplit(await bring(uploads)).path for _ in range(3)}
        assert len(names) == len(kie.world.uploads) == 3


async def test_a_wrong_key_pauses_and_tells_no_key() -> None:
    async with running_kie() as kie:
        with pytest.raises(Paused) as refused:
            await bring(KieUploads(base_url=kie.url, api_key="another"))
    assert refused.value.code == 401
    assert "another" not in str(refused.value)


@pytest.mark.parametrize(
    ("fault", "family"),
    [
        ({"action": "too_many"}, Busy),
        ({"action": "error", "status": 200, "code": 402}, Paused),
        ({"action": "error", "status": 200, "code": 422}, UploadRefused),
        ({"action": "error", "status": 413, "html": True}, UploadRefused),
        ({"action": "error", "status": 502, "html": True}, Transient),
        ({"action": "error", "status": 200, "code": 500}, Transient),
        ({"action": "drop_before"}, Transient),
        ({"action": "drop_after"}, Transient),
    ],
)
async def test_every_answer_says_what_to_do_next(fault: dict[str, Any], family: type[Exception]) -> None:
    async with running_kie() as kie:
        kie.faults.arm(world="kie", method="upload", **fault)
        uploads = KieUploads(base_url=kie.url, api_key=KEY)
        with pytest.raises(family) as trouble:
            await bring(uploads)
        assert type(trouble.value) is family
        assert kie.url not in str(trouble.value)
        assert await bring(uploads), "the next try goes through"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>",
        [],
        {"code": 200, "data": None},
        answered(None),
        answered(""),
        answered("http://elsewhere.example/a.png"),
        answered("ftp://files.example/a.png"),
        answered("https:///a.png"),
        answered("https://files.example/" + "a" * 3000),
        answered("https://files.example/a.png", success=False),
    ],
)
async def test_an_answer_without_a_usable_address_is_tried_again(body: Any) -> None:
    async with answering(body) as uploads:
        with pytest.raises(Transient):
            await bring(uploads)


async def test_an_address_over_https_is_taken_from_any_host() -> None:
    async with answering(answered("https://tempfile.example/a.png")) as uploads:
        assert await bring(uploads) == "https://tempfile.example/a.png"


async def test_a_host_that_is_not_there_is_a_passing_trouble() -> None:
    uploads = KieUploads(base_url=f"http://127.0.0.1:{free_ports_in_a_row(1)}", api_key=KEY)
    with pytest.raises(Transient):
        await bring(uploads)

"""A result too large for the chat has a lasting link to our own copy, which opens that one file and nothing else."""

from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from photomat.delivery.fallbacks import ResultLinks, result_of, sign_result
from photomat.kernel.ids import JobId
from photomat.web.result_file import ResultDownload
from support.delivery import Desk, delivery_desk
from support.telegram_media import picture, video
from support.telegram_sim import served

SECRETS = (b"new", b"old")
MIB = 2**20


def door_of(desk: Desk) -> web.Application:
    app = web.Application()
    door = ResultDownload(pool=desk.pool, archive=desk.coordinator.sender.archive, secrets=SECRETS)
    app.router.add_get("/result/{token}", door.handle)
    return app


async def test_a_film_beyond_every_limit_is_linked_to_our_own_copy_and_read_from_there(
    database: str, tmp_path: Path
) -> None:
    film = video(padding=50 * MIB + 1)
    async with delivery_desk(database, tmp_path) as desk, served(door_of(desk)) as address:
        sender = replace(desk.coordinator.sender, links=ResultLinks(base_url=address, secrets=SECRETS))
        desk.coordinator = replace(desk.coordinator, sender=sender)
        await desk.done_job(desk.files.add("film", film, "video/mp4"))
        await desk.deliver()
        (message,) = desk.seen()
        (link,) = [entity["url"] for entity in message["entities"] if entity["type"] == "text_link"]
        assert link.startswith(f"{address}/result/")
        assert "временная" not in message["text"]
        desk.files.files.clear()
        async with aiohttp.ClientSession() as session:
            async with session.get(link) as answer:
                assert (answer.status, answer.content_type) == (200, "video/mp4")
                assert answer.headers["Content-Disposition"].startswith('attachment; filename="photomat-')
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                assert await answer.read() == film
            async with session.get(link, headers={"Range": "bytes=4-7"}) as part:
                assert (part.status, await part.read()) == (206, b"ftyp")


async def test_nothing_but_the_signed_file_is_given_out(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk, served(door_of(desk)) as address:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        good = sign_result(job_id, 0, SECRETS)
        signature = good.rpartition(".")[2]
        (tmp_path / "secret").write_text("secret")
        tokens = [
            f"{job_id}.1.{signature}",
            f"{job_id + 1}.0.{signature}",
            f"{job_id}.0.{signature[:-1]}x",
            f"{job_id}.0.",
            f"{job_id}.0",
            "..%2f..%2fsecret",
            f"{'9' * 30}.0.{signature}",
            sign_result(job_id, 5, SECRETS),
            sign_result(JobId(10**17), 0, SECRETS),
        ]
        async with aiohttp.ClientSession() as session:
            for token in tokens:
                async with session.get(f"{address}/result/{token}") as answer:
                    assert answer.status == 404, token
            async with session.get(f"{address}/result/{good}") as answer:
                assert (answer.status, await answer.read()) == (200, picture())
            await desk.pool.execute("UPDATE job_outputs SET kept_as = '../secret'")
            async with session.get(f"{address}/result/{good}", allow_redirects=False) as answer:
                assert answer.status == 302, "a copy outside our folder is none: the way leads to Kie's file"
                assert answer.headers["Location"].endswith("/cat.png")


@pytest.mark.parametrize("secrets", [(b"new", b"old"), (b"old",)])
def test_an_older_secret_still_opens_and_a_foreign_one_does_not(secrets: tuple[bytes, ...]) -> None:
    token = sign_result(JobId(7), 2, (b"old",))
    assert result_of(token, secrets) == (JobId(7), 2)
    assert result_of(token, (b"foreign",)) is None

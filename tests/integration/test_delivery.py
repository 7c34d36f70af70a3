"""One result on one card, whatever Telegram answers."""

from pathlib import Path

import pytest

from photomat.db.rows import require_row
from support.database import shift_clock
from support.delivery import delivery_desk
from support.jobs import DELIVERY_LEASE, TWO, lock_card, row_of
from support.logs import logged
from support.telegram_media import picture, video

WRONG_TYPE = "application/octet-stream"
LEASE_S = DELIVERY_LEASE.total_seconds()
MP3 = b"ID3\x04\x00\x00\x00\x00\x00\x00" + b"\xff\xfb\x90\x00" + bytes(413)
OGG = b"OggS\x00\x02" + bytes(60)
PDF = b"%PDF-1.7\n1 0 obj\n"


async def test_a_result_is_shown_by_its_address_and_kept_on_our_disk(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        data = picture()
        job_id = await desk.done_job(desk.files.add("cat.png", data, "image/png"))
        with logged() as lines:
            assert await desk.deliver() == 1
        (message,) = desk.seen()
        assert (message["kind"], "кот-космонавт" in message["caption"]) == ("photo", True)
        assert await desk.delivered(job_id)
        assert (tmp_path / str(job_id) / "0.png").read_bytes() == data
        row = await require_row(desk.pool, "SELECT * FROM job_outputs WHERE job_id = $1", job_id)
        assert (row["mime"], row["media"], row["width"], row["height"]) == ("image/png", "photo", 640, 480)
        assert (row["size_bytes"], row["kept_as"], bool(row["file_id"])) == (len(data), f"{job_id}/0.png", True)
        said = {line["event"]: line for line in lines}
        assert said["DELIVER_OK"]["level"] == "url"
        assert {"DELIVER_LOCK_WIN", "DELIVER_START", "MARK_DELIVERED"} <= set(said)
        assert "cat.png" not in str(lines)
        assert "кот" not in str(lines)
        assert await desk.deliver() == 0


async def test_what_telegram_cannot_fetch_is_uploaded(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        data = picture("blue")
        job_id = await desk.done_job(desk.files.add("cat.png", data, WRONG_TYPE))
        with logged() as lines:
            await desk.deliver()
        assert desk.kinds() == ["photo"]
        assert [line["level"] for line in lines if line["event"] == "DELIVER_OK"] == ["bytes"]
        assert await desk.delivered(job_id)


async def test_a_file_that_cannot_be_fetched_yet_is_tried_again_before_it_becomes_a_link(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(f"{desk.files.url}/late.png")
        await desk.deliver()
        assert not await desk.delivered(job_id)
        desk.files.add("late.png", picture("blue"), "image/png")
        await shift_clock(desk.pool, 60)
        await desk.deliver()
        assert desk.kinds() == ["photo"]
        assert await desk.delivered(job_id)


async def test_what_nobody_can_fetch_is_shown_as_a_link_in_the_end(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        url = f'{desk.files.url}/gone.png?a=1&b=<2>"3'
        job_id = await desk.done_job(url)
        with logged() as lines:
            for _ in range(4):
                await desk.deliver()
                await shift_clock(desk.pool, 60)
        (message,) = desk.seen()
        assert message["kind"] == "text"
        (link,) = [entity for entity in message["entities"] if entity["type"] == "text_link"]
        assert link["url"] == url
        assert [line["level"] for line in lines if line["event"] == "DELIVER_OK"] == ["text"]
        assert await desk.delivered(job_id)


async def test_an_upload_refused_as_photo_goes_as_document(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Bad Request: PHOTO_INVALID_DIMENSIONS", times=2)
        await desk.deliver()
        assert desk.kinds() == ["document"]
        assert await desk.delivered(job_id)


async def test_a_picture_too_long_for_a_photo_goes_as_document_at_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        long = picture(width=9_000, height=1_200)
        await desk.done_job(desk.files.add("long.png", long, "image/png"))
        await desk.deliver()
        (message,) = desk.seen()
        assert message["kind"] == "document"
        assert desk.shown_bytes(message) == long
        assert len(desk.calls("editMessageMedia")) == 1


@pytest.mark.parametrize(
    ("data", "mime", "kind"),
    [
        (picture(form="PNG"), "image/png", "photo"),
        (picture(form="JPEG"), "image/jpeg", "photo"),
        (picture(form="WEBP"), "image/webp", "photo"),
        (picture(form="GIF"), "image/gif", "animation"),
        (video(), "video/mp4", "video"),
        (MP3, "audio/mpeg", "audio"),
        (OGG, "audio/ogg", "audio"),
        (PDF, "application/pdf", "document"),
        (b"what is this", WRONG_TYPE, "document"),
    ],
    ids=["png", "jpeg", "webp", "gif", "mp4", "mp3", "ogg", "pdf", "unknown"],
)
async def test_a_result_is_shown_as_what_its_bytes_are(
    database: str, tmp_path: Path, data: bytes, mime: str, kind: str
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("result", data, mime))
        await desk.deliver()
        assert desk.kinds() == [kind]
        assert await desk.delivered(job_id)


async def test_the_name_and_type_a_server_claims_are_not_believed(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await desk.done_job(desk.files.add("picture.png", video(), "image/png"))
        await desk.deliver()
        assert desk.kinds() == ["video"]


async def test_an_edit_that_changes_nothing_is_a_success(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Bad Request: message is not modified: specified new message content …")
        await desk.deliver()
        assert await desk.delivered(job_id)


async def test_after_a_lost_answer_the_same_picture_is_shown_again_in_the_same_place(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.telegram.faults.arm(world="telegram", method="editMessageMedia", action="drop_after")
        await desk.deliver()
        assert not await desk.delivered(job_id)
        assert desk.kinds() == ["photo"]
        await shift_clock(desk.pool, 10)
        await desk.deliver()
        assert desk.kinds() == ["photo"]
        assert await desk.delivered(job_id)
        assert await desk.deliver() == 0
        await shift_clock(desk.pool, 121)
        assert await desk.deliver() == 1, "an older edit may still have landed: rendered once more"
        await shift_clock(desk.pool, 600)
        assert await desk.deliver() == 0
        assert desk.kinds() == ["photo"]


async def test_a_take_over_shows_the_same_picture_and_renders_it_once_more_later(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        zombie = await lock_card(desk.pool, job_id)
        await shift_clock(desk.pool, LEASE_S + 1)
        assert await desk.deliver(instance=TWO) == 1
        marked = await row_of(desk.pool, job_id)
        with logged() as lines:
            await desk.coordinator.deliver_result_atomic(zombie)
        assert await row_of(desk.pool, job_id) == marked
        assert "DELIVER_LOCK_SKIP" in {line["event"] for line in lines}
        assert "MARK_DELIVERED" not in {line["event"] for line in lines}
        assert desk.kinds() == ["photo"]
        await shift_clock(desk.pool, 121)
        assert await desk.deliver() == 1


async def test_an_ordinary_delivery_is_rendered_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        await shift_clock(desk.pool, 3600)
        assert await desk.deliver() == 0


async def test_an_edit_canceled_by_a_newer_one_is_tried_again_by_the_holder_only(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Bad Request: canceled by new editMessageMedia request")
        await desk.deliver()
        assert await desk.delivered(job_id)
        other = await desk.done_job(desk.files.add("dog.png", picture("green"), "image/png"))
        zombie = await lock_card(desk.pool, other)
        await shift_clock(desk.pool, LEASE_S + 1)
        await lock_card(desk.pool, other, instance=TWO)
        before = len(desk.calls("editMessageMedia"))
        desk.refuse("editMessageMedia", "Bad Request: canceled by new editMessageMedia request")
        await desk.coordinator.deliver_result_atomic(zombie)
        assert len(desk.calls("editMessageMedia")) == before
        assert not await desk.delivered(other)


async def test_text_that_meets_media_means_the_media_is_there(database: str, tmp_path: Path) -> None:
    """The picture landed, its answer was lost, and meanwhile its source is gone: the last rung meets a photo."""
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.telegram.faults.arm(world="telegram", method="editMessageMedia", action="drop_after")
        await desk.deliver()
        desk.refuse("editMessageMedia", "Bad Request: failed to get HTTP URL content", times=9)
        await shift_clock(desk.pool, 10)
        await desk.deliver()
        assert desk.kinds() == ["photo"]
        assert await desk.delivered(job_id)

"""A picture one can see through comes as a document and says why: Telegram's photos have no transparency."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from photomat.db.pool import transaction
from photomat.delivery.fallbacks import FallbackReason, fallbacks_of
from photomat.delivery.lock import turn_page
from photomat.delivery.outputs import outputs_of
from photomat.kernel.ids import JobId, MessageId
from photomat.media import images
from photomat.telegram.port import MediaKind
from support.delivery import Desk, delivery_desk
from support.telegram_media import picture

WHY = "фото в Telegram прозрачность теряет"


def encoded(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def cut_out(color: str = "teal", form: str = "PNG") -> bytes:
    """A square on nothing."""
    image = Image.new("RGBA", (512, 512))
    image.paste(Image.new("RGBA", (200, 200), color), (100, 100))
    return encoded(image, form)


def with_a_palette() -> bytes:
    """One of the colours is none."""
    image = Image.new("P", (64, 64), 1)
    image.putpalette([0, 0, 0, 255, 0, 0])
    image.putpixel((3, 3), 0)
    return encoded(image, transparency=0)


def barely() -> bytes:
    """One pixel of a large picture, and even that only a little."""
    image = Image.new("RGBA", (800, 600), "navy")
    image.putpixel((799, 599), (0, 0, 0, 254))
    return encoded(image)


OPAQUE = Image.new("RGBA", (640, 480), "navy")


async def seen(desk: Desk, job_id: JobId) -> bool:
    (output,) = await outputs_of(desk.pool, job_id)
    return output.is_transparent


async def render_again(desk: Desk) -> None:
    await desk.pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1")
    await desk.deliver()


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (cut_out(), "image/png"),
        (cut_out(form="WEBP"), "image/webp"),
        (with_a_palette(), "image/png"),
        (encoded(Image.new("LA", (64, 64), (9, 0))), "image/png"),
        (barely(), "image/png"),
    ],
    ids=["png", "webp", "palette", "grey", "one pixel"],
)
async def test_a_picture_without_a_background_comes_as_the_file_it_is(
    database: str, tmp_path: Path, data: bytes, mime: str
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("result", data, mime))
        await desk.deliver()
        (message,) = desk.seen()
        assert (message["kind"], WHY in message["caption"]) == ("document", True)
        assert desk.shown_bytes(message) == data
        assert await seen(desk, job_id)
        assert await desk.delivered(job_id)
        await render_again(desk)
        assert desk.seen()[0]["caption"] == message["caption"]
        assert desk.calls("editMessageMedia")[-1]["outcome"].startswith("400 Bad Request: message is not modified")


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (encoded(OPAQUE), "image/png"),
        (encoded(OPAQUE, "WEBP"), "image/webp"),
        (encoded(Image.new("P", (64, 64), 1), transparency=0), "image/png"),
        (picture(form="JPEG"), "image/jpeg"),
        (cut_out()[:600], "image/png"),
    ],
    ids=["png with an alpha channel", "webp", "a colour nobody uses", "jpeg", "broken"],
)
async def test_an_opaque_picture_stays_a_photo(database: str, tmp_path: Path, data: bytes, mime: str) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("result", data, mime))
        await desk.deliver()
        assert not await seen(desk, job_id)
        first = desk.calls("editMessageMedia")[0]
        assert '"photo"' in str(first) or "'photo'" in str(first)


async def test_a_webp_is_sent_as_it_is_and_becomes_no_sticker(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("result", cut_out(form="WEBP"), "image/webp"))
        archive = desk.coordinator.sender.archive
        (output,) = await outputs_of(desk.pool, job_id)
        kept, _ = await archive.ensure_copy(output)
        (rung,) = fallbacks_of(kept, await archive.find(kept))
        assert (rung.media.kind, rung.media.as_is, rung.why) == (MediaKind.DOCUMENT, True, FallbackReason.TRANSPARENT)


async def test_pages_are_photos_and_documents_each_as_it_is(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        urls = [
            desk.files.add("a.png", picture("red"), "image/png"),
            desk.files.add("b.png", cut_out(), "image/png"),
        ]
        job_id = await desk.done_job(*urls)
        await desk.deliver()
        card = MessageId(desk.seen()[0]["message_id"])
        shown = [(desk.seen()[0]["kind"], WHY in desk.seen()[0]["caption"])]
        for page in (1, 0):
            async with transaction(desk.pool) as tx:
                assert await turn_page(tx, job_id=job_id, user_id=desk.user, message_id=card, page=page)
            await desk.deliver()
            (message,) = desk.seen()
            shown.append((message["kind"], WHY in message["caption"]))
        assert shown == [("photo", False), ("document", True), ("photo", False)]


async def test_a_rich_message_holds_it_as_a_document_and_says_why_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        desk.coordinator = replace(desk.coordinator, sender=replace(desk.coordinator.sender, rich=True))
        data = {"a.png": picture("red"), "b.png": cut_out(), "c.png": cut_out("red")}
        await desk.done_job(*(desk.files.add(name, content, "image/png") for name, content in data.items()))
        await desk.deliver()
        (message,) = desk.seen()
        assert [block["type"] for block in message["rich"][:4]] == ["photo", "document", "document", "paragraph"]
        assert "".join(str(block.get("text")) for block in message["rich"]).count(WHY) == 1
        await render_again(desk)
        assert desk.calls("editMessageText")[-1]["outcome"].startswith("400 Bad Request: message is not modified")


async def test_a_photo_telegram_had_before_we_could_look_is_not_shown_again(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("result", cut_out(), "image/png"))
        await desk.pool.execute("UPDATE job_outputs SET media = 'photo', file_id = 'made-of-it-before'")
        await desk.deliver()
        (message,) = desk.seen()
        assert (message["kind"], desk.shown_bytes(message)) == ("document", cut_out())
        assert await desk.delivered(job_id)


async def test_a_picture_too_large_for_a_look_comes_all_the_same(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "MAX_PHOTO_PIXELS", 1000)
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("result", cut_out(), "image/png"))
        await desk.deliver()
        assert await desk.delivered(job_id)
        assert not await seen(desk, job_id)

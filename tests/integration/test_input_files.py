"""What a message brings as an answer to a question for a file: taken by its content, refused in words, remembered once."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from photomat.bot.order_form.message_answers import accept_attachment, accept_own_result
from photomat.catalog.answers import FileFacts, Refused
from photomat.catalog.input import FileKind, FileLimits, Input
from photomat.catalog.load import load_catalog
from photomat.catalog.pricing import quote
from photomat.catalog.reference import FileRef
from photomat.db.pool import transaction
from photomat.files.accept import accept_file
from photomat.files.facts import file_facts
from photomat.files.file import FromLink, InputFile
from photomat.kernel.errors import Transient
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import JobId, UserId
from support import media_bytes as made
from support.files import Sender, a_sender
from support.jobs import a_done_job, a_user
from support.ports import free_ports_in_a_row
from support.shop import RATES
from support.telegram_media import running_files


def asks(kind: FileKind = "image", *, many: int | None = None, **limits: Any) -> Input:
    return Input(
        name="files",
        type="files" if many else "file",
        required=True,
        max_items=many,
        files=FileLimits(kind=kind, **limits),
    )


async def takes(sender: Sender, link: str, asked: Input) -> InputFile | Refused:
    """Take what a link leads to; the servers of tests speak no https, which the bot asks for."""
    return await accept_file(sender.desk, user_id=sender.user_id, origin=link, source=FromLink(link), asked=asked)


async def file_of(answer: object) -> FileRef:
    assert isinstance(answer, dict), answer
    return FileRef(answer["file"])


async def facts_of(sender: Sender, ref: FileRef) -> FileFacts:
    async with transaction(sender.pool) as tx:
        return (await file_facts(tx, sender.user_id, [ref]))[ref]


async def rows(sender: Sender) -> int:
    return int(await sender.pool.fetchval("SELECT count(*) FROM input_files"))


def key_of(answer: object) -> str:
    assert isinstance(answer, Refused), answer
    return answer.key


@pytest.mark.parametrize(
    ("kind", "content", "asked", "form"),
    [
        ("photo", made.image("PNG"), asks("image"), "jpg"),
        ("document", made.image("PNG"), asks("image", formats=("png",)), "png"),
        ("video", made.film(), asks("video", formats=("mp4", "mov"), max_seconds=Decimal(6)), "mp4"),
        ("audio", made.mp3(), asks("audio", formats=("mp3",)), "mp3"),
        ("voice", made.opus(), asks("audio", formats=("ogg",)), "ogg"),
        ("animation", made.image("GIF"), asks("image", formats=("gif",)), "gif"),
        ("document", b"%PDF-1.7", asks("document", formats=("pdf",)), "pdf"),
    ],
)
async def test_whatever_telegram_carries_is_taken_by_its_content(
    database: str, tmp_path: Path, *, kind: str, content: bytes, asked: Input, form: str
) -> None:
    async with a_sender(database, tmp_path) as sender:
        ref = await file_of(await accept_attachment(sender.ctx, await sender.sends(content, kind), asked))
        facts = await facts_of(sender, ref)
        assert (facts.kind, facts.format) == (asked.files.kind if asked.files else None, form)


async def test_a_photo_is_taken_in_its_largest_size(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        message = await sender.sends(made.image("JPEG", width=2000, height=1500), "photo")
        ref = await file_of(await accept_attachment(sender.ctx, message, asks()))
        facts = await facts_of(sender, ref)
        assert (facts.width, facts.height) == (2000, 1500)


async def test_a_name_and_a_declared_type_say_nothing(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        message = await sender.sends(made.wav(), "document", name="photo.png")
        assert key_of(await accept_attachment(sender.ctx, message, asks("image"))) == "form-file-kind"
        assert await rows(sender) == 0, "what does not fit is not remembered"
        assert isinstance(await accept_attachment(sender.ctx, message, asks("audio")), dict)


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        (asks("audio", formats=("wav",)), "form-file-format"),
        (asks("audio", max_seconds=Decimal(5)), "form-file-long"),
        (asks("audio", min_seconds=Decimal(6)), "form-file-brief"),
        (asks("audio", max_bytes=1000), "form-file-heavy"),
        (asks("video"), "form-file-kind"),
        (asks("audio", many=3, total_seconds=Decimal(5)), "form-files-long"),
    ],
)
async def test_a_file_beyond_a_limit_is_refused_before_anybody_pays(
    database: str, tmp_path: Path, asked: Input, key: str
) -> None:
    async with a_sender(database, tmp_path) as sender:
        message = await sender.sends(made.mp3(), "audio")
        refused = await accept_attachment(sender.ctx, message, asked)
        assert key_of(refused) == key
        assert isinstance(refused, Refused)
        assert sender.ctx.say(refused.key, **refused.facts)


async def test_a_broken_film_is_found_out_before_anybody_pays(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        whole = made.film(padding=5000)
        message = await sender.sends(whole[:-200], "document")
        assert key_of(await accept_attachment(sender.ctx, message, asks("video"))) == "file-broken"


@pytest.mark.parametrize(
    ("content", "asked"),
    [
        (made.image("JPEG", width=2000, height=1500), asks("image")),
        (made.image("PNG", width=2000, height=1500), asks("image", formats=("png",))),
        (made.heic(), asks("image", formats=("heic",))),
        (made.wav(), asks("audio", formats=("wav",))),
        (made.recording(), asks("video")),
    ],
    ids=["jpg", "png", "heic", "wav", "webm"],
)
async def test_a_file_cut_in_half_is_found_out_before_anybody_pays(
    database: str, tmp_path: Path, content: bytes, asked: Input
) -> None:
    async with a_sender(database, tmp_path) as sender:
        cut = await sender.sends(content[: round(len(content) * 0.9)], "document")
        assert key_of(await accept_attachment(sender.ctx, cut, asked)) == "file-broken"
        assert await rows(sender) == 0
        whole = await sender.sends(content, "document")
        await file_of(await accept_attachment(sender.ctx, whole, asked))


async def test_of_a_cut_file_that_would_not_be_taken_anyway_the_other_reason_is_told(
    database: str, tmp_path: Path
) -> None:
    async with a_sender(database, tmp_path) as sender:
        content = made.image("JPEG", width=2000, height=1500)
        cut = await sender.sends(content[: len(content) // 2], "document")
        assert key_of(await accept_attachment(sender.ctx, cut, asks("image", formats=("png",)))) == "form-file-format"


async def test_what_is_declared_too_large_is_not_even_fetched(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        message = await sender.sends(made.film(padding=2 * 2**20), "video")
        assert key_of(await accept_attachment(sender.ctx, message, asks("video", max_bytes=2**20))) == "form-file-heavy"
        large = await sender.sends(made.film(padding=21 * 2**20), "document")
        assert key_of(await accept_attachment(sender.ctx, large, asks("video"))) == "file-beyond-telegram"
        silent = large.model_copy(update={"document": large.document.model_copy(update={"file_size": None})})  # type: ignore[union-attr]  # it is a document
        assert key_of(await accept_attachment(sender.ctx, silent, asks("video"))) == "file-beyond-telegram"
        fetched = [event for event in sender.telegram.transcript.since(0) if event.name == "file"]
        assert fetched == []


async def test_an_album_comes_as_single_messages_until_there_are_enough(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        asked, have = asks(many=2), list[dict[str, Any]]()
        for _ in range(2):
            answer = await accept_attachment(
                sender.ctx, await sender.sends(made.image("JPEG"), "photo"), asked, given=have
            )
            assert isinstance(answer, dict)
            have.append(answer)
        assert len({reference["file"] for reference in have}) == 2
        third = await accept_attachment(sender.ctx, await sender.sends(made.image("JPEG"), "photo"), asked, given=have)
        assert key_of(third) == "form-too-many"


async def test_the_length_of_all_files_counts(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        asked = asks("audio", many=3, total_seconds=Decimal(10))
        first = await accept_attachment(sender.ctx, await sender.sends(made.mp3(), "audio"), asked)
        assert isinstance(first, dict)
        message = await sender.sends(made.mp3(), "audio")
        assert key_of(await accept_attachment(sender.ctx, message, asked, given=[first])) == "form-files-long"


async def test_the_same_message_handled_again_brings_the_same_file_and_fetches_nothing(
    database: str, tmp_path: Path
) -> None:
    async with a_sender(database, tmp_path) as sender:
        message = await sender.sends(made.image("JPEG"), "photo")
        first = await accept_attachment(sender.ctx, message, asks())
        calls = sender.telegram.transcript.since(0)
        assert await accept_attachment(sender.ctx, message, asks()) == first
        assert await rows(sender) == 1
        assert sender.telegram.transcript.since(0) == calls


async def test_a_hiccup_of_telegram_is_tried_again_by_the_update_itself(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        message = await sender.sends(made.image("JPEG"), "photo")
        sender.telegram.faults.arm(world="telegram", method="getFile", action="error", status=502)
        with pytest.raises(Transient):
            await accept_attachment(sender.ctx, message, asks())
        assert isinstance(await accept_attachment(sender.ctx, message, asks()), dict)


async def test_plain_words_are_no_file(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        for text in ("кот-космонавт", "см. https://files.example/cat.png", "ftp://files.example/cat.png", "/help"):
            assert await accept_attachment(sender.ctx, await sender.writes(text), asks()) is None


async def test_what_a_link_leads_to_is_taken_by_its_content(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender, running_files() as server:
        link = server.add("cat.exe", made.image("PNG"), "application/x-msdownload")
        file = await takes(sender, link, asks("image", formats=("png",)))
        assert isinstance(file, InputFile)
        assert (file.source, file.content.facts.width) == (FromLink(link), 321)


async def test_a_link_that_leads_to_no_such_file_is_refused_in_words(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender, running_files() as server:
        page = server.add("page", b"\n<!DOCTYPE html><title>cat.png</title>", "image/png")
        assert key_of(await takes(sender, page, asks())) == "file-link-page"
        large = server.add("large", made.film(padding=2**20), "video/mp4")
        assert key_of(await takes(sender, large, asks("video", max_bytes=2**20))) == "form-file-heavy"
        assert key_of(await takes(sender, f"{server.url}/not-there", asks())) == "file-gone"
        nobody = f"http://127.0.0.1:{free_ports_in_a_row(1)}/cat.png"
        assert key_of(await takes(sender, nobody, asks())) == "file-gone"
        assert await rows(sender) == 0


async def test_a_link_that_takes_too_long_is_not_waited_for(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender, running_files() as server:
        sender.desk = replace(sender.desk, accept_within_s=0.2)
        server.pause.clear()
        assert key_of(await takes(sender, server.add("a.png", made.image("PNG"), "image/png"), asks())) == "file-slow"
        server.pause.set()


async def test_links_that_lead_nowhere_are_refused_in_words(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        sender.desk = replace(sender.desk, links=Fetcher())
        for link, key in (
            ("https://127.0.0.1/cat.png", "file-link-refused"),
            ("https://169.254.169.254/latest", "file-link-refused"),
            ("https://localhost./a.png", "file-gone"),
            ("http://files.example/cat.png", "file-link-https"),
            ("https://files.example/" + "a" * 1990, "file-link-https"),
        ):
            assert key_of(await accept_attachment(sender.ctx, await sender.writes(link), asks())) == key


async def test_an_own_result_is_taken_from_our_copy_and_a_strangers_is_not(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        job_id = await a_done_job(sender.pool, sender.user_id)
        (tmp_path / str(job_id)).mkdir()
        (tmp_path / str(job_id) / "0.png").write_bytes(made.image("PNG"))
        await sender.pool.execute("UPDATE job_outputs SET kept_as = $2 WHERE job_id = $1", job_id, f"{job_id}/0.png")
        found = await accept_own_result(sender.ctx, job_id, 0, asks("image", formats=("png",)))
        assert isinstance(found, dict)
        assert await accept_own_result(sender.ctx, job_id, 0, asks("image")) == found
        assert key_of(await accept_own_result(sender.ctx, job_id, 0, asks("audio"))) == "form-file-kind"
        assert key_of(await accept_own_result(sender.ctx, job_id, 1, asks("image"))) == "file-lost"
        stranger = await a_user(sender.pool, user_id=77)
        foreign = await a_done_job(sender.pool, stranger)
        assert key_of(await accept_own_result(sender.ctx, foreign, 0, asks("image"))) == "file-lost"
        assert key_of(await accept_own_result(sender.ctx, JobId(999), 0, asks("image"))) == "file-lost"


async def test_a_result_without_a_copy_of_ours_is_fetched_from_kie(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender, running_files() as server:
        job_id = await a_done_job(
            sender.pool, sender.user_id, urls=[server.add("a.png", made.image("PNG"), "image/png")]
        )
        assert isinstance(await accept_own_result(sender.ctx, job_id, 0, asks()), dict)
        gone = await a_done_job(sender.pool, sender.user_id, urls=[f"{server.url}/gone.png"])
        assert key_of(await accept_own_result(sender.ctx, gone, 0, asks())) == "file-lost"


async def test_a_price_counts_what_was_measured_and_only_in_ones_own_files(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        orders, model = sender.ctx.orders, load_catalog().get("elevenlabs/audio-isolation")
        (asked,) = (each for each in model.inputs if each.takes_files)
        answer = await accept_attachment(sender.ctx, await sender.sends(made.mp3(), "audio"), asked)
        assert isinstance(answer, dict)
        inputs = {asked.name: answer}
        seconds = {f"{asked.name}:seconds": Decimal("5.225")}
        assert await orders.measured(sender.user_id, model, inputs) == seconds
        assert await orders.measured(UserId(78), model, inputs) == {}
        priced = await orders.quote(sender.user_id, model, inputs)
        assert priced.price.minor < quote(model, inputs, RATES).price.minor

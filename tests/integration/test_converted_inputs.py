"""A file that a model does not take as it is: tried before anybody pays, converted on its way to Kie, brought there once."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from photomat.bot.order_form.message_answers import accept_attachment
from photomat.catalog.answers import Refused
from photomat.catalog.input import FileLimits, Input
from photomat.catalog.load import load_catalog
from photomat.catalog.reference import FileRef
from photomat.files.accept import accept_file
from photomat.files.conversion import NotConverted
from photomat.files.file import FromLink, InputFile
from photomat.files.uploader import MAX_LOST, FileChanged, InputUploader
from photomat.jobs import store as jobs_store
from photomat.jobs.inputs import InputResolver
from photomat.jobs.job import KieRequest
from photomat.kernel.errors import Transient
from photomat.kie.client import KieUploads
from photomat.kie.protocol import JOBS
from photomat.media.measure import measure
from support import media_bytes as made
from support.database import shift_clock
from support.files import Sender, a_sender
from support.jobs import LEASE, ONE, a_job
from support.kie_sim import KEY, RunningKie, running_kie
from support.real_media import PHOTO, REAL_FILES
from support.telegram_media import running_files

HALF_A_DAY_S = 12 * 3600.0
JPEG_ONLY = FileLimits(kind="image", formats=("jpg", "png"))
WITH_HEIC = FileLimits(kind="image", formats=("jpg", "heic"))
MP3_ONLY = FileLimits(kind="audio", formats=("wav", "mp3"))


def asks(limits: FileLimits) -> Input:
    return Input(name="file", type="file", required=True, files=limits)


@dataclass(slots=True, kw_only=True)
class Desk:
    """A customer, the courier, and a simulated Kie."""

    sender: Sender
    kie: RunningKie
    uploader: InputUploader

    async def takes(self, content: bytes, limits: FileLimits, *, kind: str = "document") -> InputFile | Refused:
        """Send a file where it is asked for."""
        answer = await accept_attachment(self.sender.ctx, await self.sender.sends(content, kind), asks(limits))
        return answer if isinstance(answer, Refused) else await self.known(answer)

    async def known(self, answer: object) -> InputFile:
        """The file of an answer as it is known now."""
        assert isinstance(answer, dict), answer
        file = await self.uploader.own_file(FileRef(answer["file"]), user_id=self.sender.user_id)
        assert file is not None
        return file

    async def again(self, file: InputFile) -> InputFile:
        """The same file as it is known now."""
        known = await self.uploader.own_file(file.ref, user_id=file.user_id)
        assert known is not None
        return known

    def at_kie(self) -> list[str]:
        """The formats of what was uploaded, by content."""
        return [measure(io.BytesIO(each.content)).facts.format for each in self.kie.world.uploads.values()]


@asynccontextmanager
async def desk_of(database: str, folder: Path) -> AsyncIterator[Desk]:
    async with a_sender(database, folder) as sender, running_kie() as kie:
        uploader = InputUploader(sources=sender.desk, uploads=KieUploads(base_url=kie.url, api_key=KEY))
        yield Desk(sender=sender, kie=kie, uploader=uploader)


async def test_kie_gets_the_format_each_model_takes_and_each_once(database: str, tmp_path: Path) -> None:
    async with desk_of(database, tmp_path) as desk:
        file = await desk.takes(PHOTO.read_bytes(), JPEG_ONLY)
        assert isinstance(file, InputFile), file
        assert (file.content.mime, file.content.facts.format) == ("image/heic", "heic"), "the customer's own file"
        converted = await desk.uploader.upload(file, [JPEG_ONLY])
        file = await desk.again(file)
        assert await desk.uploader.upload(file, [JPEG_ONLY]) == converted
        original = await desk.uploader.upload(file, [WITH_HEIC])
        file = await desk.again(file)
        assert await desk.uploader.upload(file, [WITH_HEIC]) == original != converted
        assert await desk.uploader.upload(file, [JPEG_ONLY, WITH_HEIC]) == converted
        assert desk.at_kie() == ["jpg", "heic"]
        await shift_clock(desk.sender.pool, HALF_A_DAY_S + 1)
        await desk.uploader.upload(await desk.again(file), [JPEG_ONLY])
        assert desk.at_kie() == ["jpg", "heic", "jpg"]


async def test_a_voice_note_is_taken_where_only_mp3_is_and_billed_by_its_own_length(
    database: str, tmp_path: Path
) -> None:
    async with desk_of(database, tmp_path) as desk:
        file = await desk.takes(REAL_FILES["voice-note.ogg"].content, MP3_ONLY, kind="voice")
        assert isinstance(file, InputFile), file
        assert file.content.facts.seconds == REAL_FILES["voice-note.ogg"].made_s
        await desk.uploader.upload(file, [MP3_ONLY])
        assert desk.at_kie() == ["mp3"]


@pytest.mark.parametrize(
    ("content", "limits", "key"),
    [
        (made.heic(), JPEG_ONLY, "file-not-converted"),
        (PHOTO.read_bytes()[:600], JPEG_ONLY, "file-broken"),
        (made.opus(), MP3_ONLY, "file-not-converted"),
        (made.image("GIF"), JPEG_ONLY, "form-file-format"),
    ],
    ids=["only the header of a photo", "half a photo", "packets without sound", "a GIF"],
)
async def test_what_cannot_be_converted_is_refused_before_anybody_pays(
    database: str, tmp_path: Path, content: bytes, limits: FileLimits, key: str
) -> None:
    async with desk_of(database, tmp_path) as desk:
        refused = await desk.takes(content, limits)
        assert isinstance(refused, Refused), refused
        assert refused.key == key
        assert desk.sender.ctx.say(refused.key, **refused.facts)
        assert await desk.sender.pool.fetchval("SELECT count(*) FROM input_files") == 0


async def test_a_file_that_has_changed_since_it_was_priced_is_not_converted(database: str, tmp_path: Path) -> None:
    async with desk_of(database, tmp_path) as desk, running_files() as site:
        link = site.add("a.heic", PHOTO.read_bytes(), "image/heic")
        file = await accept_file(
            desk.sender.desk, user_id=desk.sender.user_id, origin=link, source=FromLink(link), asked=asks(JPEG_ONLY)
        )
        assert isinstance(file, InputFile), file
        site.add("a.heic", PHOTO.read_bytes()[:-1] + b"!", "image/heic")
        with pytest.raises(FileChanged):
            await desk.uploader.upload(file, [JPEG_ONLY])
        assert desk.at_kie() == []


async def test_a_converted_copy_is_not_used_where_less_is_allowed(database: str, tmp_path: Path) -> None:
    async with desk_of(database, tmp_path) as desk:
        file = await desk.takes(PHOTO.read_bytes(), JPEG_ONLY)
        assert isinstance(file, InputFile), file
        first = await desk.uploader.upload(file, [JPEG_ONLY])
        (large,) = [len(each.content) for each in desk.kie.world.uploads.values()]
        less = FileLimits(kind="image", formats=("jpg",), max_bytes=large - 1)
        file = await desk.again(file)
        assert file.converted is not None
        assert file.converted.size_bytes == large
        second = await desk.uploader.upload(file, [less])
        assert second != first
        assert len(list(desk.kie.world.uploads.values())[-1].content) < large
        file = await desk.again(file)
        assert await desk.uploader.upload(file, [less]) == second == await desk.uploader.upload(file, [JPEG_ONLY])


async def test_a_known_file_is_tried_again_for_a_model_that_takes_other_formats(database: str, tmp_path: Path) -> None:
    async with desk_of(database, tmp_path) as desk, running_files() as site:
        link = site.add("a.heic", PHOTO.read_bytes(), "image/heic")

        async def takes(limits: FileLimits) -> InputFile | Refused:
            return await accept_file(
                desk.sender.desk, user_id=desk.sender.user_id, origin=link, source=FromLink(link), asked=asks(limits)
            )

        file = await takes(JPEG_ONLY)
        assert isinstance(file, InputFile), file
        refused = await takes(FileLimits(kind="image", formats=("png",)))
        assert isinstance(refused, Refused), "a photo becomes JPEG, or nothing"
        assert refused.key == "file-not-converted"
        await desk.uploader.upload(file, [JPEG_ONLY])
        site.files.clear()
        again = await takes(JPEG_ONLY)
        assert isinstance(again, InputFile), "what Kie has already is not fetched again"
        assert again.file_id == file.file_id


async def test_a_conversion_that_takes_too_long_is_no_loss_of_the_file(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk_of(database, tmp_path) as desk:
        pool = desk.sender.pool
        file = await desk.takes(PHOTO.read_bytes(), JPEG_ONLY)
        assert isinstance(file, InputFile), file
        body = {"prompt": "кот", "image_urls": [file.ref.as_json()]}
        job_id = await a_job(pool, file.user_id, request=KieRequest(protocol=JOBS, body=body), inputs=body)
        await pool.execute("UPDATE generation_jobs SET model = 'google/nano-banana-edit' WHERE job_id = $1", job_id)
        (job,) = await jobs_store.claim_uploads(pool, limit=9, lease=LEASE, instance=ONE)
        inputs = InputResolver(pool=pool, uploader=desk.uploader, catalog=load_catalog())
        with monkeypatch.context() as patched:
            patched.setattr("photomat.files.uploader.CONVERT_TIMEOUT_S", 0.01)
            for _ in range(MAX_LOST + 1):
                with pytest.raises(Transient, match="took longer"):
                    await inputs.resolve(job)
        assert await pool.fetchval("SELECT lost_times FROM input_files") == 0
        assert (await inputs.resolve(job))["image_urls"][0].startswith("http")


async def test_a_file_too_large_for_the_model_after_all_is_refused(database: str, tmp_path: Path) -> None:
    async with desk_of(database, tmp_path) as desk:
        file = await desk.takes(PHOTO.read_bytes(), JPEG_ONLY)
        assert isinstance(file, InputFile), file
        with pytest.raises(NotConverted):
            await desk.uploader.upload(file, [FileLimits(kind="image", formats=("jpg",), max_bytes=100)])

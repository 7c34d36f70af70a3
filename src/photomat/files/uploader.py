"""Upload a file of a bought job to Kie (`jobs/inputs.py`): fetched again, compared with what was priced, and uploaded.

    copy ─▶ converted, if the model does not accept its format ─▶ upload ─▶ Kie's URL (commit)

Killed before the upload: it is repeated. Killed after it: the file is uploaded again under another random name, which costs
nothing. An upload of the last twelve hours is used again.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

from photomat.catalog.answers import MEGABYTE, targets
from photomat.catalog.input import FileLimits
from photomat.catalog.reference import FileRef
from photomat.db.pool import transaction
from photomat.files import store
from photomat.files.conversion import DiskUnavailable
from photomat.files.file import ConvertedCopy, FromLink, InputFile
from photomat.files.sources import Copy, FileLost, FileSources
from photomat.kernel.errors import Rejected, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.http import NotAllowed, TooLarge
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger
from photomat.kie.port import Uploads
from photomat.telegram.files import TooBig

COPY_TIMEOUT_S: Final = 60.0
CONVERT_TIMEOUT_S: Final = 90.0
MAX_CONVERTED_BYTES: Final = 100 * MEGABYTE
MAX_LOST: Final = 4
"""How often a missing file is retried."""

log = get_logger()


class FileChanged(Rejected):
    """The bytes are not those that were priced."""

    def __init__(self) -> None:
        super().__init__("file-changed")


class SourceUnavailable(Transient):
    """The customer's server does not deliver the file now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputUploader:
    sources: FileSources
    uploads: Uploads

    async def own_file(self, ref: FileRef, *, user_id: UserId) -> InputFile | None:
        async with transaction(self.sources.pool) as tx:
            return (await store.own_files(tx, user_id=user_id, file_ids=[ref.file_id])).get(ref.file_id)

    async def upload(self, file: InputFile, limits: Sequence[FileLimits] = ()) -> str:
        """Kie's URL of the file, in a format that all these inputs accept.

        Raises FileLost, FileChanged, NotConverted, UploadRefused, Paused, SourceUnavailable, ConversionTimeout or other
        Transient.
        """
        wanted = targets(limits, file.content.facts.format)
        if wanted:
            return await self._upload_converted(file, limits, wanted)
        if file.kie_url is not None:
            return file.kie_url
        failpoint("inputs.before_upload")
        async with AsyncExitStack() as stack:
            copy = await self._copy(stack, file)
            content = file.content
            kie_url = await self.uploads.upload(copy.file, mime=content.mime, extension=content.facts.format)
        failpoint("inputs.after_upload")
        await store.remember_upload(self.sources.pool, file.file_id, kie_url=kie_url)
        log.info("INPUT_UPLOADED", file_id=file.file_id, mime=file.content.mime, size=file.content.facts.size_bytes)
        return kie_url

    async def _upload_converted(self, file: InputFile, limits: Sequence[FileLimits], wanted: Sequence[str]) -> str:
        """The same for a converted file, whose URL is recorded beside that of the original."""
        most_bytes = min((each.max_bytes for each in limits if each.max_bytes), default=MAX_CONVERTED_BYTES)
        if file.converted is not None and file.converted.format in wanted and file.converted.size_bytes <= most_bytes:
            return file.converted.kie_url
        failpoint("inputs.before_upload")
        async with AsyncExitStack() as stack:
            copy = await self._copy(stack, file)
            converting = self.sources.converter.converted(
                copy.file,
                file_format=file.content.facts.format,
                targets=wanted,
                most_bytes=most_bytes,
                within_s=CONVERT_TIMEOUT_S,
            )
            made = await stack.enter_async_context(converting)
            kie_url = await self.uploads.upload(made.file, mime=made.mime, extension=made.format)
        failpoint("inputs.after_upload")
        converted = ConvertedCopy(format=made.format, kie_url=kie_url, size_bytes=made.size_bytes)
        await store.remember_converted(self.sources.pool, file.file_id, converted)
        log.info("INPUT_UPLOADED", file_id=file.file_id, mime=made.mime, converted_from=file.content.facts.format)
        return kie_url

    async def is_lost_for_good(self, file: InputFile) -> bool:
        """Count a failed fetch; return whether it was the last attempt."""
        return await store.count_loss(self.sources.pool, file.file_id, most=MAX_LOST)

    async def _copy(self, stack: AsyncExitStack, file: InputFile) -> Copy:
        """A copy of the bytes that were priced, until the stack ends."""
        source, most_bytes = file.source, file.content.facts.size_bytes
        opening = self.sources.copied(source, user_id=file.user_id, most_bytes=most_bytes, within_s=COPY_TIMEOUT_S)
        try:
            copy = await stack.enter_async_context(opening)
        except TooLarge:
            raise FileChanged from None
        except (NotAllowed, TooBig):
            raise FileLost from None
        except DiskUnavailable:
            raise
        except (TimeoutError, Transient) as error:
            if isinstance(source, FromLink):
                raise SourceUnavailable(f"file {file.file_id} could not be fetched: {type(error).__name__}") from None
            if isinstance(error, Transient):
                raise
            raise Transient(f"file {file.file_id} could not be fetched in time") from None
        if copy.sha256 != file.content.sha256:
            raise FileChanged
        return copy

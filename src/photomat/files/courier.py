"""Bring a file to Kie, once: its bytes are fetched again from where they come from, compared, and uploaded.

    copy (compared with what was priced) ─▶ upload ─▶ Kie's address remembered (commit)

Killed before the upload: it is brought again. Killed after it: it is uploaded a second time, under another random name, which
costs nothing and shows nowhere. What Kie has had for less than twelve hours is not brought again.
"""

from dataclasses import dataclass
from typing import Final

from photomat.catalog.reference import FileRef
from photomat.files import store
from photomat.files.copying import copied
from photomat.files.desk import FileDesk, FileLost
from photomat.files.file import InputFile
from photomat.kernel.errors import Rejected, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.fetch import NotAllowed, TooLarge
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger
from photomat.kie.port import Uploads
from photomat.telegram.files import TooBig

COPY_TIMEOUT_S: Final = 60.0
log = get_logger()


class FileChanged(Rejected):
    """The bytes are not the ones that were looked at and priced."""

    def __init__(self) -> None:
        super().__init__("file-changed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Courier:
    """Brings files from the desk to Kie's upload host."""

    desk: FileDesk
    uploads: Uploads

    async def own_file(self, ref: FileRef, *, user_id: UserId) -> InputFile | None:
        """The file, if it is this user's."""
        return (await store.own_files(self.desk.pool, user_id=user_id, file_ids=[ref.file_id])).get(ref.file_id)

    async def bring(self, file: InputFile) -> str:
        """Kie's address of the file. Raises FileLost, FileChanged, UploadRefused, Paused, or Transient (try later)."""
        if file.kie_url is not None:
            return file.kie_url
        failpoint("inputs.before_upload")
        try:
            kie_url = await self._upload(file)
        except TooLarge:
            raise FileChanged from None
        except (NotAllowed, TooBig):
            raise FileLost from None
        except TimeoutError:
            raise Transient(f"file {file.file_id} could not be fetched in time") from None
        failpoint("inputs.after_upload")
        await store.remember_upload(self.desk.pool, file.file_id, kie_url=kie_url)
        log.info("INPUT_UPLOADED", file_id=file.file_id, mime=file.content.mime, size=file.content.facts.size_bytes)
        return kie_url

    async def _upload(self, file: InputFile) -> str:
        content = file.content
        async with copied(
            self.desk,
            file.source,
            user_id=file.user_id,
            most_bytes=content.facts.size_bytes,
            within_s=COPY_TIMEOUT_S,
        ) as copy:
            if copy.sha256 != content.sha256:
                raise FileChanged
            return await self.uploads.upload(copy.file, mime=content.mime, extension=content.facts.format)

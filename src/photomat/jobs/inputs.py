"""Replace the references in a job's request: files by URLs at Kie's upload host, earlier jobs by their task and track ids.

All must belong to the job's user, and earlier jobs must be done. A file that is gone or has changed since it was priced fails
the job, which releases the money. Telegram gives the same error for an unknown file and a temporary failure, and a user's
server may be down for a moment, so such a file is retried a few times, counted in the file's row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from photomat.catalog.input import FileLimits
from photomat.catalog.model import Catalog
from photomat.catalog.order import limits_of_files
from photomat.catalog.reference import FileRef, JobRef, Ref, references, resolved
from photomat.db.pool import Pool
from photomat.files.conversion import NotConverted
from photomat.files.file import FromTelegram
from photomat.files.sources import FileLost
from photomat.files.uploader import FileChanged, InputUploader, SourceUnavailable
from photomat.jobs.job import Job
from photomat.kernel.errors import Rejected, Transient
from photomat.kie.port import UploadRefused


class InputLost(Rejected):
    """A file or job the order refers to is gone or has changed: the job cannot be submitted.

    `code` becomes the job's fail code; customers get one explanation for all codes that begin with `input-`.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__("fail-input")
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class InputResolver:
    pool: Pool
    uploader: InputUploader
    catalog: Catalog

    async def resolve(self, job: Job) -> dict[str, Any]:
        """The body of the job's request without references. Raises InputLost, Paused, or Transient (try later)."""
        known: dict[Ref, str] = {}
        for ref in dict.fromkeys(references(job.request.body)):
            known[ref] = await (self._file_url(job, ref) if isinstance(ref, FileRef) else self._task_or_track(job, ref))
        return dict(resolved(job.request.body, known))

    async def _task_or_track(self, job: Job, ref: JobRef) -> str:
        """The task id of an earlier job, or the track id of one of its outputs."""
        found: str | None = await self.pool.fetchval(
            """
            SELECT CASE WHEN $3::int IS NULL THEN external_task_id ELSE track_id END
              FROM generation_jobs AS job LEFT JOIN job_outputs AS output ON output.job_id = job.job_id AND position = $3
             WHERE job.job_id = $1 AND user_id = $2 AND status = 'done'
            """,
            ref.job_id,
            job.user_id,
            ref.output,
        )
        if found is None:
            raise InputLost("input-gone", f"job {ref.job_id}, output {ref.output}, is not one to go on from")
        return found

    def _limits(self, job: Job) -> Mapping[FileRef, Sequence[FileLimits]]:
        """The limits of the model's inputs, by the files given to them."""
        model = self.catalog.models.get(job.model)
        return {} if model is None else limits_of_files(model, job.inputs)

    async def _file_url(self, job: Job, ref: FileRef) -> str:
        file = await self.uploader.own_file(ref, user_id=job.user_id)
        if file is None:
            raise InputLost("input-gone", f"file {ref.file_id} is not the user's")
        try:
            return await self.uploader.upload(file, self._limits(job).get(ref, ()))
        except NotConverted:
            raise InputLost("input-refused", f"file {ref.file_id} could not be converted") from None
        except FileChanged:
            raise InputLost("input-changed", f"file {ref.file_id} has changed since it was priced") from None
        except UploadRefused as error:
            raise InputLost("input-refused", f"Kie does not take file {ref.file_id}: {error.code}") from None
        except (FileLost, SourceUnavailable) as error:
            may_come_back = isinstance(error, SourceUnavailable) or isinstance(file.source, FromTelegram)
            if may_come_back and not await self.uploader.is_lost_for_good(file):
                raise Transient(f"file {ref.file_id} is not given out now") from None
            raise InputLost("input-gone", f"file {ref.file_id} is not there any more") from None

"""Replace the references of a request: files by URLs at Kie's upload host, earlier jobs by their task and track ids.

Everything must belong to the job's user, and earlier jobs must be done. A file that is gone or has changed since it was priced
fails the job, which releases the money. Telegram gives the same error for an unknown file and a temporary failure, and a user's
server may be down for a moment, so such a file is retried a few times. The retries are counted in the file's row, because a
job's attempts also count other reasons.
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
from photomat.jobs.job import InputLost, Job
from photomat.kernel.errors import Transient
from photomat.kernel.ids import UserId
from photomat.kie.port import UploadRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Resolves references; without an uploader files are refused, without a catalogue they are not converted."""

    pool: Pool
    uploader: InputUploader | None = None
    catalog: Catalog | None = None

    async def resolve(self, job: Job) -> dict[str, Any]:
        """The body of the job's request without references. Raises InputLost, Paused, or Transient (try later)."""
        known: dict[Ref, str] = {}
        for ref in dict.fromkeys(references(job.request.body)):
            known[ref] = await (self._file_url(job, ref) if isinstance(ref, FileRef) else self._task_or_track(job, ref))
        return dict(resolved(job.request.body, known))

    async def _task_or_track(self, job: Job, ref: JobRef) -> str:
        if ref.output is None:
            found = await _task_of(self.pool, ref.job_id, user_id=job.user_id)
        else:
            found = await _track_of(self.pool, ref.job_id, ref.output, user_id=job.user_id)
        if found is None:
            raise InputLost("input-gone", f"job {ref.job_id}, output {ref.output}, is not one to go on from")
        return found

    def _limits(self, job: Job) -> Mapping[FileRef, Sequence[FileLimits]]:
        """The limits of the model's inputs, by the files given to them."""
        model = self.catalog.models.get(job.model) if self.catalog is not None else None
        return {} if model is None else limits_of_files(model, job.inputs)

    async def _file_url(self, job: Job, ref: FileRef) -> str:
        file = None if self.uploader is None else await self.uploader.own_file(ref, user_id=job.user_id)
        if file is None or self.uploader is None:
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


async def _task_of(pool: Pool, job_id: int, *, user_id: UserId) -> str | None:
    found: str | None = await pool.fetchval(
        "SELECT external_task_id FROM generation_jobs WHERE job_id = $1 AND user_id = $2 AND status = 'done'",
        job_id,
        user_id,
    )
    return found


async def _track_of(pool: Pool, job_id: int, position: int, *, user_id: UserId) -> str | None:
    found: str | None = await pool.fetchval(
        """
        SELECT track_id FROM job_outputs JOIN generation_jobs USING (job_id)
         WHERE job_id = $1 AND position = $2 AND user_id = $3 AND status = 'done'
        """,
        job_id,
        position,
        user_id,
    )
    return found

"""Our own copy of every output: Kie deletes results after a day to two weeks, so each is copied soon after the job is done.

Delivery copies what it shows; the loop over `claim_unkept` copies the rest. Copying bears repeating: killed anywhere, the
output comes due again.
"""

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from photomat.db.pool import Pool
from photomat.delivery import outputs
from photomat.delivery.cover import Covers
from photomat.delivery.media import NoDiskSpace, ResultFiles
from photomat.delivery.outputs import KeptFile, Output
from photomat.delivery.rungs import UNLABELLED, Label, kind_of
from photomat.jobs.job import ANSWER_URL
from photomat.kernel.errors import Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import correlated, get_logger
from photomat.telegram.port import MediaKind

ROOM_LOOKED_FOR: Final = timedelta(minutes=5)
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeper:
    """Copies outputs into the results folder and remembers what they are."""

    pool: Pool
    files: ResultFiles

    def path_of(self, output: Output) -> Path | None:
        """Where our copy of an output lies, if there is one on this disk."""
        path = None if output.kept_as is None else self.files.path_of(output.kept_as)
        return path if path is not None and path.is_file() else None

    async def kept(self, output: Output) -> Output:
        """The output with our own copy, made now if there is none; raises Transient when it cannot be had."""
        if self.path_of(output) is not None:
            return output
        failpoint("deliver.before_fetch")
        kept = await (self._answer(output) if output.url == ANSWER_URL else self.files.fetch(output))
        failpoint("deliver.before_keep")
        kept_as = str(kept.path.relative_to(self.files.folder))
        await outputs.remember_kept(self.pool, output, kept, kept_as=kept_as)
        return replace(
            output,
            mime=kept.mime,
            size_bytes=kept.size_bytes,
            width=kept.width,
            height=kept.height,
            kept_as=kept_as,
            seconds=kept.seconds or output.seconds,
            see_through=kept.see_through,
        )

    async def _answer(self, output: Output) -> KeptFile:
        """The object a job has as its result, as a file of JSON."""
        found = await outputs.result_object_of(self.pool, output.job_id)
        data = json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8", "replace")
        return await self.files.write(output, data, mime="application/json", extension="json")

    async def label_of(self, output: Output, *, title: str | None, performer: str) -> Label:
        """What a player shows of what is heard; nothing of anything else. A cover goes only with bytes Telegram lacks."""
        if kind_of(output) is not MediaKind.AUDIO:
            return UNLABELLED
        cover = None if output.file_id is not None else await Covers(files=self.files).of(output)
        return Label(title=title, performer=performer or None, cover=cover)

    async def keep(self, output: Output) -> None:
        """Copy one claimed output."""
        with correlated(output.corr, job_id=output.job_id):
            try:
                await self.kept(output)
            except NoDiskSpace as error:
                await outputs.put_off_keeping(self.pool, output, after=ROOM_LOOKED_FOR)
                log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            except Transient as error:
                log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            else:
                log.info("RESULT_KEPT", position=output.position)

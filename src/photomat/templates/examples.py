"""What shows a template or lets a voice be heard: every statement on `examples`.

An example has one row, and the row exists before its request leaves (`ask`): a request without an answer leaves the row as
`asked` without a task, and nothing asks again. Examples are few and kept for good.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.kernel.ids import TaskId

ExampleState: TypeAlias = Literal["asked", "running", "done", "failed"]
ExampleMedia: TypeAlias = Literal["image", "video", "audio"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """`file` is relative to the folder of examples; `file_id` is Telegram's, known after the first send."""

    subject: str
    state: ExampleState
    model: str
    task_id: TaskId | None
    file: str | None
    media: ExampleMedia | None
    file_id: str | None
    drawn: bool
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyExample:
    """An example that can be shown: a picture by its wide copy, which leaves room for the menu below it."""

    subject: str
    path: Path
    media: ExampleMedia
    file_id: str | None
    drawn: bool

    @property
    def shown_path(self) -> Path:
        return wide_beside(self.path) if self.media == "image" else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """The examples with their files."""

    pool: Pool
    folder: Path

    async def all(self) -> dict[str, Example]:
        rows = await self.pool.fetch(
            """
            SELECT subject, state, model, task_id, file, media, file_id, drawn, problem FROM examples ORDER BY subject
            """
        )
        return {row["subject"]: _example(row) for row in rows}

    async def ready(self) -> dict[str, ReadyExample]:
        """Those that can be shown, by subject."""
        return {
            each.subject: ReadyExample(
                subject=each.subject,
                path=self.folder / each.file,
                media=each.media,
                file_id=each.file_id,
                drawn=each.drawn,
            )
            for each in (await self.all()).values()
            if each.file is not None and each.media is not None
        }


def wide_beside(path: Path) -> Path:
    return path.with_name(f"{path.stem}.wide.jpg")


def of_template(template_id: str) -> str:
    return f"template:{template_id}"


def of_voice(voice: str) -> str:
    return f"voice:{voice}"


async def ask(tx: Transaction, subject: str, *, model: str) -> bool:
    """Note that an example is about to be asked for; False when it was before, unless that failed for sure."""
    asked = await tx.fetchval(
        """
        INSERT INTO examples (subject, state, model) VALUES ($1, 'asked', $2)
            ON CONFLICT (subject) DO UPDATE
           SET state = 'asked', model = excluded.model, task_id = NULL, problem = NULL, changed_at = photomat_now()
         WHERE examples.state = 'failed'
        RETURNING subject
        """,
        subject,
        model,
    )
    return asked is not None


async def record_task(tx: Transaction, subject: str, task_id: TaskId) -> None:
    await tx.execute(
        """
        UPDATE examples SET state = 'running', task_id = $2, changed_at = photomat_now()
         WHERE subject = $1 AND state = 'asked'
        """,
        subject,
        task_id,
    )


async def record_failure(tx: Transaction, subject: str, problem: str) -> None:
    """Nothing was made, for sure: it may be asked for again."""
    await tx.execute(
        """
        UPDATE examples SET state = 'failed', problem = $2, changed_at = photomat_now()
         WHERE subject = $1 AND state IN ('asked', 'running')
        """,
        subject,
        problem,
    )


async def record_file(tx: Transaction, subject: str, *, file: str, media: ExampleMedia) -> None:
    await tx.execute(
        """
        UPDATE examples SET state = 'done', file = $2, media = $3, file_id = NULL, changed_at = photomat_now()
         WHERE subject = $1 AND state = 'running'
        """,
        subject,
        file,
        media,
    )


async def add_drawn(tx: Transaction, subject: str, *, file: str, media: ExampleMedia) -> None:
    """An example the sandbox drew; one that is there stays."""
    await tx.execute(
        """
        INSERT INTO examples (subject, state, model, file, media, drawn) VALUES ($1, 'done', 'sandbox', $2, $3, true)
            ON CONFLICT (subject) DO NOTHING
        """,
        subject,
        file,
        media,
    )


async def record_file_id(tx: Transaction, subject: str, file_id: str) -> None:
    await tx.execute("UPDATE examples SET file_id = $2 WHERE subject = $1 AND state = 'done'", subject, file_id)


async def forget(tx: Transaction, subject: str) -> bool:
    """Delete an example, so that it may be made again; the operator knows that this may cost again."""
    return await tx.fetchval("DELETE FROM examples WHERE subject = $1 RETURNING true", subject) is not None


def _example(row: Row) -> Example:
    return Example(
        subject=row["subject"],
        state=row["state"],
        model=row["model"],
        task_id=TaskId(row["task_id"]) if row["task_id"] else None,
        file=row["file"],
        media=row["media"],
        file_id=row["file_id"],
        drawn=row["drawn"],
        problem=row["problem"],
    )

"""Tasks, uploaded files and the balance on disk, so that a restarted simulator goes on where it was killed.

One SQLite file. Every change is committed before the call that made it is answered: a kill at any moment leaves a file that can
be read and forgets nothing that was answered. A file of another version of the simulator is emptied.
"""

import json
import sqlite3
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from photomat_sandbox.kie.tasks import PlannedOutcome, Task, TaskOrder, TaskStep

VERSION: Final = 1
TABLES: Final = """
DROP TABLE IF EXISTS tasks;
DROP TABLE IF EXISTS uploads;
DROP TABLE IF EXISTS balance;
CREATE TABLE tasks (number INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, task TEXT NOT NULL);
CREATE TABLE uploads (path TEXT PRIMARY KEY, content BLOB NOT NULL, mime TEXT NOT NULL, uploaded_at REAL NOT NULL);
CREATE TABLE balance (account INTEGER PRIMARY KEY CHECK (account = 1), credits REAL NOT NULL);
"""
SAVE_TASK: Final = """
INSERT INTO tasks (task_id, task) VALUES (?, ?) ON CONFLICT (task_id) DO UPDATE SET task = excluded.task
"""
SAVE_BALANCE: Final = "INSERT OR REPLACE INTO balance VALUES (1, ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredUpload:
    """A file uploaded for use in a task."""

    path: str
    content: bytes
    mime: str
    uploaded_at: float


class KieStore:
    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(file)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if self._db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            self._db.executescript(f"{TABLES} PRAGMA user_version = {VERSION};")

    def tasks(self) -> list[Task]:
        """Return all tasks, oldest first."""
        return [_restored(json.loads(row)) for (row,) in self._db.execute("SELECT task FROM tasks ORDER BY number")]

    def uploads(self) -> list[StoredUpload]:
        rows = self._db.execute("SELECT path, content, mime, uploaded_at FROM uploads ORDER BY uploaded_at")
        return [StoredUpload(path=row[0], content=row[1], mime=row[2], uploaded_at=row[3]) for row in rows]

    def credits(self) -> float | None:
        row = self._db.execute("SELECT credits FROM balance").fetchone()
        return None if row is None else float(row[0])

    def save_task(self, task: Task, credits: float) -> None:  # noqa: A002 - the vendor's word
        """Save a task and the balance that its change left, together."""
        with self._db:
            self._db.execute(SAVE_TASK, (task.task_id, _as_text(task)))
            self._db.execute(SAVE_BALANCE, (credits,))

    def save_credits(self, credits: float) -> None:  # noqa: A002 - the vendor's word
        with self._db:
            self._db.execute(SAVE_BALANCE, (credits,))

    def save_upload(self, upload: StoredUpload) -> None:
        row = (upload.path, upload.content, upload.mime, upload.uploaded_at)
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO uploads VALUES (?, ?, ?, ?)", row)

    def drop_task(self, task_id: str) -> None:
        with self._db:
            self._db.execute("DELETE FROM tasks WHERE task_id = ?", (task_id,))

    def drop_upload(self, path: str) -> None:
        with self._db:
            self._db.execute("DELETE FROM uploads WHERE path = ?", (path,))

    def close(self) -> None:
        self._db.close()


def _as_text(task: Task) -> str:
    return json.dumps({**asdict(task), "plan": [asdict(step) for step in task.plan]}, ensure_ascii=False)


def _restored(row: dict[str, Any]) -> Task:
    made = {
        "order": TaskOrder(**row["order"]),
        "outcome": PlannedOutcome(**row["outcome"]),
        "plan": deque(TaskStep(**step) for step in row["plan"]),
    }
    return Task(**{**row, **made})

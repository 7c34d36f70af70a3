"""A file of a customer: where its bytes come from, what they are, and where Kie has its copy. Pure."""

from dataclasses import dataclass
from typing import TypeAlias

from photomat.catalog.answers import FileFacts
from photomat.catalog.reference import FileRef
from photomat.kernel.ids import JobId, UserId


@dataclass(frozen=True, slots=True)
class FromTelegram:
    """Sent to the bot; the id is Telegram's, for this bot alone."""

    telegram_id: str


@dataclass(frozen=True, slots=True)
class FromLink:
    url: str


@dataclass(frozen=True, slots=True)
class FromOutput:
    """One output of an earlier job of the same customer."""

    job_id: JobId
    position: int


Source: TypeAlias = FromTelegram | FromLink | FromOutput


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """What the bytes are; `sha256` shows later whether they are still those that were priced."""

    facts: FileFacts
    mime: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedCopy:
    """A recent upload at Kie, in another format."""

    format: str
    kie_url: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """A row of `input_files`. `kie_url` is a recent upload at Kie."""

    file_id: int
    user_id: UserId
    source: Source
    content: FileContent
    kie_url: str | None
    converted: ConvertedCopy | None = None

    @property
    def ref(self) -> FileRef:
        return FileRef(self.file_id)

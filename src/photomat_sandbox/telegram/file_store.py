"""The bytes of every file, kept once per upload; smaller photo sizes are drawn when somebody asks for them."""

import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from photomat_sandbox.telegram.file_ids import make_unique_id


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One file of the data centre; a derived file is a smaller size of its parent photo."""

    number: int
    kind: str
    unique_id: str
    mime: str
    size_bytes: int
    name: str = ""
    parent: int | None = None
    width: int = 0
    height: int = 0


class FileStore:
    """All files by number; with a folder the bytes live there, else in memory."""

    def __init__(self, folder: Path | None = None) -> None:
        self.files: dict[int, StoredFile] = {}
        self.next_number = 1
        self.folder = folder
        self._bytes: dict[int, bytes] = {}
        self._by_unique_id: dict[str, int] = {}

    def add(self, data: bytes, *, kind: str, mime: str, name: str = "") -> StoredFile:
        """Keep the bytes of a new file."""
        number = self.next_number
        file = StoredFile(
            number=number,
            kind=kind,
            unique_id=make_unique_id(kind=kind, number=number),
            mime=mime,
            size_bytes=len(data),
            name=name,
        )
        self._bytes[number] = data
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / str(number)).write_bytes(data)
        self.restore(file)
        return file

    def add_smaller_size(self, parent: StoredFile, *, width: int, height: int) -> StoredFile:
        """Announce a smaller size of a photo without drawing it yet."""
        number = self.next_number
        file = StoredFile(
            number=number,
            kind=parent.kind,
            unique_id=make_unique_id(kind=parent.kind, number=number),
            mime=parent.mime,
            size_bytes=max(600, width * height // 12),
            parent=parent.number,
            width=width,
            height=height,
        )
        self.restore(file)
        return file

    def restore(self, file: StoredFile) -> None:
        """Take a file into the lists."""
        self.next_number = max(self.next_number, file.number + 1)
        self.files[file.number] = file
        self._by_unique_id[file.unique_id] = file.number

    def by_unique_id(self, unique_id: str) -> StoredFile | None:
        """Find a file by the id that chats show."""
        number = self._by_unique_id.get(unique_id)
        return None if number is None else self.files[number]

    def read(self, file: StoredFile) -> bytes:
        """Give the bytes of a file."""
        if file.number in self._bytes:
            return self._bytes[file.number]
        if file.parent is not None:
            data = _draw_smaller(self.read(self.files[file.parent]), width=file.width, height=file.height)
        elif self.folder:
            data = (self.folder / str(file.number)).read_bytes()
        else:
            raise LookupError(f"the bytes of file {file.number} are gone")
        self._bytes[file.number] = data
        return data


def _draw_smaller(data: bytes, *, width: int, height: int) -> bytes:
    with Image.open(io.BytesIO(data)) as image:
        smaller = image.convert("RGB").resize((width, height))
    buffer = io.BytesIO()
    smaller.save(buffer, "JPEG", quality=80)
    return buffer.getvalue()

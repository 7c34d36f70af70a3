"""Files of the data centre: their ids, and their bytes, kept once per upload.

A file id is bound to one bot and one kind of file and never equals the file's unique id. It is base64url text whose
last byte is a version, as TDLib writes it, so that a wrong id is refused in TDLib's words. Smaller photo sizes are
drawn on request.
"""

import base64
import hashlib
import io
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image

from photomat_sandbox.telegram.errors import ApiError, bad_request
from photomat_sandbox.telegram.file_on_disk import Content, FileOnDisk, content_at, write_to

PREFIXES: Final = {
    "photo": "AgACAgIA",
    "voice": "AwACAgIA",
    "video": "BAACAgIA",
    "document": "BQACAgIA",
    "audio": "CQACAgIA",
    "animation": "CgACAgIA",
}
KIND_CODES: Final = {kind: code for code, kind in enumerate(PREFIXES, start=1)}
KINDS_BY_CODE: Final = {code: kind for kind, code in KIND_CODES.items()}
PREFIX_BYTES: Final = 6
PAYLOAD: Final = struct.Struct(">BQ8s")
VERSIONS: Final = {2, 3, 4}
"""Last bytes that TDLib reads: an old id, a generated file, a current id."""
ENDING: Final = bytes((57, 4))
MAX_PADDING: Final = 2


def make_file_id(*, bot_id: int, kind: str, number: int) -> str:
    """Build the id under which this bot, and no other, can reuse the file."""
    payload = PAYLOAD.pack(KIND_CODES[kind], number, _seal(bot_id, kind, number))
    return PREFIXES[kind] + base64.urlsafe_b64encode(payload + ENDING).decode().rstrip("=")


def make_unique_id(*, kind: str, number: int) -> str:
    """Build the id that is the same for every bot and good for comparing only."""
    digest = hashlib.blake2b(f"{kind}:{number}".encode(), digest_size=6).digest()
    return "AQAD" + base64.urlsafe_b64encode(digest + struct.pack(">H", number % 65536)).decode().rstrip("=")


def read_file_id(file_id: str, *, bot_id: int) -> tuple[str, int] | None:
    """Return kind and number of a file id; None for another bot's id, an error for what is no file id."""
    binary = _decoded(file_id)
    if not binary:
        raise bad_request("remote file identifier must be non-empty")
    if binary[-1] not in VERSIONS:
        raise _wrong("can't unserialize it. Wrong last symbol")
    payload = binary[PREFIX_BYTES : -len(ENDING)]
    if len(payload) != PAYLOAD.size:
        raise _wrong("can't unserialize it")
    code, number, seal = PAYLOAD.unpack(payload)
    kind = KINDS_BY_CODE.get(code, "")
    return (kind, number) if kind and seal == _seal(bot_id, kind, number) else None


def _decoded(file_id: str) -> bytes:
    """Decode base64url with the checks of TDLib, in its order."""
    text = file_id.rstrip("=")
    padding, length = len(file_id) - len(text), len(text.encode())
    if padding > MAX_PADDING:
        raise _wrong("Wrong string padding")
    if padding and (length + padding) % 4:
        raise _wrong("Wrong padding length")
    if length % 4 == 1:
        raise _wrong("Wrong string length")
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text, re.ASCII):
        raise _wrong("Wrong character in the string")
    binary = base64.urlsafe_b64decode(text + "=" * (-length % 4))
    if base64.urlsafe_b64encode(binary).decode().rstrip("=") != text:
        raise _wrong("Wrong padding in the string")
    return binary


def _wrong(why: str) -> ApiError:
    return bad_request(f"wrong remote file identifier specified: {why}")


def _seal(bot_id: int, kind: str, number: int) -> bytes:
    return hashlib.blake2b(f"{bot_id}:{kind}:{number}".encode(), digest_size=8).digest()


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
    """All files by number; with a folder the bytes are stored there, else in memory, large ones in their temporary files."""

    def __init__(self, folder: Path | None = None) -> None:
        self.files: dict[int, StoredFile] = {}
        self.next_number = 1
        self.folder = folder
        self._bytes: dict[int, bytes] = {}
        self._on_disk: dict[int, FileOnDisk] = {}
        self._by_unique_id: dict[str, int] = {}

    def add(self, data: Content, *, kind: str, mime: str, name: str = "") -> StoredFile:
        number = self.next_number
        file = StoredFile(
            number=number,
            kind=kind,
            unique_id=make_unique_id(kind=kind, number=number),
            mime=mime,
            size_bytes=len(data),
            name=name,
        )
        if isinstance(data, FileOnDisk):
            self._on_disk[number] = data
        else:
            self._bytes[number] = data
        if self.folder:
            write_to(self.folder / str(number), data)
        self.restore(file)
        return file

    def add_smaller_size(self, parent: StoredFile, *, width: int, height: int) -> StoredFile:
        """Register a smaller size of a photo without drawing it yet."""
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
        self.next_number = max(self.next_number, file.number + 1)
        self.files[file.number] = file
        self._by_unique_id[file.unique_id] = file.number

    def by_unique_id(self, unique_id: str) -> StoredFile | None:
        number = self._by_unique_id.get(unique_id)
        return None if number is None else self.files[number]

    def content(self, file: StoredFile) -> Content:
        """The bytes, or the file on disk where they are too many."""
        if file.number in self._on_disk:
            return self._on_disk[file.number]
        if file.number not in self._bytes and file.parent is None and self.folder:
            return content_at(self.folder / str(file.number))
        return self.read(file)

    def read(self, file: StoredFile) -> bytes:
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

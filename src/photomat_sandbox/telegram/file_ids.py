"""File ids: opaque, bound to one bot and one kind of file, and never the same as the file's unique id.

They are base64url text whose last byte is a version, as TDLib writes them, so that a wrong id is refused in TDLib's words.
"""

import base64
import hashlib
import re
import struct
from typing import Final

from photomat_sandbox.telegram.errors import ApiError, bad_request

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
MOST_PADDING: Final = 2


def make_file_id(*, bot_id: int, kind: str, number: int) -> str:
    """Write the id under which this bot, and no other, can use the file again."""
    payload = PAYLOAD.pack(KIND_CODES[kind], number, _seal(bot_id, kind, number))
    return PREFIXES[kind] + base64.urlsafe_b64encode(payload + ENDING).decode().rstrip("=")


def make_unique_id(*, kind: str, number: int) -> str:
    """Write the id that is the same for every bot and good for comparing only."""
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
    if padding > MOST_PADDING:
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

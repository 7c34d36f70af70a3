"""File ids: opaque, bound to one bot and one kind of file, and never the same as the file's unique id."""

import base64
import binascii
import hashlib
import struct
from typing import Final

from photomat_sandbox.telegram.errors import bad_request

PREFIXES: Final = {
    "photo": "AgACAgIAAx",
    "voice": "AwACAgIAAx",
    "video": "BAACAgIAAx",
    "document": "BQACAgIAAx",
    "audio": "CQACAgIAAx",
    "animation": "CgACAgIAAx",
}
KIND_CODES: Final = {kind: code for code, kind in enumerate(PREFIXES, start=1)}
KINDS_BY_CODE: Final = {code: kind for kind, code in KIND_CODES.items()}
PREFIX_LENGTH: Final = 10
PAYLOAD: Final = struct.Struct(">BQ8s")


def make_file_id(*, bot_id: int, kind: str, number: int) -> str:
    """Write the id under which this bot, and no other, can use the file again."""
    payload = PAYLOAD.pack(KIND_CODES[kind], number, _seal(bot_id, kind, number))
    return PREFIXES[kind] + base64.urlsafe_b64encode(payload).decode().rstrip("=")


def make_unique_id(*, kind: str, number: int) -> str:
    """Write the id that is the same for every bot and good for comparing only."""
    digest = hashlib.blake2b(f"{kind}:{number}".encode(), digest_size=6).digest()
    return "AQAD" + base64.urlsafe_b64encode(digest + struct.pack(">H", number % 65536)).decode().rstrip("=")


def read_file_id(file_id: str, *, bot_id: int) -> tuple[str, int] | None:
    """Give kind and number of a file id; None when another bot wrote it, an error when nobody did."""
    encoded = file_id[PREFIX_LENGTH:]
    try:
        payload = base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise bad_request("wrong remote file identifier specified: Wrong padding in the string") from error
    if len(payload) != PAYLOAD.size:
        raise bad_request("wrong remote file identifier specified: can't unserialize it")
    code, number, seal = PAYLOAD.unpack(payload)
    kind = KINDS_BY_CODE.get(code, "")
    return (kind, number) if kind and seal == _seal(bot_id, kind, number) else None


def _seal(bot_id: int, kind: str, number: int) -> bytes:
    return hashlib.blake2b(f"{bot_id}:{kind}:{number}".encode(), digest_size=8).digest()

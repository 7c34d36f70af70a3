"""What a store answers, in our own words.

The library's messages quote the request and the server's whole answer, and servers put the key's id and the string that was
signed into theirs. So nothing of a message is passed on except a short code such as `NoSuchBucket`.
"""

import errno
import re
from enum import StrEnum
from typing import Final

from photomat.kernel.errors import Transient

CODE: Final = re.compile(r"<Code>([A-Za-z0-9]{1,40})</Code>")
STATUS: Final = re.compile(r"status code: ([0-9]{3})")
NO_ANSWER: Final = "HTTP error"
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
FULL_TEXT: Final = ("No space left on device", "Disk quota exceeded")
WRONG_KEYS: Final = frozenset(
    {"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "InvalidSecurity"}
)
WRONG_REGION: Final = frozenset(
    {"AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException"}
)


class StoreTrouble(StrEnum):
    NO_BUCKET = "no-bucket"
    WRONG_KEYS = "wrong-keys"
    NOT_ALLOWED = "not-allowed"
    WRONG_REGION = "wrong-region"
    UNREACHABLE = "unreachable"
    SERVER_ERROR = "server-error"
    NO_ROOM = "no-room"
    FOREIGN = "foreign"


IN_WORDS: Final = {
    StoreTrouble.NO_BUCKET: "the bucket does not exist",
    StoreTrouble.WRONG_KEYS: "the keys are refused",
    StoreTrouble.NOT_ALLOWED: "the keys do not allow it",
    StoreTrouble.WRONG_REGION: "the bucket is in another region",
    StoreTrouble.UNREACHABLE: "the endpoint does not answer",
    StoreTrouble.SERVER_ERROR: "the server failed",
    StoreTrouble.NO_ROOM: "there is no room",
    StoreTrouble.FOREIGN: "it belongs to another installation",
}


class StoreUnavailable(Transient):
    """The store did not do it; nothing is known to be wrong with the file."""

    def __init__(self, trouble: StoreTrouble, code: str = "") -> None:
        super().__init__(f"the store of results: {IN_WORDS[trouble]}" + (f" ({code})" if code else ""))
        self.trouble = trouble


class CopyLost(Transient):
    """The copy called `name` could not be read; this alone says nothing about its bytes."""

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class CopyReplaced(CopyLost):
    """The file is another version by now, perhaps of the same bytes, or a piece of it was cut off: find it again."""


class CopyDamaged(CopyLost):
    """All of it was read, and its hash is not the recorded one."""


def translated(error: Exception) -> StoreUnavailable:
    """The trouble behind an exception of the library, the disk or the clock; a missing object is not one."""
    text = str(error)
    code = next(iter(CODE.findall(text)), "")
    status = next(iter(STATUS.findall(text)), "")
    return StoreUnavailable(
        _trouble(error, text, code=code, status=status), code or (f"HTTP {status}" if status else "")
    )


def _trouble(error: Exception, text: str, *, code: str, status: str) -> StoreTrouble:
    if (isinstance(error, OSError) and error.errno in FULL) or any(each in text for each in FULL_TEXT):
        return StoreTrouble.NO_ROOM
    if code == "NoSuchBucket":
        return StoreTrouble.NO_BUCKET
    if code in WRONG_KEYS or status == "401":
        return StoreTrouble.WRONG_KEYS
    if code in WRONG_REGION or status == "301":
        return StoreTrouble.WRONG_REGION
    if status == "403" or isinstance(error, PermissionError) or "Permission denied" in text:
        return StoreTrouble.NOT_ALLOWED
    if isinstance(error, TimeoutError) or (NO_ANSWER in text and not status):
        return StoreTrouble.UNREACHABLE
    return StoreTrouble.SERVER_ERROR

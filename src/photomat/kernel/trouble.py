"""An exception for the log: its type, the line it came from, and what a vendor said about it where that is known to be safe.

Messages of foreign libraries quote values: a prompt, a file's URL, what a person wrote. None of them belongs in a log, so a
message is left out, unless the package that knows the vendor has registered how to read it (`said_by_vendor`); then everything
it may quote is masked.
"""

import re
import traceback
from functools import singledispatch
from typing import Final

LONGEST: Final = 200
MASK: Final = "…"
TOKEN: Final = re.compile(r"[0-9]{5,}:[A-Za-z0-9_-]{10,}")
URL: Final = re.compile(r"\S*(?:://|www\.|t\.me/)\S*|\S+\.\S+/\S*", re.IGNORECASE)
QUOTED: Final = tuple(
    re.compile(pattern) for pattern in (r'".*"', r"“.*”", r"«.*»", r"‘.*’", r"`.*`", r"(?<!\w)'.*'(?!\w)")
)
"""From the first quotation mark to the last: what is quoted may hold such marks itself."""

CUT_OFF: Final = re.compile(r"(?:[\"“«‘`]|(?<!\w)').*")
"""A quotation without its end: nothing after it can be told from what it quotes."""

FOREIGN: Final = re.compile(rf"[^\x20-\x7e{MASK}]+(?:\s*[^\x20-\x7e{MASK}]+)*")
"""Vendors speak English; anything else is what somebody wrote."""


@singledispatch
def said_by_vendor(trouble: BaseException) -> str | None:  # noqa: ARG001  what others register reads it
    """What the vendor said, as it came; None for an exception whose message is not known to be a vendor's."""
    return None


def describe(trouble: BaseException) -> str:
    """Name the trouble, the last of our own lines it passed, and what the vendor said."""
    frames = traceback.extract_tb(trouble.__traceback__)
    ours = [frame for frame in frames if "/photomat/" in frame.filename] or list(frames)
    where = f" at {ours[-1].filename.rpartition('/photomat/')[2]}:{ours[-1].lineno}" if ours else ""
    said = said_by_vendor(trouble)
    return f"{type(trouble).__name__}{where}" + (f": {masked(said)}" if said else "")


def masked(text: str) -> str:
    """A vendor's sentence without what it quotes: quotations, URLs, tokens, and any other language are replaced."""
    text = URL.sub(MASK, TOKEN.sub(MASK, " ".join(text.split())))
    for quotation in QUOTED:
        text = quotation.sub(MASK, text)
    text = FOREIGN.sub(MASK, CUT_OFF.sub(MASK, text))
    text = re.sub(rf"{MASK}(?:[\s.,;]*{MASK})+", MASK, text)
    return text if len(text) <= LONGEST else text[:LONGEST] + MASK

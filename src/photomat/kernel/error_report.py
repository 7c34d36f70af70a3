"""An exception as one log field: its type, the last line of ours it passed, and the vendor's message where that is safe.

Messages of libraries quote values: prompts, file URLs, user input. None of them belongs in a log, so a message is left out
unless the package that knows the vendor registers how to read it (`vendor_message`); then everything it may quote is masked.
"""

import html
import re
import traceback
from functools import singledispatch
from typing import Final

LONGEST: Final = 200
READ: Final = 500
"""Only so many characters of a message are read: a hostile one costs no more time than any other."""

MASK: Final = "…"
SHORT_FORM: Final = r"(?<=[A-Za-z]')(?:d|ll|m|re|s|t|ve)\b"
"""What follows an apostrophe that is not a quotation mark: "can't"."""

QUOTED: Final = tuple(
    re.compile(pattern)
    for pattern in (
        *(r'".*"', r"“.*”", r"«.*»", r"‘.*’", r"`.*`", rf"'(?!{SHORT_FORM}).*'(?!{SHORT_FORM})"),
        *(r"<.*>", r"\(.*\)", r"\{.*\}"),
    )
)
"""From the first mark to the last: quoted text may contain such marks itself."""

OPENED: Final = re.compile(rf"[\"`<({{“”«»‘„‚‛‟‹›´′″＂＇「『《〈（［｛]|(?<!\w)’|'(?!{SHORT_FORM})")
"""A quotation without its end: everything after it may be quoted text."""

TOKEN: Final = re.compile(r"[0-9]{5,}:[A-Za-z0-9_-]{10,}")
ADDRESS: Final = re.compile(r"[/\\@=?]\S|[/\\]|[A-Za-z0-9_%-]\.[A-Za-z0-9_%-]|:[0-9]")
"""In a word: a URL, a host with or without a port, a path, a file's name, an e-mail address, a `name=value`."""

NO_ADDRESS: Final = re.compile(r"identifier/HTTP|[0-9]+\.[0-9]+[.,;]?")
"""Telegram's own words, as in "wrong file identifier/HTTP URL specified"; and a number."""

FOREIGN: Final = re.compile(rf"[^\x20-\x7e{MASK}]+(?: [^\x20-\x7e{MASK}]+)*")
"""Vendors write English; other scripts are user input."""

MASKS: Final = re.compile(rf"{MASK}(?:[ .,;]*{MASK})+")


@singledispatch
def vendor_message(error: BaseException) -> str | None:  # noqa: ARG001  the registered functions read it
    """The vendor's message, unmasked; None for an exception whose message is not known to be a vendor's."""
    return None


def describe(error: BaseException) -> str:
    """Name the exception, the last of our own lines it passed, and the vendor's masked message."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/photomat/" in frame.filename] or list(frames)
    where = f" at {ours[-1].filename.rpartition('/photomat/')[2]}:{ours[-1].lineno}" if ours else ""
    message = vendor_message(error)
    return f"{type(error).__name__}{where}" + (f": {masked(message)}" if message else "")


def masked(text: str) -> str:
    """A vendor's message with quotations, URLs, tokens and other scripts masked."""
    is_cut = len(text) > READ
    text = " ".join(_unescaped(text[:READ].rpartition(" ")[0] if is_cut else text).split())
    if not is_cut:  # else the last mark of a quotation may be in what was cut off
        for quotation in QUOTED:
            text = quotation.sub(MASK, text)
    opened = OPENED.search(text)
    if opened:
        text = text[: opened.start()] + MASK
    text = FOREIGN.sub(MASK, " ".join(_masked_word(word) for word in text.split(" ")))
    text = MASKS.sub(MASK, text + MASK if is_cut else text)
    return text if len(text) <= LONGEST else text[:LONGEST] + MASK


def _unescaped(text: str) -> str:
    while (plain := html.unescape(text)) != text:
        text = plain
    return text


def _masked_word(word: str) -> str:
    is_address = ADDRESS.search(word) and not NO_ADDRESS.fullmatch(word)
    return MASK if is_address else TOKEN.sub(MASK, word)

"""Whether a customer's file is all there: what is cut or broken must be found out before anybody pays.

A picture is decoded to its last pixel, by the decoder its bytes ask for. One too large for that, one nobody here can decode
(HEIC), films and sound are held against their own words: sizes, offsets, marks of the end (`ends.py`). A file is refused only
when it is surely broken.
"""

from functools import partial
from typing import BinaryIO

from photomat.files.decoding import FORMATS, decodes, in_turn
from photomat.files.ends import is_cut
from photomat.files.reader import Reader


async def is_whole(file: BinaryIO, mime: str) -> bool:
    """Whether the file is whole, as far as can be known in the time there is; moves the place it is read at."""
    return await in_turn(partial(looks_whole, file, mime), otherwise=True)


def looks_whole(file: BinaryIO, mime: str) -> bool:
    """The same for whoever is in a thread already."""
    if is_cut(Reader(file), mime):
        return False
    return mime not in FORMATS or decodes(file, mime) is not False

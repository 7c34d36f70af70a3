"""The letters on the pictures: Source Sans Pro where the extra `sandbox` is installed, else the font inside Pillow.

Pillow's font has hardly more than ASCII, so without the extra a prompt is written in Latin letters.
"""

import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from PIL import ImageFont

FONT_PACKAGE: Final = "font_source_sans_pro"
HOW_TO_GET_CYRILLIC: Final = (
    "The simulated Kie.ai writes prompts on its pictures in Latin letters; "
    "for Cyrillic ones install the extra: pip install 'photomat[sandbox]'"
)
LAST_LETTER: Final = "\uffff"
JOINERS: Final = "\u200d\ufe0f"
BEYOND_ASCII: Final = "·…«»"
"""What else the captions use and Pillow's font has."""

LATIN: Final = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya".replace("_", "").split(" "),
        strict=True,
    )
)


def has_cyrillic() -> bool:
    """Whether the font of the extra is installed."""
    return _folder() is not None


@cache
def load_font(weight: str, size: int) -> ImageFont.FreeTypeFont:
    """A font of one size; `weight` is one of Source Sans Pro's names, such as Bold."""
    folder = _folder()
    if folder is not None:
        return ImageFont.truetype(str(folder / f"SourceSansPro-{weight}.ttf"), size)
    built_in = ImageFont.load_default(size)
    if not isinstance(built_in, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType; install the wheel from PyPI")
    return built_in


def printable(text: str) -> str:
    """Leave out what the font has no shape for and would print as empty boxes, emoji among others."""
    kept = "".join(letter for letter in text if letter <= LAST_LETTER and letter not in JOINERS)
    return (kept if has_cyrillic() else _in_latin(kept)).strip()


def _in_latin(text: str) -> str:
    spelled = "".join(_spelled(letter) for letter in unicodedata.normalize("NFC", text))
    plain = unicodedata.normalize("NFKD", spelled.replace("…", "\0")).replace("\0", "…")
    return "".join(letter for letter in plain if letter.isascii() or letter in BEYOND_ASCII)


def _spelled(letter: str) -> str:
    latin = LATIN.get(letter.lower())
    if latin is None:
        return letter
    return latin if letter.islower() else latin.capitalize()


@cache
def _folder() -> Path | None:
    spec = find_spec(FONT_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "files"

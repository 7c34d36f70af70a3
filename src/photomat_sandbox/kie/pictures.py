"""Draws result pictures: a night sky, hills, a figure from `motifs.py`, and the prompt's own words to recognise it by.

A picture whose background was to be removed has the figure and the words alone. The same file always gives the same bytes:
everything that looks random comes from the prompt. The font is Source Sans Pro where the extra `sandbox` is installed, else the
one inside Pillow, which has hardly more than ASCII: then a prompt is written in Latin letters.
"""

import io
import random
import unicodedata
import zlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from photomat_sandbox.kie.motifs import WHITE, Colour, Draw, motif_for
from photomat_sandbox.kie.results import ResultFile

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
MIN_SIDE_PX: Final = 64
NARROWEST: Final = 4
MAX_LINES: Final = 5
SMOOTHING: Final = 2
PALETTES: Final[tuple[tuple[Colour, Colour, Colour], ...]] = (
    ((24, 20, 68), (196, 86, 140), (255, 196, 96)),
    ((8, 32, 72), (46, 140, 170), (255, 122, 102)),
    ((38, 16, 72), (122, 82, 196), (255, 214, 102)),
    ((12, 48, 58), (86, 172, 140), (252, 150, 92)),
    ((58, 20, 48), (226, 110, 96), (118, 214, 214)),
    ((18, 26, 56), (92, 112, 196), (250, 140, 180)),
)


def has_cyrillic() -> bool:
    return _folder() is not None


@cache
def load_font(weight: str, size: int) -> ImageFont.FreeTypeFont:
    """Load a font of one size; `weight` is one of Source Sans Pro's names, such as Bold."""
    folder = _folder()
    if folder is not None:
        return ImageFont.truetype(str(folder / f"SourceSansPro-{weight}.ttf"), size)
    built_in = ImageFont.load_default(size)
    if not isinstance(built_in, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType; install the wheel from PyPI")
    return built_in


def printable(text: str) -> str:
    """Remove characters the font has no glyph for and would print as empty boxes, emoji among others."""
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


def encode_picture(drawn: Image.Image, file: ResultFile) -> bytes:
    """Encode a picture as its name promises: PNG, JPEG or WebP."""
    out = io.BytesIO()
    if file.name.endswith(".jpeg"):
        drawn.save(out, "JPEG", quality=90)
    elif file.name.endswith(".webp"):
        drawn.save(out, "WEBP", quality=90)
    else:
        drawn.save(out, "PNG", compress_level=4)
    return out.getvalue()


def render_mask(file: ResultFile, *, side_px: int) -> bytes:
    """Draw where one part of a picture lies: white on black, the parts side by side."""
    width, height = size_of(file.ratio, side_px)
    drawn = Image.new("L", (width, height))
    left, right = (round(width * (file.index + edge) / file.count) for edge in (0.1, 0.9))
    ImageDraw.Draw(drawn).ellipse((left, height * 0.2, right, height * 0.8), fill=255)
    out = io.BytesIO()
    drawn.save(out, "PNG")
    return out.getvalue()


def draw_picture(file: ResultFile, *, side_px: int, moment: float = 0.0) -> Image.Image:
    """Draw a picture; `moment` from 0 to 1 moves it a little, for videos."""
    width, height = size_of(file.ratio, side_px)
    seed = zlib.crc32(f"{file.prompt}#{file.index}".encode())
    rng = random.Random(seed)  # noqa: S311 - a drawing, not a secret
    palette = PALETTES[(seed + file.index) % len(PALETTES)]
    accent = palette[-1]
    scene = _background(file, (width * SMOOTHING, height * SMOOTHING), palette, rng)
    draw = ImageDraw.Draw(scene, "RGBA")
    figure = min(scene.size) * 0.40
    sway = figure * 0.10 * (1 - abs(2 * moment - 1))
    motif_for(file.prompt, seed)(draw, scene.width / 2, scene.height * 0.36 - sway, figure, accent)
    image = scene.resize((width, height), Image.Resampling.BOX)
    write_caption(image, file)
    return image


def size_of(ratio: tuple[int, int], side_px: int) -> tuple[int, int]:
    """Return the pixel size of a picture whose long side is `side_px`; very thin ratios are widened."""
    wide, high = max(ratio[0], ratio[1] / NARROWEST), max(ratio[1], ratio[0] / NARROWEST)
    scale = max(side_px, MIN_SIDE_PX) / max(wide, high)
    return (max(1, round(wide * scale)), max(1, round(high * scale)))


def _background(
    file: ResultFile, size: tuple[int, int], palette: tuple[Colour, Colour, Colour], rng: random.Random
) -> Image.Image:
    """Draw what is behind the figure: a night, or nothing at all."""
    if file.cut_out:
        return Image.new("RGBA", size)
    dark, light, accent = palette
    scene = _sky(*size, dark, light)
    draw = ImageDraw.Draw(scene, "RGBA")
    _stars(draw, *size, rng)
    _moon(draw, *size, accent, rng)
    _hills(draw, *size, dark, rng)
    return scene


def _sky(width: int, height: int, dark: Colour, light: Colour) -> Image.Image:
    column = Image.new("RGB", (1, height))
    for y in range(height):
        part = (y / height) ** 1.3
        shade = [round(d + (bright - d) * part) for d, bright in zip(dark, light, strict=True)]
        column.putpixel((0, y), (shade[0], shade[1], shade[2]))
    return column.resize((width, height))


def _stars(draw: Draw, width: int, height: int, rng: random.Random) -> None:
    for _ in range(140):
        x, y = rng.uniform(0, width), rng.uniform(0, height * 0.62)
        radius = rng.choice((0.8, 1.0, 1.4, 2.2)) * max(width, height) / 1024
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=(255, 255, 255, rng.randint(90, 240)))


def _moon(draw: Draw, width: int, height: int, accent: Colour, rng: random.Random) -> None:
    x, y = width * rng.choice((0.16, 0.84)), height * rng.uniform(0.14, 0.22)
    radius = min(width, height) * 0.09
    for glow in (1.9, 1.5, 1.2):
        size = radius * glow
        draw.ellipse((x - size, y - size, x + size, y + size), fill=(*accent, 36))
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=accent)
    ring = radius * 1.7
    draw.arc(
        (x - ring, y - ring * 0.3, x + ring, y + ring * 0.3),
        350,
        190,
        fill=(*WHITE, 200),
        width=max(1, round(radius * 0.09)),
    )


def _hills(draw: Draw, width: int, height: int, dark: Colour, rng: random.Random) -> None:
    for layer, depth in enumerate((0.62, 0.70, 0.80)):
        points: list[tuple[float, float]] = [(0, height)]
        steps = 6
        points += [(width * n / steps, height * (depth + rng.uniform(-0.05, 0.05))) for n in range(steps + 1)]
        points.append((width, height))
        draw.polygon(points, fill=(*dark, 120 + 50 * layer))


def write_caption(image: Image.Image, file: ResultFile) -> None:
    """Write the prompt on a dark plate, and below it where the picture comes from."""
    draw, (width, height) = ImageDraw.Draw(image, "RGBA"), image.size
    margin = round(width * 0.05)
    lines, font = _fitted(
        printable(file.prompt) or file.model, width - 4 * margin, round(height * 0.24), min(width, height)
    )
    line_px = round(font.size * 1.2)
    top = round(height * 0.925) - line_px * len(lines)
    plate = (margin, top - line_px * 0.35, width - margin, height * 0.925 + line_px * 0.2)
    draw.rounded_rectangle(plate, radius=line_px * 0.5, fill=(12, 14, 30, 215))
    for n, line in enumerate(lines):
        draw.text((width / 2, top + n * line_px), line, font=font, fill=WHITE, anchor="ma")
    shape = f"{file.ratio[0]}:{file.ratio[1]}" if file.ratio_given or not file.sources else f"{width}×{height}"
    number = f" · {file.index + 1}/{file.count}" if file.count > 1 else ""
    footer = f"Photomat sandbox · {file.model} · {shape}{number}"
    draw.text(
        (width / 2, height * 0.982),
        footer,
        font=_font_for(footer, width, height),
        fill=(*WHITE, 220),
        anchor="ms",
        stroke_width=2 if file.sources else 0,
        stroke_fill=(12, 14, 30),
    )


def _font_for(text: str, width: int, height: int) -> ImageFont.FreeTypeFont:
    """Choose the size in which a single line fits the width, but not larger than a footer needs."""
    size = max(8, round(max(width, height * 0.75) * 0.026))
    while size > 8 and load_font("Semibold", size).getlength(text) > width * 0.94:  # noqa: PLR2004 - the smallest legible size
        size -= 1
    return load_font("Semibold", size)


def _fitted(text: str, width: int, height: int, side: int) -> tuple[list[str], ImageFont.FreeTypeFont]:
    """Wrap a text in the largest size that fits; below the smallest size the rest is truncated."""
    smallest = max(10, round(side * 0.03))
    for size in range(max(smallest, round(side * 0.062)), smallest - 1, -2):
        font = load_font("Bold", size)
        lines = _wrapped(text, font, width)
        if len(lines) <= MAX_LINES and len(lines) * size * 1.2 <= height:
            return lines, font
    font = load_font("Bold", smallest)
    lines = _wrapped(text, font, width)
    kept = max(1, min(MAX_LINES, int(height / (smallest * 1.2))))
    return ([*lines[: kept - 1], lines[kept - 1].rstrip() + "…"] if len(lines) > kept else lines), font


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    lines: list[str] = [""]
    for word in text.split():
        for piece in _pieces(word, font, width):
            longer = f"{lines[-1]} {piece}".strip()
            if font.getlength(longer) <= width:
                lines[-1] = longer
            else:
                lines.append(piece)
    return [line for line in lines if line] or [""]


def _pieces(word: str, font: ImageFont.FreeTypeFont, width: int) -> list[str]:
    letters = max(1, int(len(word) * width / max(font.getlength(word), 1)))
    return [word[start : start + letters] for start in range(0, len(word), letters)]

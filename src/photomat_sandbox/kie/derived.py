"""Results made from what was sent: the picture enlarged, cut out, changed or moving, the same video, sound of the same length.

Only files uploaded to this Kie.ai and its own results are used, and only what Pillow can read of pictures; anything else is
drawn from the prompt, as if nothing had been sent.
"""

import io
import math
import zlib
from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps, UnidentifiedImageError

from photomat_sandbox.file_formats import measure, sniff
from photomat_sandbox.kie.pictures import PALETTES, size_of, write_caption
from photomat_sandbox.kie.results import ResultFile

MAX_SOURCE_PX: Final = 2048
MAX_ENLARGED_PX: Final = 4096
MAX_SOUND_S: Final = 300.0
TINT: Final = 0.22
"""How much of a changed picture is the colour of its prompt."""
ZOOM: Final = 0.2
KEPT: Final = 0.94
"""How much of its width and height a cut-out picture keeps."""
SKETCH_PX: Final = 320
MARK: Final = (255, 0, 255)
LIKE: Final = 48
"""How much the colour of a background may vary, over all three channels."""
LEAST_FIGURE: Final = 0.08


def opened_picture(sources: Sequence[bytes]) -> Image.Image | None:
    """Open the first source that is a picture, upright and not huge."""
    for content in sources:
        try:
            with Image.open(io.BytesIO(content)) as found:
                found.draft("RGB", (MAX_SOURCE_PX, MAX_SOURCE_PX))
                upright = ImageOps.exif_transpose(found).convert("RGBA")
        except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
            continue
        upright.thumbnail((MAX_SOURCE_PX, MAX_SOURCE_PX))
        paper = Image.new("RGBA", upright.size, "white")
        return Image.alpha_composite(paper, upright).convert("RGB")
    return None


def opened_video(sources: Sequence[bytes]) -> bytes | None:
    """Return the first source that is a video."""
    return next((content for content in sources if sniff(content) == "video/mp4"), None)


def sound_seconds(sources: Sequence[bytes]) -> float | None:
    """Return how long the first source with sound is, but not too long."""
    lengths = (measure(content, sniff(content)).duration for content in sources)
    found = next((length for length in lengths if length), None)
    return None if found is None else min(float(found), MAX_SOUND_S)


def derive_picture(file: ResultFile, source: Image.Image, *, side_px: int, moment: float = 0.0) -> Image.Image:
    """Make the picture of a file from the one that was sent; `moment` from 0 to 1 moves it, for videos."""
    if file.enlarged:
        return _enlarged(source, file.enlarged)
    size = size_of(file.ratio if file.ratio_given else source.size, side_px)
    fitted = ImageOps.fit(source, size)
    if file.cut_out:
        return _cut_out(fitted)
    return _moved(fitted, moment) if file.moves else _changed(file, fitted)


def _enlarged(source: Image.Image, times: int) -> Image.Image:
    times = min(times, max(1, MAX_ENLARGED_PX // max(source.size)))
    larger = source.resize((source.width * times, source.height * times), Image.Resampling.LANCZOS)
    return larger.filter(ImageFilter.UnsharpMask(radius=2, percent=60))


def _cut_out(picture: Image.Image) -> Image.Image:
    """Keep what is in the middle: nothing is left at the edges, nor of a plain background that reaches them."""
    width, height = picture.size
    edge_x, edge_y = width * (1 - KEPT) / 2, height * (1 - KEPT) / 2
    mask = Image.new("L", picture.size)
    ImageDraw.Draw(mask).rounded_rectangle(
        (edge_x, edge_y, width - edge_x, height - edge_y), radius=min(picture.size) * 0.3, fill=255
    )
    mask = ImageChops.multiply(mask, _figure(picture).resize(picture.size))
    shown = picture.convert("RGBA")
    shown.putalpha(mask.filter(ImageFilter.GaussianBlur(max(1.0, min(edge_x, edge_y) / 8))))
    return shown


def _figure(picture: Image.Image) -> Image.Image:
    """Return a small mask of what differs from the background at the corners; everything, if that is almost nothing."""
    small = picture.copy()
    small.thumbnail((SKETCH_PX, SKETCH_PX))
    right, bottom = small.width - 1, small.height - 1
    for corner in ((0, 0), (right, 0), (0, bottom), (right, bottom)):
        if small.getpixel(corner) != MARK:
            ImageDraw.floodfill(small, corner, MARK, thresh=LIKE)
    mask = (
        ImageChops.difference(small, Image.new("RGB", small.size, MARK))
        .convert("L")
        .point(lambda grey: 255 * (grey > 0))
    )
    is_enough = sum(mask.histogram()[128:]) > LEAST_FIGURE * small.width * small.height
    return mask if is_enough else Image.new("L", small.size, 255)


def _moved(picture: Image.Image, moment: float) -> Image.Image:
    """Come closer and go back again, with a little swing."""
    near = 1 - ZOOM * (1 - abs(2 * moment - 1))
    width, height = picture.width * near, picture.height * near
    swing = (picture.width - width) / 2 * math.sin(2 * math.pi * moment)
    left, top = (picture.width - width) / 2 + swing, (picture.height - height) / 2
    return picture.resize(picture.size, Image.Resampling.BICUBIC, box=(left, top, left + width, top + height))


def _changed(file: ResultFile, picture: Image.Image) -> Image.Image:
    """Tint the picture and write the prompt on it, so that it can be seen what was asked for."""
    seed = zlib.crc32(f"{file.prompt}#{file.index}".encode())
    colour = PALETTES[seed % len(PALETTES)][-1]
    tinted = Image.blend(picture, Image.new("RGB", picture.size, colour), TINT)
    write_caption(tinted, file)
    return tinted

"""What the first bytes of a picture say about transparency agrees with what its pixels say."""

import io
from typing import Any

import pytest
from PIL import Image

from photomat.media.images import has_transparency, may_be_transparent

CLEAR = Image.new("RGBA", (32, 32), (1, 2, 3, 0))
OPAQUE = Image.new("RGB", (32, 32), (1, 2, 3))


def encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (encoded(CLEAR, "PNG"), "image/png"),
        (encoded(Image.new("LA", (8, 8), (9, 0)), "PNG"), "image/png"),
        (encoded(OPAQUE, "PNG", transparency=(1, 2, 3)), "image/png"),
        (encoded(Image.new("L", (8, 8), 5), "PNG", transparency=5), "image/png"),
        (encoded(Image.new("P", (8, 8), 0), "PNG", transparency=0), "image/png"),
        (encoded(CLEAR, "WEBP"), "image/webp"),
        (encoded(CLEAR, "WEBP", lossless=True), "image/webp"),
        (encoded(CLEAR, "WEBP", lossless=True, exif=b"Exif"), "image/webp"),
        (encoded(CLEAR, "WEBP", save_all=True, append_images=[CLEAR.rotate(90)]), "image/webp"),
    ],
)
def test_a_transparent_picture_is_decoded(data: bytes, mime: str) -> None:
    assert may_be_transparent(data[:65536], mime)
    assert has_transparency(io.BytesIO(data), mime)


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (encoded(OPAQUE, "PNG"), "image/png"),
        (encoded(Image.new("L", (8, 8)), "PNG"), "image/png"),
        (encoded(Image.new("P", (8, 8)), "PNG"), "image/png"),
        (encoded(OPAQUE, "WEBP"), "image/webp"),
        (encoded(OPAQUE, "WEBP", lossless=True), "image/webp"),
        (encoded(OPAQUE, "WEBP", exif=b"Exif"), "image/webp"),
        (encoded(OPAQUE, "JPEG"), "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8X", "image/webp"),
        (b"", "image/webp"),
    ],
)
def test_a_picture_that_has_no_alpha_channel_is_not_decoded(data: bytes, mime: str) -> None:
    assert not may_be_transparent(data[:65536], mime)
    assert not has_transparency(io.BytesIO(data), mime)


def test_a_picture_whose_pixels_begin_later_is_decoded() -> None:
    data = encoded(OPAQUE, "PNG", icc_profile=bytes(range(256)) * 4)
    assert may_be_transparent(data[:60], "image/png")

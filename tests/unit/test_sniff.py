"""What a file is, told by its bytes."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from photomat.delivery.fallbacks import kind_of
from photomat.delivery.outputs import Output
from photomat.kernel.ids import JobId
from photomat.media.sniff import sniff
from photomat.telegram.port import MediaKind


@pytest.mark.parametrize(("form", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif")])
def test_pictures_are_known_with_their_size(form: str, mime: str) -> None:
    file = io.BytesIO()
    Image.new("RGB", (321, 123), "navy").save(file, form)
    kind = sniff(file.getvalue())
    assert (kind.mime, kind.width, kind.height) == (mime, 321, 123)


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (b"\x00\x00\x00\x20ftypisom", "video/mp4"),
        (b"\x00\x00\x00\x20ftypM4A ", "audio/mp4"),
        (b"ID3\x04", "audio/mpeg"),
        (b"OggS", "audio/ogg"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"%PDF-1.7", "application/pdf"),
        (b' {"text": 1}', "application/json"),
        (b"who knows", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_other_files_are_known_by_their_first_bytes(head: bytes, mime: str) -> None:
    assert sniff(head).mime == mime


@given(
    st.binary(max_size=64),
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"RIFF0000WEBPVP8X"]),
)
def test_cut_and_junk_files_never_raise(junk: bytes, start: bytes) -> None:
    sniff(start + junk)


def output(mime: str | None, size_bytes: int = 1000, width: int | None = None, height: int | None = None) -> Output:
    return Output(
        job_id=JobId(1),
        corr="c0ffee00",
        position=0,
        url="https://a/b",
        media=None,
        mime=mime,
        size_bytes=size_bytes,
        width=width,
        height=height,
        kept_as=None,
        file_id=None,
    )


def test_a_picture_that_does_not_fit_a_photo_goes_as_a_document() -> None:
    assert kind_of(output("image/png", width=1024, height=1024)) is MediaKind.PHOTO
    assert kind_of(output("image/png", width=9000, height=2000)) is MediaKind.DOCUMENT
    assert kind_of(output("image/png", width=2100, height=100)) is MediaKind.DOCUMENT
    assert kind_of(output("image/jpeg", size_bytes=11 * 2**20)) is MediaKind.DOCUMENT


def test_each_file_becomes_what_telegram_can_show() -> None:
    assert kind_of(output("video/mp4")) is MediaKind.VIDEO
    assert kind_of(output("audio/mpeg")) is MediaKind.AUDIO
    assert kind_of(output("audio/wav")) is MediaKind.DOCUMENT
    assert kind_of(output("image/gif")) is MediaKind.ANIMATION
    assert kind_of(output("application/octet-stream")) is MediaKind.DOCUMENT

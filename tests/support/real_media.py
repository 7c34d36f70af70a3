"""Small files written by real encoders, and how long they are: `tests/support/media`.

`made_s` is the length the encoder was asked for, `ffprobe_s` what ffprobe 5.1 says of the file: for most codecs that includes
the encoder's padding, and for some it is an estimate. `by` is the program that wrote it (versions of Debian 12).
"""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

FOLDER = Path(__file__).parent / "media"
PHOTO = FOLDER / "photo.heic"
"""As a phone takes it: 320 pixels wide and 480 high after it is turned, with a red corner at the top right, place and maker."""

TRANSPARENT = (FOLDER / "transparent.heic", FOLDER / "transparent.avif")
PICTURES = (PHOTO, *TRANSPARENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RealFile:
    """A file of `tests/support/media`."""

    name: str
    mime: str
    made_s: Decimal
    ffprobe_s: Decimal | None
    by: str

    @property
    def content(self) -> bytes:
        return (FOLDER / self.name).read_bytes()


def _file(name: str, mime: str, made_s: str, ffprobe_s: str | None, by: str) -> RealFile:
    return RealFile(
        name=name,
        mime=mime,
        made_s=Decimal(made_s),
        ffprobe_s=None if ffprobe_s is None else Decimal(ffprobe_s),
        by=by,
    )


REAL_FILES = {
    file.name: file
    for file in (
        _file("ten-seconds.mp3", "audio/mpeg", "10", "10.152", "ffmpeg, 8 kHz, gapless tag"),
        _file("tagged.mp3", "audio/mpeg", "2", "2.038", "ffmpeg, gapless tag"),
        _file("lame-8khz.mp3", "audio/mpeg", "2", "2.160", "lame, 8 kHz"),
        _file("lame-vbr.mp3", "audio/mpeg", "1", "1.080", "lame, changing rate, gapless tag"),
        _file("vbr-without-tag.mp3", "audio/mpeg", "2", "1.985", "ffmpeg, changing rate, no tag"),
        _file("8khz-without-tag.mp3", "audio/mpeg", "2", "2.160", "ffmpeg, no tag"),
        _file("adts.aac", "audio/aac", "1", "1.152", "ffmpeg"),
        _file("ima-adpcm.wav", "audio/wav", "2", "2.041", "ffmpeg"),
        _file("ima-adpcm-stereo.wav", "audio/wav", "1", "1.015", "ffmpeg"),
        _file("ms-adpcm-stereo.wav", "audio/wav", "1", "1.010", "ffmpeg"),
        _file("sox-ima-adpcm.wav", "audio/wav", "2", "2", "sox"),
        _file("sox-ms-adpcm.wav", "audio/wav", "2", "2", "sox"),
        _file("gsm.wav", "audio/wav", "2", "2", "sox"),
        _file("mulaw.wav", "audio/wav", "1", "1", "ffmpeg"),
        _file("mp3.wav", "audio/wav", "2", "2.138", "ffmpeg, MP3 within a WAV"),
        _file("streamed.wav", "audio/wav", "1", "1", "ffmpeg into a pipe: the header does not know the length"),
        _file("opus.ogg", "audio/ogg", "1", "1.007", "ffmpeg"),
        _file("voice-note.ogg", "audio/ogg", "5", "5.007", "ffmpeg, as Telegram records voice"),
        _file("opusenc.opus", "audio/ogg", "1", "1.007", "opusenc"),
        _file("vorbis.ogg", "audio/ogg", "1", "1", "ffmpeg"),
        _file("vorbis-long.ogg", "audio/ogg", "3", "3", "ffmpeg, blocks of 256 and 2048 samples"),
        _file("flac.ogg", "audio/ogg", "1", "1", "ffmpeg"),
        _file("reference-flac.oga", "audio/ogg", "1", "1", "flac --ogg"),
        _file("speex.ogg", "audio/ogg", "2", "2", "ffmpeg"),
        _file("speexenc.spx", "audio/ogg", "2", "2.020", "speexenc"),
        _file("flac.flac", "audio/flac", "1", "1", "flac"),
        _file("aac.m4a", "audio/mp4", "2", "2", "ffmpeg, edit list"),
        _file("alac.m4a", "audio/mp4", "1", "1", "ffmpeg"),
        _file("video.mp4", "video/mp4", "2", "2", "ffmpeg"),
        _file("edit-list.mp4", "video/mp4", "2.084", "2.084", "ffmpeg, the first 1.5 s hidden by an edit list"),
        _file("edit-list.mov", "video/quicktime", "2.084", "2.084", "ffmpeg, likewise"),
        _file("empty-edit.mp4", "video/mp4", "3", "3", "ffmpeg, two seconds of video that begin after one"),
        _file("fragmented.mp4", "video/mp4", "2", "2.128", "ffmpeg"),
        _file("video.webm", "video/webm", "1", "1.008", "ffmpeg"),
        _file("live.webm", "video/webm", "1", None, "ffmpeg into a pipe: no length is stated"),
        _file("sound.webm", "audio/webm", "1", "1.008", "ffmpeg"),
        _file("video.mkv", "video/x-matroska", "1", "1.128", "ffmpeg"),
        _file("sound.wma", "audio/x-ms-wma", "1", "1.021", "ffmpeg"),
        _file("video.wmv", "video/x-ms-wmv", "1", "1", "ffmpeg"),
        _file("video-and-sound.wmv", "video/x-ms-wmv", "1.046", "1.092", "ffmpeg, an index behind its packets"),
        _file("plain.aiff", "audio/aiff", "1", "1", "ffmpeg"),
        _file("narrow.amr", "audio/amr", "2", "2", "sox"),
    )
}

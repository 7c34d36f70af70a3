"""Two seconds of film with sound: the picture of a prompt, gently moving, and its tune, as a real MP4."""

from typing import Final

from photomat_sandbox.kie import h264, mp4
from photomat_sandbox.kie.artist import draw_picture, size_of
from photomat_sandbox.kie.musician import NOTE_S, mp3_frames
from photomat_sandbox.kie.results import ResultFile

LONG_SIDE_PX: Final = 384
FRAMES: Final = 10
FRAME_MS: Final = 200
NOTES: Final = int(FRAMES * FRAME_MS / 1000 / NOTE_S)


def moving_picture(file: ResultFile, *, side_px: int = LONG_SIDE_PX) -> bytes:
    """Draw, play and encode a film; QuickTime where the name says so."""
    side_px = min(side_px, LONG_SIDE_PX)
    width, height = (max(1, round(side / h264.BLOCK_PX)) * h264.BLOCK_PX for side in size_of(file.ratio, side_px))
    frames = [
        h264.frame(draw_picture(file, side_px=side_px, moment=n / FRAMES).resize((width, height)), n)
        for n in range(FRAMES)
    ]
    shown = mp4.pictures(
        frames,
        width=width,
        height=height,
        frame_ms=FRAME_MS,
        sequence=h264.sequence_parameters(width, height),
        parameters=h264.picture_parameters(),
    )
    kind = mp4.QUICKTIME if file.name.endswith(".mov") else mp4.MP4
    return mp4.film([shown, mp4.sound(mp3_frames(file, notes=NOTES))], kind=kind)

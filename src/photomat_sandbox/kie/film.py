"""Two seconds of film: the picture of a prompt, gently moving, as a real MP4."""

from typing import Final

from photomat_sandbox.kie import h264, mp4
from photomat_sandbox.kie.artist import draw_picture, size_of
from photomat_sandbox.kie.results import ResultFile

LONG_SIDE_PX: Final = 384
FRAMES: Final = 10
FRAME_MS: Final = 200


def moving_picture(file: ResultFile) -> bytes:
    """Draw and encode a film."""
    width, height = (max(1, round(side / h264.BLOCK_PX)) * h264.BLOCK_PX for side in size_of(file.ratio, LONG_SIDE_PX))
    frames = [
        h264.frame(draw_picture(file, side_px=LONG_SIDE_PX, moment=n / FRAMES).resize((width, height)), n)
        for n in range(FRAMES)
    ]
    return mp4.film(
        frames,
        width=width,
        height=height,
        frame_ms=FRAME_MS,
        sequence=h264.sequence_parameters(width, height),
        pictures=h264.picture_parameters(),
    )

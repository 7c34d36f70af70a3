"""The bytes of result files: made on the first download, in a thread, and kept for the next ones."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from photomat_sandbox.kie import artist, film, musician
from photomat_sandbox.kie.results import ResultFile
from photomat_sandbox.kie.world import KieWorld

KEPT_FILES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A file's content and what it is."""

    content: bytes
    mime: str


@dataclass(slots=True, kw_only=True)
class Studio:
    """Makes files, each at most once at a time, and keeps the latest."""

    world: KieWorld
    _kept: OrderedDict[str, Made] = field(default_factory=OrderedDict)
    _making: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def bytes_of(self, file: ResultFile) -> Made:
        """Give a file's bytes, making them if need be."""
        async with self._making:
            if file.name not in self._kept:
                self._kept[file.name] = await asyncio.to_thread(make, file, self.world.settings.picture_side_px)
            self._kept.move_to_end(file.name)
            while len(self._kept) > KEPT_FILES:
                self._kept.popitem(last=False)
            return self._kept[file.name]


def make(file: ResultFile, side_px: int) -> Made:
    """Make a file in the format its name promises."""
    suffix = file.name.rpartition(".")[2]
    match suffix:
        case "mp4":
            return Made(content=film.moving_picture(file, side_px=side_px), mime="video/mp4")
        case "mov":
            return Made(content=film.moving_picture(file, side_px=side_px), mime="video/quicktime")
        case "wav":
            return Made(content=musician.wav(file), mime="audio/wav")
        case "mp3":
            return Made(content=b"".join(musician.mp3_frames(file)), mime="audio/mpeg")
        case _ if "-mask-" in file.name:
            return Made(content=artist.mask(file, side_px=side_px), mime=f"image/{suffix}")
        case _:
            return Made(content=artist.picture(file, side_px=side_px), mime=f"image/{suffix}")

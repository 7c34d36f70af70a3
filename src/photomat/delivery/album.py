"""All outputs of a job on one card at once: a rich message, where the install turns it on.

Like every edit of a card it bears repeating. The files go by Telegram's own ids or their addresses first, then all as uploaded
bytes; whatever Telegram refuses, or a file that cannot go at all, leaves the card to its pages, one output at a time.
Whatever comes as less than it is has its reason in the text, each once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Pool
from photomat.delivery import outputs
from photomat.delivery.card import Album
from photomat.delivery.keep import Keeper
from photomat.delivery.outputs import Output
from photomat.delivery.rungs import UPLOAD_BYTES, Rung, Why, rungs_of
from photomat.kernel.errors import Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.telegram.port import (
    CallRefused,
    Card,
    CardIsMedia,
    Messenger,
    PhotoRefused,
    RichItem,
    SourceRefused,
    TextRefused,
)

VOICE: Final = "audio/ogg"
"""The one format of voice notes, which a rich message may hold though a card cannot become one."""

VOICE_BYTES: Final = 2**20

REFUSALS: Final = (SourceRefused, PhotoRefused, TextRefused, CallRefused)
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumSender:
    """Shows albums."""

    pool: Pool
    messenger: Messenger
    keeper: Keeper

    async def show(
        self, card: Card, album: Album, *, performer: str, say_why: Callable[[Why | None], str]
    ) -> str | None:
        """Edit the card into one rich message; the level by which it got there, None when it did not."""
        shown = [await self._kept(output) for output in album.outputs]
        labelled = zip(shown, album.parts, strict=True)
        ways = [await self._ways(output, part, performer) for output, part in labelled]
        for level in ("url", "bytes"):
            chosen = _chosen(ways, level)
            if chosen is None:
                continue
            failpoint("deliver.before_edit")
            items = [_item(*one) for one in zip(shown, chosen, album.parts, strict=True)]
            text = album.text + "".join(say_why(why) for why in dict.fromkeys(rung.why for rung in chosen))
            try:
                file_ids = await self.messenger.edit_rich(card, text, items, album.keyboard)
            except CardIsMedia:
                return None
            except REFUSALS as error:
                log.info("DELIVER_STEP_DOWN", level=level, media="rich", reason=type(error).__name__)
                continue
            await self._remember(shown, items, file_ids)
            return level
        return None

    async def _kept(self, output: Output) -> Output:
        try:
            return await self.keeper.kept(output)
        except Transient as error:
            log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            return output

    async def _ways(self, output: Output, part: str | None, performer: str) -> list[Rung]:
        label = await self.keeper.label_of(output, title=part, performer=performer)
        ways = rungs_of(output, self.keeper.path_of(output), label=label)
        return sorted(ways, key=lambda rung: rung.media.source != output.url) if _may_be_voice(output) else ways

    async def _remember(
        self, shown: Sequence[Output], items: Sequence[RichItem], file_ids: Sequence[str | None]
    ) -> None:
        for output, item, file_id in zip(shown, items, file_ids, strict=False):
            if file_id is not None and not item.is_voice:
                await outputs.remember_file(self.pool, output, media=item.media.kind, file_id=file_id)


def _chosen(ways: Sequence[Sequence[Rung]], level: str) -> list[Rung] | None:
    """One way for each output: the best, or the best with bytes; None where one has none, or all are too much for a call."""
    chosen = [next((rung for rung in rungs if level in {"url", rung.level}), None) for rungs in ways]
    found = [rung for rung in chosen if rung is not None]
    uploaded = sum(rung.size_bytes for rung in found if rung.media.is_upload)
    return found if len(found) == len(ways) and uploaded <= UPLOAD_BYTES else None


def _item(output: Output, rung: Rung, part: str | None) -> RichItem:
    is_voice = _may_be_voice(output) and rung.media.source == output.url
    return RichItem(media=rung.media, caption=part, is_voice=is_voice)


def _may_be_voice(output: Output) -> bool:
    return output.mime == VOICE and 0 < (output.size_bytes or 0) <= VOICE_BYTES

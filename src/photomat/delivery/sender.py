"""Show a view on its card: by Telegram's file id → by URL → by uploaded bytes → as text with a link (`fallbacks.py`).

Each fallback edits the same message, so repeating it has one visible effect. The next one is tried only when Telegram refused
the *source*; other errors go to the coordinator. Text with a link is the last resort, used once the attempts to fetch the file,
or to have refused media accepted, are exhausted.

Where the installation enables it, several outputs are one rich message: all by file ids or URLs, else all as uploaded bytes.
When Telegram refuses that, the card shows pages, one output at a time.
"""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from photomat.db.pool import Pool
from photomat.delivery import outputs
from photomat.delivery.archive import ResultArchive
from photomat.delivery.fallbacks import (
    NO_LINKS,
    Fallback,
    FallbackReason,
    ResultLink,
    ResultLinks,
    fallbacks_of,
    link_reason,
)
from photomat.delivery.marks import ShownFile
from photomat.delivery.outputs import Output
from photomat.delivery.render import Album, CardView, plain
from photomat.kernel.errors import Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.http import NotAllowed, TooLarge
from photomat.kernel.logs import get_logger
from photomat.kie.results import looks_like_url
from photomat.storage.errors import CopyLost, StoreUnavailable
from photomat.storage.places import StoredFile
from photomat.telegram.limits import CLOUD, MIB, BotApiLimits
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
from photomat.texts.load import Texts

VOICE: Final = "audio/ogg"
"""The format of voice notes, which a rich message may contain though a card cannot become one."""
VOICE_BYTES: Final = 2**20
REFUSALS: Final = (SourceRefused, PhotoRefused, TextRefused, CallRefused)
MAX_LINK_LENGTH: Final = 2000
log = get_logger()


class EditOutcome(NamedTuple):
    """The level that worked; `refused` is Telegram's answer to media that a text with a link replaced.

    `file` is the output's file at Telegram, to be recorded with the mark.
    """

    level: str
    refused: str | None = None
    file: ShownFile | None = None


class OwnCopy(NamedTuple):
    """Our copy of an output, or why there is none; neither where there is no output."""

    file: StoredFile | None = None
    missing: Transient | None = None


class FileUnavailable(Transient):
    """Neither Telegram nor we could fetch the file; it may become available."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhausted:
    """Which attempts are used up: fetching the file, and sending media Telegram refuses for an unknown reason."""

    file: bool = False
    media: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Shows views on cards. `rich`: several outputs are one rich message, not pages."""

    pool: Pool
    messenger: Messenger
    archive: ResultArchive
    texts: Texts
    links: ResultLinks = NO_LINKS
    rich: bool = False
    limits: BotApiLimits = CLOUD

    async def copied(self, output: Output) -> tuple[Output, OwnCopy]:
        """The output with our own copy; or as it is, and why there is none."""
        try:
            output, copy = await self.archive.ensure_copy(output)
            own = OwnCopy(file=copy)
        except Transient as error:
            log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            own = OwnCopy(missing=error)
        failpoint("deliver.after_fetch")
        return output, own

    async def show(self, card: Card, view: CardView, *, language: str, exhausted: Exhausted) -> EditOutcome:
        """Edit the card; the level is url (Telegram has or fetches the file), bytes or text."""
        try:
            return await self._show(card, view, language, exhausted)
        except TextRefused:
            log.warning("DELIVER_STEP_DOWN", level="plain", reason=TextRefused.__name__)
            return await self._show(card, plain(view), language, exhausted)

    async def _show(self, card: Card, view: CardView, language: str, exhausted: Exhausted) -> EditOutcome:
        if view.output is None:
            failpoint("deliver.before_edit")
            await self.messenger.edit_text(card, view.text, view.keyboard)
            return EditOutcome("text")
        if self.rich and view.album is not None:
            album = AlbumSender(pool=self.pool, messenger=self.messenger, archive=self.archive, limits=self.limits)
            reason_of = partial(reason_text, self.texts, language, limits=self.limits)
            level = await album.show(card, view.album, performer=view.model, reason_of=reason_of)
            if level is not None:
                return EditOutcome(level)
        return await self._show_output(card, view, view.output, language, exhausted)

    async def _show_output(
        self, card: Card, view: CardView, output: Output, language: str, exhausted: Exhausted
    ) -> EditOutcome:
        missing, refused = view.missing, None
        label = await self.archive.label_of(output, title=view.part, performer=view.model)
        for fallback in fallbacks_of(output, view.copy, label=label, limits=self.limits):
            failpoint("deliver.before_edit")
            text = view.text + reason_text(self.texts, language, fallback.why, limits=self.limits)
            try:
                async with self.archive.noticing_damage(output):
                    file_id = await self.messenger.edit_media(card, fallback.media, text, view.keyboard)
            except (CopyLost, StoreUnavailable) as error:
                log.warning("DELIVER_STEP_DOWN", level=fallback.level, media=fallback.media.kind, reason=str(error))
                missing = missing or error
                continue
            except (SourceRefused, PhotoRefused, CallRefused) as error:
                if not fallback.allows_next(error):
                    if not exhausted.media:
                        raise
                    refused = str(error)
                log.info(
                    "DELIVER_STEP_DOWN", level=fallback.level, media=fallback.media.kind, reason=type(error).__name__
                )
                continue
            shown = None if file_id is None else ShownFile(output, fallback.media.kind, file_id)
            return EditOutcome(fallback.level, file=shown)
        if missing is not None and not isinstance(missing, NotAllowed) and not exhausted.file:
            raise FileUnavailable(str(missing)) from missing
        why = link_reason(output, is_too_large=isinstance(missing, TooLarge), limits=self.limits)
        text = view.text + reason_text(self.texts, language, why, limits=self.limits)
        await self._as_text(card, replace(view, text=text), output, language)
        return EditOutcome("text", refused)

    async def _as_text(self, card: Card, view: CardView, output: Output, language: str) -> None:
        way = self.links.to(output, is_kept=await self.archive.try_find(output) is not None)
        text = view.text + link_text(self.texts, language, way)
        try:
            await self.messenger.edit_text(card, text, view.keyboard)
        except CardIsMedia:
            await self.messenger.edit_keyboard(card, view.keyboard)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlbumSender:
    pool: Pool
    messenger: Messenger
    archive: ResultArchive
    limits: BotApiLimits

    async def show(
        self, card: Card, album: Album, *, performer: str, reason_of: Callable[[FallbackReason | None], str]
    ) -> str | None:
        """Edit the card into one rich message; return the level that worked, None when none did."""
        shown = [await self.archive.try_copy(output) for output in album.outputs]
        ways = [await self._ways(output, part, performer) for output, part in zip(shown, album.parts, strict=True)]
        for level in ("url", "bytes"):
            chosen = _chosen(ways, level, limits=self.limits)
            if chosen is None:
                continue
            failpoint("deliver.before_edit")
            items = [_item(*one) for one in zip(shown, chosen, album.parts, strict=True)]
            text = album.text + "".join(reason_of(why) for why in dict.fromkeys(fallback.why for fallback in chosen))
            try:
                async with self.archive.noticing_damage(*shown):
                    file_ids = await self.messenger.edit_rich(card, text, items, album.keyboard)
            except CardIsMedia:
                return None
            except REFUSALS as error:
                log.info("DELIVER_STEP_DOWN", level=level, media="rich", reason=type(error).__name__)
                continue
            await self._record_file_ids(shown, items, file_ids)
            return level
        return None

    async def _ways(self, output: Output, part: str | None, performer: str) -> list[Fallback]:
        label = await self.archive.label_of(output, title=part, performer=performer)
        copy = await self.archive.try_find(output)
        ways = fallbacks_of(output, copy, label=label, limits=self.limits)
        return sorted(ways, key=lambda fallback: fallback.media.source != output.url) if _may_be_voice(output) else ways

    async def _record_file_ids(
        self, shown: Sequence[Output], items: Sequence[RichItem], file_ids: Sequence[str | None]
    ) -> None:
        for output, item, file_id in zip(shown, items, file_ids, strict=False):
            if file_id is not None and not item.is_voice:
                await outputs.record_file_id(self.pool, output, media=item.media.kind, file_id=file_id)


def _chosen(ways: Sequence[Sequence[Fallback]], level: str, *, limits: BotApiLimits) -> list[Fallback] | None:
    """One way for each output: the best, or the best by bytes; None when one has none, or all exceed one call."""
    best = (next((one for one in way if level in {"url", one.level}), None) for way in ways)
    found = [fallback for fallback in best if fallback is not None]
    uploaded = sum(fallback.size_bytes for fallback in found if fallback.media.is_upload)
    return found if len(found) == len(ways) and uploaded <= limits.upload_bytes else None


def _item(output: Output, fallback: Fallback, part: str | None) -> RichItem:
    is_voice = _may_be_voice(output) and fallback.media.source == output.url
    return RichItem(media=fallback.media, caption=part, is_voice=is_voice)


def _may_be_voice(output: Output) -> bool:
    return output.mime == VOICE and 0 < (output.size_bytes or 0) <= VOICE_BYTES


def reason_text(texts: Texts, language: str, why: FallbackReason | None, *, limits: BotApiLimits = CLOUD) -> str:
    """Why a file is not shown as what it is, as a last paragraph in the customer's language."""
    if why is None:
        return ""
    photo_mb, file_mb = limits.photo_bytes // MIB, limits.upload_bytes // MIB
    return "\n\n" + texts.say(language, f"why-{why}", photo_mb=photo_mb, file_mb=file_mb)


def is_link(way: ResultLink) -> bool:
    """Whether a message can hold it."""
    return len(way.url) <= MAX_LINK_LENGTH and looks_like_url(way.url)


def link_text(texts: Texts, language: str, way: ResultLink) -> str:
    """A link to a file that could not be shown; empty when the URL is too long for a message, or is no URL."""
    if not is_link(way):
        return ""
    label = texts.say(language, "card-link-own" if way.is_ours else "card-link-label")
    return f' <a href="{html.escape(way.url)}">{label}</a>'

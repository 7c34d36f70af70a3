"""The ladder by which a face reaches its card: by Telegram's own file → by URL → by uploaded bytes → as text with links.

Each rung is an edit of the same message, so trying again shows the same thing once. A rung is left only when Telegram
refused the *source*; every other trouble goes up to the coordinator. Text with a link is the last resort: while a file that
nobody could fetch may still be had, it is tried again first.
"""

import html
from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Pool
from photomat.delivery import outputs
from photomat.delivery.card import Face
from photomat.delivery.keep import Keeper
from photomat.delivery.media import NotAllowed
from photomat.delivery.outputs import Output
from photomat.kernel.errors import Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.telegram.port import Card, CardIsMedia, Media, MediaKind, Messenger, PhotoRefused, SourceRefused
from photomat.texts.load import Texts

MIB: Final = 2**20
URL_LIMIT_BYTES: Final = {MediaKind.PHOTO: 5 * MIB}
URL_LIMIT_OTHERWISE: Final = 20 * MIB
UPLOAD_PHOTO_BYTES: Final = 10 * MIB
UPLOAD_BYTES: Final = 50 * MIB
PHOTO_SIDES: Final = 10_000
PHOTO_RATIO: Final = 20
BY_MIME: Final = {
    "image/png": MediaKind.PHOTO,
    "image/jpeg": MediaKind.PHOTO,
    "image/webp": MediaKind.PHOTO,
    "image/gif": MediaKind.ANIMATION,
    "video/mp4": MediaKind.VIDEO,
    "audio/mpeg": MediaKind.AUDIO,
    "audio/mp4": MediaKind.AUDIO,
    "audio/ogg": MediaKind.AUDIO,
}
LONGEST_LINK: Final = 2000
log = get_logger()


class NotYet(Transient):
    """Neither Telegram nor we could fetch the file; it may still be had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Shows a face on a card; says by which rung it got there."""

    pool: Pool
    messenger: Messenger
    keeper: Keeper
    texts: Texts

    async def show(self, card: Card, face: Face, *, language: str, last_resort: bool) -> str:
        """Edit the card; the answer is the level: url (Telegram has or fetches the file), bytes or text."""
        if face.output is None:
            failpoint("deliver.before_edit")
            await self.messenger.edit_text(card, face.text, face.keyboard)
            return "text"
        return await self._show_output(card, face, face.output, language, last_resort=last_resort)

    async def _show_output(self, card: Card, face: Face, output: Output, language: str, *, last_resort: bool) -> str:
        missing: Transient | None = None
        try:
            output = await self.keeper.kept(output)
        except Transient as error:
            log.warning("RESULT_NOT_KEPT", position=output.position, error=str(error))
            missing = error
        failpoint("deliver.after_fetch")
        for level, media in self._rungs(output, kind_of(output)):
            failpoint("deliver.before_edit")
            try:
                file_id = await self.messenger.edit_media(card, media, face.text, face.keyboard)
            except (SourceRefused, PhotoRefused) as error:
                log.info("DELIVER_STEP_DOWN", level=level, media=media.kind, reason=type(error).__name__)
                continue
            if file_id is not None:
                await outputs.remember_file(self.pool, output, media=media.kind, file_id=file_id)
            return level
        if missing is not None and not isinstance(missing, NotAllowed) and not last_resort:
            raise NotYet(str(missing)) from missing
        await self._as_text(card, face, output, language)
        return "text"

    def _rungs(self, output: Output, kind: MediaKind) -> list[tuple[str, Media]]:
        name = f"photomat-{output.job_id}-{output.position + 1}"
        rungs: list[tuple[str, Media]] = []
        if output.file_id is not None and output.media is not None:
            rungs.append(("url", Media(kind=MediaKind(output.media), source=output.file_id, name=name)))
        size_bytes = output.size_bytes or 0
        if kind is not MediaKind.DOCUMENT and size_bytes <= URL_LIMIT_BYTES.get(kind, URL_LIMIT_OTHERWISE):
            rungs.append(("url", Media(kind=kind, source=output.url, name=name)))
        if output.kept_as is not None and size_bytes <= UPLOAD_BYTES:
            path = self.keeper.files.path_of(output.kept_as)
            if kind is not MediaKind.DOCUMENT:
                rungs.append(("bytes", Media(kind=kind, source=path, name=f"{name}{path.suffix}")))
            rungs.append(("bytes", Media(kind=MediaKind.DOCUMENT, source=path, name=f"{name}{path.suffix}")))
        return rungs

    async def _as_text(self, card: Card, face: Face, output: Output, language: str) -> None:
        text = f"{face.text}\n\n{self.texts.say(language, 'card-link')}"
        if len(output.url) <= LONGEST_LINK:
            text += f' <a href="{html.escape(output.url)}">{self.texts.say(language, "card-link-label")}</a>'
        try:
            await self.messenger.edit_text(card, text, face.keyboard)
        except CardIsMedia:
            await self.messenger.edit_keyboard(card, face.keyboard)


def kind_of(output: Output) -> MediaKind:
    """What Telegram should make of an output, by its bytes; what does not fit goes as a document."""
    if output.mime is None:
        return MediaKind.PHOTO
    kind = BY_MIME.get(output.mime, MediaKind.DOCUMENT)
    if kind is MediaKind.PHOTO and not _fits_a_photo(output):
        return MediaKind.DOCUMENT
    return kind


def _fits_a_photo(output: Output) -> bool:
    if (output.size_bytes or 0) > UPLOAD_PHOTO_BYTES:
        return False
    if not output.width or not output.height:
        return True
    long, short = max(output.width, output.height), min(output.width, output.height)
    return output.width + output.height <= PHOTO_SIDES and long <= PHOTO_RATIO * short

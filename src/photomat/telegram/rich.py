"""A rich message: our HTML and many files as the blocks Telegram takes, and the files of its answer.

Only the marks our sentences use are known here: bold, italic, links. Whatever else stands in a text stands there as it is read.
"""

from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any, Final

from aiogram.types import (
    InputMediaVoiceNote,
    InputRichBlockAnimation,
    InputRichBlockAudio,
    InputRichBlockDocument,
    InputRichBlockParagraph,
    InputRichBlockPhoto,
    InputRichBlockVideo,
    InputRichBlockVoiceNote,
    InputRichMessage,
    RichBlockCaption,
    RichMessage,
    RichTextBold,
    RichTextItalic,
    RichTextUrl,
)

from photomat.telegram.input_media import input_media
from photomat.telegram.port import MediaKind, RichItem

BLOCKS: Final[dict[MediaKind, tuple[str, type[Any]]]] = {
    MediaKind.PHOTO: ("photo", InputRichBlockPhoto),
    MediaKind.VIDEO: ("video", InputRichBlockVideo),
    MediaKind.ANIMATION: ("animation", InputRichBlockAnimation),
    MediaKind.AUDIO: ("audio", InputRichBlockAudio),
    MediaKind.DOCUMENT: ("document", InputRichBlockDocument),
}


def rich_message(text: str, items: Sequence[RichItem]) -> InputRichMessage:
    """The files, each with its caption, and the text under them, a paragraph for each of its lines."""
    lines = [InputRichBlockParagraph(text=rich_text(line)) for line in text.split("\n") if line.strip()]
    return InputRichMessage(blocks=[*(_block(item) for item in items), *lines], skip_entity_detection=True)


def rich_text(marked: str) -> Any:
    """A line of our HTML as rich text."""
    reader = _Reader()
    reader.feed(marked)
    reader.close()
    return reader.parts


def file_ids_of(message: RichMessage | None) -> list[str | None]:
    """Telegram's own ids of the files in a rich message, in order."""
    found: list[str | None] = []
    for block in message.blocks if message else []:
        names = ("photo", "video", "animation", "audio", "voice_note", "document")
        media = next((getattr(block, name) for name in names if getattr(block, name, None)), None)
        if media is not None:
            found.append(media[-1].file_id if isinstance(media, list) else media.file_id)
    return found


def _block(item: RichItem) -> Any:
    caption = RichBlockCaption(text=item.caption) if item.caption else None
    if item.is_voice:
        return InputRichBlockVoiceNote(voice_note=InputMediaVoiceNote(media=str(item.media.source)), caption=caption)
    name, block = BLOCKS[item.media.kind]
    return block(**{name: input_media(item.media)}, caption=caption)


class _Reader(HTMLParser):
    """Reads one line; a mark that is never closed ends with the line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Any] = []
        self._open: list[tuple[str, str, list[Any]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open.append((tag, dict(attrs).get("href") or "", self.parts))
        self.parts = []

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            return
        _, address, outer = self._open.pop()
        outer.append(_marked(tag, self.parts, address))
        self.parts = outer

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def close(self) -> None:
        super().close()
        while self._open:
            self.handle_endtag(self._open[-1][0])


def _marked(tag: str, parts: list[Any], address: str) -> Any:
    match tag:
        case "b":
            return RichTextBold(text=parts)
        case "i":
            return RichTextItalic(text=parts)
        case "a":
            return RichTextUrl(text=parts, url=address)
        case _:
            return parts

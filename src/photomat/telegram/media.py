"""Media and rich messages as aiogram types.

Rich text knows the HTML tags of our texts: bold, italic, links. Other tags are dropped and their text stays.
"""

from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, TypeAlias

from aiogram.types import (
    BufferedInputFile,
    FSInputFile,
    InputMediaAnimation,
    InputMediaAudio,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
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

from photomat.telegram.port import Media, MediaKind, RichItem

InputMedia: TypeAlias = InputMediaPhoto | InputMediaVideo | InputMediaAnimation | InputMediaAudio | InputMediaDocument
TYPES: Final[dict[MediaKind, type[InputMedia]]] = {
    MediaKind.PHOTO: InputMediaPhoto,
    MediaKind.VIDEO: InputMediaVideo,
    MediaKind.ANIMATION: InputMediaAnimation,
    MediaKind.AUDIO: InputMediaAudio,
    MediaKind.DOCUMENT: InputMediaDocument,
}
BLOCKS: Final[dict[MediaKind, tuple[str, type[Any]]]] = {
    MediaKind.PHOTO: ("photo", InputRichBlockPhoto),
    MediaKind.VIDEO: ("video", InputRichBlockVideo),
    MediaKind.ANIMATION: ("animation", InputRichBlockAnimation),
    MediaKind.AUDIO: ("audio", InputRichBlockAudio),
    MediaKind.DOCUMENT: ("document", InputRichBlockDocument),
}


def input_media(media: Media, **caption: Any) -> InputMedia:
    return TYPES[media.kind](media=source_of(media), **caption, **details_of(media))


def source_of(media: Media) -> FSInputFile | BufferedInputFile | str:
    match media.source:
        case Path():
            return FSInputFile(media.source, filename=media.name)
        case bytes():
            return BufferedInputFile(media.source, filename=media.name)
        case _:
            return media.source


def details_of(media: Media) -> dict[str, Any]:
    """The arguments that sends and edits share; unknown ones are left out."""
    match media.kind:
        case MediaKind.AUDIO:
            details = {
                "title": media.title,
                "performer": media.performer,
                "duration": media.seconds,
                **_thumbnail(media),
            }
        case MediaKind.VIDEO:
            details = {**_shape(media), "supports_streaming": True}
        case MediaKind.ANIMATION:
            details = _shape(media)
        case MediaKind.DOCUMENT:
            details = {"disable_content_type_detection": media.as_is or None}
        case _:
            details = {}
    return {name: value for name, value in details.items() if value is not None}


def _shape(media: Media) -> dict[str, Any]:
    return {"width": media.width, "height": media.height, "duration": media.seconds}


def _thumbnail(media: Media) -> dict[str, Any]:
    """Telegram takes a thumbnail only with uploaded bytes."""
    if media.thumbnail is None or not media.is_upload:
        return {}
    return {"thumbnail": BufferedInputFile(media.thumbnail, filename="cover.jpg")}


def rich_message(text: str, items: Sequence[RichItem]) -> InputRichMessage:
    """The files with their captions, then the text, one paragraph a line."""
    lines = [InputRichBlockParagraph(text=rich_text(line)) for line in text.split("\n") if line.strip()]
    return InputRichMessage(blocks=[*(_block(item) for item in items), *lines], skip_entity_detection=True)


def rich_text(marked: str) -> Any:
    reader = _RichTextParser()
    reader.feed(marked)
    reader.close()
    return reader.parts


def file_ids_of(message: RichMessage | None) -> list[str | None]:
    """The file_ids of a rich message, in order."""
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


class _RichTextParser(HTMLParser):
    """Parses one line; an unclosed tag ends with the line."""

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
        _, url, outer = self._open.pop()
        outer.append(_marked(tag, self.parts, url))
        self.parts = outer

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def close(self) -> None:
        super().close()
        while self._open:
            self.handle_endtag(self._open[-1][0])


def _marked(tag: str, parts: list[Any], url: str) -> Any:
    match tag:
        case "b":
            return RichTextBold(text=parts)
        case "i":
            return RichTextItalic(text=parts)
        case "a":
            return RichTextUrl(text=parts, url=url)
        case _:
            return parts

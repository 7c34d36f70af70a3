"""What a broadcast says: a text in Russian and perhaps in English, perhaps a picture or a video, perhaps one button. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from photomat.broadcasts.markup import check_markup, visible_length
from photomat.kernel.errors import Rejected

MediaKind: TypeAlias = Literal["photo", "video", "animation"]
TEXT_LIMIT: Final = 4096
CAPTION_LIMIT: Final = 1024
TITLE_LIMIT: Final = 64
MOST_UPLOAD_BYTES: Final = {"photo": 10 << 20, "video": 20 << 20, "animation": 20 << 20}
WEB_LINK: Final = re.compile(r"^(https?|tg)://[^\s]+$")
OPENS: Final = re.compile(r"^(topup|(model|template):[\w./-]{1,100})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastMedia:
    """A file of Telegram's, or bytes that become one with the first preview; `is_kept`: the one the draft has already."""

    kind: MediaKind
    file_id: str | None = None
    upload: bytes | None = None
    is_kept: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastButton:
    """A button below the message: it leads to `url`, or opens something of ours: `topup`, `model:<id>`, `template:<id>`."""

    title_ru: str
    title_en: str | None = None
    url: str | None = None
    opens: str | None = None

    def title_in(self, language: str) -> str:
        return (self.title_en if language == "en" else None) or self.title_ru

    def as_json(self) -> dict[str, str | None]:
        return {"title_ru": self.title_ru, "title_en": self.title_en, "url": self.url, "opens": self.opens}


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastContent:
    text_ru: str
    text_en: str | None = None
    media: BroadcastMedia | None = None
    button: BroadcastButton | None = None

    @property
    def limit(self) -> int:
        return TEXT_LIMIT if self.media is None else CAPTION_LIMIT

    def text_in(self, language: str) -> str:
        return (self.text_en if language == "en" else None) or self.text_ru


def button_from_json(stored: Mapping[str, Any] | None) -> BroadcastButton | None:
    return None if stored is None else BroadcastButton(**stored)


def check_content(content: BroadcastContent) -> None:
    """Raise Rejected with a sentence for the operator if Telegram would refuse the message."""
    for text in (content.text_ru, content.text_en):
        if text is not None:
            _check_text(text, limit=content.limit)
    if content.media is not None:
        _check_media(content.media)
    if content.button is not None:
        _check_button(content.button)


def _check_text(text: str, *, limit: int) -> None:
    check_markup(text)
    length = visible_length(text)
    if not length:
        raise Rejected("broadcast-text-empty")
    if length > limit:
        raise Rejected("broadcast-text-long", length=length, limit=limit)


def _check_media(media: BroadcastMedia) -> None:
    if media.is_kept:
        return
    if (media.file_id is None) == (media.upload is None):
        raise Rejected("broadcast-media-one")
    most = MOST_UPLOAD_BYTES[media.kind]
    if media.upload is not None and not 0 < len(media.upload) <= most:
        raise Rejected("broadcast-media-large", limit=most >> 20)


def _check_button(button: BroadcastButton) -> None:
    titles = [button.title_ru, *([] if button.title_en is None else [button.title_en])]
    if any(not 1 <= len(title.strip()) <= TITLE_LIMIT for title in titles):
        raise Rejected("broadcast-button-title", limit=TITLE_LIMIT)
    if (button.url is None) == (button.opens is None):
        raise Rejected("broadcast-button-one")
    if button.url is not None and not WEB_LINK.match(button.url):
        raise Rejected("broadcast-link-bad", link=button.url)
    if button.opens is not None and not OPENS.match(button.opens):
        raise Rejected("broadcast-button-opens", opens=button.opens)

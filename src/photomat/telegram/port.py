"""What delivery asks of a messenger, and the troubles it can answer with.

An edit of a message whose id we hold bears repeating; `send_text` and `send_media` do not.

What we ask of Telegram about Stars beside the chat: its list of what was paid and given back, and a refund.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from photomat.kernel.errors import PhotomatError, Rejected, Transient
from photomat.kernel.ids import ChatId, MessageId, UserId


class CardGone(Rejected):
    """The message to edit is not there any more: a new slot is needed."""


class CardIsMedia(Rejected):
    """The message has no text to edit: the media is there already."""


class Superseded(Rejected):
    """A newer edit of the same message canceled this one."""


class SourceRefused(Rejected):
    """Telegram cannot use this source (class U of its errors): try the next rung."""


class PhotoRefused(Rejected):
    """Not as a photo: its size or shape does not fit; send it as a document."""


class TextRefused(Rejected):
    """Telegram cannot read the text, or finds it too long: show it plain and short."""


class Unreachable(Rejected):
    """The person has blocked the bot, or the chat is gone."""


class ChatMoved(Rejected):
    """The group has become another chat; its old messages cannot be edited there."""

    def __init__(self, chat_id: ChatId) -> None:
        super().__init__("chat-moved")
        self.chat_id = chat_id


class ChatBusy(Transient):
    """Telegram, or our own pace, takes nothing more for this one chat before `retry_after_s`; it never left."""


class CallRefused(Rejected):
    """A refusal nobody planned for; `str()` says what Telegram said."""

    def __init__(self, description: str) -> None:
        super().__init__("refused")
        self.description = description

    def __str__(self) -> str:
        return self.description


class Unauthorized(PhotomatError):
    """The bot's token is no good: stop, condemn nothing."""


class MediaKind(StrEnum):
    """What a message can be turned into."""

    PHOTO = "photo"
    VIDEO = "video"
    ANIMATION = "animation"
    AUDIO = "audio"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """An inline button: it calls back with `data`, or opens `url`."""

    text: str
    data: str | None = None
    url: str | None = None


Keyboard = tuple[tuple[Button, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The one message that shows a draft and then its job."""

    chat_id: ChatId
    message_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A file on its way: `source` is an address or a file_id Telegram resolves, or a path or bytes that we upload.

    The rest is what a player shows of it; `thumbnail` is a small JPEG. `as_is`: Telegram is to make nothing else of a document.
    """

    kind: MediaKind
    source: str | Path | bytes
    name: str
    title: str | None = None
    performer: str | None = None
    seconds: int | None = None
    width: int | None = None
    height: int | None = None
    thumbnail: bytes | None = None
    as_is: bool = False

    @property
    def is_upload(self) -> bool:
        """Whether its bytes go with the call."""
        return not isinstance(self.source, str)


@dataclass(frozen=True, slots=True, kw_only=True)
class RichItem:
    """One file of a rich message, and what stands under it; a voice note comes from an address alone."""

    media: Media
    caption: str | None = None
    is_voice: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A new message with a file, and Telegram's own id of the file."""

    message_id: MessageId
    file_id: str | None


class Messenger(Protocol):
    """Cards and rings. Also raises Transient (never left, 429), OutcomeUnknown, Unauthorized."""

    async def edit_text(self, card: Card, text: str, keyboard: Keyboard) -> None:
        """Show text on the card; "not modified" is success. Raises CardGone, CardIsMedia and the like."""
        ...

    async def edit_media(self, card: Card, media: Media, caption: str, keyboard: Keyboard) -> str | None:
        """Show media on the card; gives Telegram's file_id, None when it was there already."""
        ...

    async def edit_rich(self, card: Card, text: str, items: Sequence[RichItem], keyboard: Keyboard) -> list[str | None]:
        """Show text and many files on the card at once; gives Telegram's file_ids in order, none if all was there before."""
        ...

    async def edit_keyboard(self, card: Card, keyboard: Keyboard) -> None:
        """Set the buttons alone: a quiet way to find out whether the card is still there."""
        ...

    async def send_text(
        self, chat_id: ChatId, text: str, *, reply_to: MessageId | None, keyboard: Keyboard = ()
    ) -> MessageId:
        """Send a new message. May not be repeated after an unknown outcome."""
        ...

    async def send_media(self, chat_id: ChatId, media: Media, caption: str, *, keyboard: Keyboard = ()) -> Sent:
        """Send a file as a new message. May not be repeated after an unknown outcome."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StarPerson:
    """Who paid, or was paid back, as Telegram names them."""

    user_id: UserId
    first_name: str
    username: str | None
    language_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StarMove:
    """One line of the list: a payment of an invoice (`in`) or its refund (`out`), which bears the same id."""

    charge_id: str
    side: Literal["in", "out"]
    person: StarPerson
    stars: int
    payload: str
    is_subscription: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StarPage:
    """Some lines, oldest first: `lines` counts all of them, `moves` are those that concern invoices."""

    lines: int
    moves: Sequence[StarMove]


class StarsLedger(Protocol):
    """Telegram's list of Stars. Raises Transient, OutcomeUnknown, Rejected."""

    async def page(self, *, offset: int, limit: int) -> StarPage:
        """The lines after the first `offset`, oldest first."""
        ...

    async def give_back(self, user_id: UserId, charge_id: str) -> None:
        """Give a payment back whole; given back before is success, `Rejected` a clear no."""
        ...

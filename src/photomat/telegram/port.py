"""The ports to Telegram: messages, and the ledger of Stars; with the errors they raise.

An edit of a message whose id we know is idempotent; `send_text`, `send_media` and `send_album` are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from photomat.kernel.errors import PhotomatError, Rejected, Transient
from photomat.kernel.ids import ChatId, MessageId, UserId
from photomat.storage.places import StoredFile


class CardGone(Rejected):
    """The message to edit does not exist any more: a new slot is needed."""


class CardIsMedia(Rejected):
    """The message has no text to edit: the media is there already."""


class Superseded(Rejected):
    """A newer edit of the same message canceled this one."""


class SourceRefused(Rejected):
    """Telegram cannot use this source (class U of its errors): try the next fallback."""


class PhotoRefused(Rejected):
    """Its size or shape does not fit a photo: send it as a document."""


class TextRefused(Rejected):
    """Telegram cannot parse the text, or it is too long: show it plain and short."""


class Unreachable(Rejected):
    """The user has blocked the bot, or the chat is gone."""


class ChatMoved(Rejected):
    """The group became another chat, where old messages cannot be edited."""

    def __init__(self, chat_id: ChatId) -> None:
        super().__init__("chat-moved")
        self.chat_id = chat_id


class ChatBusy(Transient):
    """Telegram or our own rate limit takes no more calls for this chat before `retry_after_s`; the call never left."""


class CallRefused(Rejected):
    """A refusal without a class of its own; `str()` is Telegram's description."""

    def __init__(self, description: str) -> None:
        super().__init__("refused")
        self.description = description

    def __str__(self) -> str:
        return self.description


class Unauthorized(PhotomatError):
    """The bot's token is not accepted: stop, and fail no job for it."""


class MediaKind(StrEnum):
    PHOTO = "photo"
    VIDEO = "video"
    ANIMATION = "animation"
    AUDIO = "audio"
    DOCUMENT = "document"
    VOICE = "voice"
    """Only sent: no edit can show one."""


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
    """A file to show: `source` is a URL or file_id that Telegram resolves, or a path, bytes or stored file that we upload.

    `thumbnail` is a small JPEG. `as_is`: Telegram must not turn a document into another kind.
    """

    kind: MediaKind
    source: str | Path | bytes | StoredFile
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
    """One file of a rich message; a voice note can only come from a URL."""

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
        """Show media on the card; return Telegram's file_id, None if nothing changed."""
        ...

    async def edit_rich(self, card: Card, text: str, items: Sequence[RichItem], keyboard: Keyboard) -> list[str | None]:
        """Show text and files on the card at once; return the file_ids in order, none if nothing changed."""
        ...

    async def edit_keyboard(self, card: Card, keyboard: Keyboard) -> None:
        """Set the buttons only: a quiet way to find out whether the card still exists."""
        ...

    async def send_text(
        self, chat_id: ChatId, text: str, *, reply_to: MessageId | None, keyboard: Keyboard = ()
    ) -> MessageId:
        """Send a new message. Must not be repeated after `OutcomeUnknown`."""
        ...

    async def send_media(self, chat_id: ChatId, media: Media, caption: str, *, keyboard: Keyboard = ()) -> Sent:
        """Send a file as a new message. Must not be repeated after `OutcomeUnknown`."""
        ...

    async def send_album(self, chat_id: ChatId, items: Sequence[Media], caption: str) -> MessageId:
        """Send two to ten files together, all or none; return the first message. No repeat after `OutcomeUnknown`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StarPerson:
    """Who paid, or was refunded."""

    user_id: UserId
    first_name: str
    username: str | None
    language_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StarMove:
    """The payment of an invoice (`in`) or its refund (`out`), which has the same id."""

    charge_id: str
    side: Literal["in", "out"]
    person: StarPerson
    stars: int
    payload: str
    is_subscription: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StarPage:
    """A page of transactions, oldest first: `lines` counts all of them, `moves` are those of invoices."""

    lines: int
    moves: Sequence[StarMove]


class StarsLedger(Protocol):
    """Telegram's list of Stars transactions. Raises Transient, OutcomeUnknown, Rejected."""

    async def page(self, *, offset: int, limit: int) -> StarPage:
        """The transactions after the first `offset`, oldest first."""
        ...

    async def refund(self, user_id: UserId, charge_id: str) -> None:
        """Refund a whole payment; one refunded before is success, `Rejected` is final."""
        ...

"""Translation of Telegram's errors, by the wording of the Bot API server: its documentation calls codes subject to change."""

from collections.abc import Callable
from typing import Final

from aiogram.exceptions import (
    ClientDecodeError,
    TelegramAPIError,
    TelegramEntityTooLarge,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiohttp import ClientConnectorError, ConnectionTimeoutError

from photomat.kernel.error_report import masked, vendor_message
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.ids import ChatId
from photomat.telegram.port import (
    CallRefused,
    CardGone,
    CardIsMedia,
    ChatBusy,
    ChatMoved,
    PhotoRefused,
    SourceRefused,
    Superseded,
    TextRefused,
    Unauthorized,
    Unreachable,
)

NOT_MODIFIED: Final = "message is not modified"
NOT_IMPLEMENTED: Final = "method not implemented"
"""From other Bot API servers, for a method they lack."""

WORDINGS: Final[tuple[tuple[str, Callable[[], PhotomatError]], ...]] = (
    ("message to edit not found", lambda: CardGone("card-gone")),
    ("message_id_invalid", lambda: CardGone("card-gone")),
    ("message not found", lambda: CardGone("card-gone")),
    ("message can't be edited", lambda: CardGone("card-gone")),
    ("message media can't be edited", lambda: CardGone("card-gone")),
    ("there is no text in the message to edit", lambda: CardIsMedia("card-is-media")),
    ("canceled by new edit", lambda: Superseded("superseded")),
    ("failed to get http url content", lambda: SourceRefused("source")),
    ("webpage_curl_failed", lambda: SourceRefused("source")),
    ("wrong type of the web page content", lambda: SourceRefused("source")),
    ("webpage_media_empty", lambda: SourceRefused("source")),
    ("wrong http url specified", lambda: SourceRefused("source")),
    ("invalid file http url specified", lambda: SourceRefused("source")),
    ("wrong file identifier/http url specified", lambda: SourceRefused("source")),
    ("media_empty", lambda: SourceRefused("source")),
    ("wrong remote file identifier specified", lambda: SourceRefused("source")),
    ("can't upload file by url", lambda: SourceRefused("source")),
    ("can't use file of type", lambda: SourceRefused("source")),
    ("file must be non-empty", lambda: SourceRefused("source")),
    ("voice_messages_forbidden", lambda: SourceRefused("source")),
    ("photo_invalid_dimensions", lambda: PhotoRefused("photo")),
    ("image_process_failed", lambda: PhotoRefused("photo")),
    ("photo_ext_invalid", lambda: PhotoRefused("photo")),
    ("photo has unsupported extension", lambda: PhotoRefused("photo")),
    ("is too big for a photo", lambda: PhotoRefused("photo")),
    ("photo_save_file_invalid", lambda: Transient("Telegram could not save the photo")),
    ("message is too long", lambda: TextRefused("text")),
    ("caption is too long", lambda: TextRefused("text")),
    ("media_caption_too_long", lambda: TextRefused("text")),
    ("message text is empty", lambda: TextRefused("text")),
    ("can't parse entities", lambda: TextRefused("text")),
    ("chat not found", lambda: Unreachable("unreachable")),
    ("peer_id_invalid", lambda: Unreachable("unreachable")),
    ("user is deactivated", lambda: Unreachable("unreachable")),
    ("user_is_blocked", lambda: Unreachable("unreachable")),
    ("not enough rights to send", lambda: Unreachable("unreachable")),
    ("have no rights to send", lambda: Unreachable("unreachable")),
    ("chat_write_forbidden", lambda: Unreachable("unreachable")),
    ("unallowed token specified", lambda: Unauthorized("this Bot API server does not serve the bot's token")),
)


@vendor_message.register
def _description(error: TelegramAPIError) -> str:
    return error.message


def is_not_modified(error: TelegramAPIError) -> bool:
    """The message already looks like that: success."""
    return NOT_MODIFIED in error.message.lower()


def translate(error: TelegramAPIError | ClientDecodeError) -> PhotomatError:
    if isinstance(error, TelegramRetryAfter):
        return ChatBusy("Telegram asks to slow down", retry_after_s=float(error.retry_after))
    if isinstance(error, TelegramMigrateToChat):
        return ChatMoved(ChatId(error.migrate_to_chat_id))
    if isinstance(error, TelegramEntityTooLarge):  # a subclass of TelegramNetworkError, so tested first
        return SourceRefused("source")
    if isinstance(error, TelegramNetworkError):
        return _network(error)
    if isinstance(error, TelegramServerError) and NOT_IMPLEMENTED in error.message.lower():
        return SourceRefused("source")  # definite: nothing was shown, and text is the next fallback
    if isinstance(error, ClientDecodeError | TelegramServerError):
        return OutcomeUnknown("Telegram answered with an error of its own")
    if isinstance(error, TelegramUnauthorizedError | TelegramNotFound):
        return Unauthorized("Telegram does not accept the bot's token")
    return _refusal(error)


def _refusal(error: TelegramAPIError) -> PhotomatError:
    text = error.message.lower()
    worded = next((make() for wording, make in WORDINGS if wording in text), None)
    if worded is not None:
        return worded
    return (
        Unreachable("unreachable") if isinstance(error, TelegramForbiddenError) else CallRefused(masked(error.message))
    )


def _network(error: TelegramNetworkError) -> PhotomatError:
    if isinstance(error.__cause__, ClientConnectorError | ConnectionTimeoutError):
        return Transient("Telegram could not be reached")
    return OutcomeUnknown("a call to Telegram left and got no answer")

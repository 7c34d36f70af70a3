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

REFUSALS: Final[tuple[tuple[Callable[[], PhotomatError], tuple[str, ...]], ...]] = (
    (lambda: CardGone("card-gone"), (
        "message to edit not found", "message_id_invalid", "message not found", "message can't be edited",
        "message media can't be edited",
    )),
    (lambda: CardIsMedia("card-is-media"), ("there is no text in the message to edit",)),
    (lambda: Superseded("superseded"), ("canceled by new edit",)),
    (lambda: SourceRefused("source"), (
        "failed to get http url content", "webpage_curl_failed", "wrong type of the web page content",
        "webpage_media_empty", "wrong http url specified", "invalid file http url specified",
        "wrong file identifier/http url specified", "media_empty",
        "wrong remote file identifier specified", "can't upload file by url", "can't use file of type",
        "file must be non-empty", "voice_messages_forbidden",
    )),
    (lambda: PhotoRefused("photo"), (
        "photo_invalid_dimensions", "image_process_failed", "photo_ext_invalid",
        "photo has unsupported extension", "is too big for a photo",
    )),
    (lambda: Transient("Telegram could not save the photo"), ("photo_save_file_invalid",)),
    (lambda: TextRefused("text"), (
        "message is too long", "caption is too long", "media_caption_too_long", "message text is empty",
        "can't parse entities",
    )),
    (lambda: Unreachable("unreachable"), (
        "chat not found", "peer_id_invalid", "user is deactivated", "user_is_blocked",
        "not enough rights to send", "have no rights to send", "chat_write_forbidden",
    )),
    (lambda: Unauthorized("this Bot API server does not serve the bot's token"), ("unallowed token specified",)),
)  # fmt: skip
"""What a description means that contains one of these wordings, in lower case; the first match counts."""


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
    for refusal, wordings in REFUSALS:
        if any(wording in text for wording in wordings):
            return refusal()
    if isinstance(error, TelegramForbiddenError):
        return Unreachable("unreachable")
    return CallRefused(masked(error.message))


def _network(error: TelegramNetworkError) -> PhotomatError:
    if isinstance(error.__cause__, ClientConnectorError | ConnectionTimeoutError):
        return Transient("Telegram could not be reached")
    return OutcomeUnknown("a call to Telegram left and got no answer")

"""Telegram's refusals in our families, decided once, by the wording the Bot API server uses.

Codes are "subject to change" in Telegram's own words, so the text decides and the class of the answer helps.
"""

from collections.abc import Callable
from typing import Final

from aiogram.exceptions import (
    ClientDecodeError,
    TelegramAPIError,
    TelegramEntityTooLarge,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiohttp import ClientConnectorError, ConnectionTimeoutError

from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.telegram.port import (
    CardGone,
    CardIsMedia,
    PhotoRefused,
    Refused,
    SourceRefused,
    Superseded,
    Unauthorized,
    Unreachable,
)

NOT_MODIFIED: Final = "message is not modified"

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
    ("photo_invalid_dimensions", lambda: PhotoRefused("photo")),
    ("image_process_failed", lambda: PhotoRefused("photo")),
    ("photo_ext_invalid", lambda: PhotoRefused("photo")),
    ("is too big for a photo", lambda: PhotoRefused("photo")),
    ("photo_save_file_invalid", lambda: Transient("Telegram could not save the photo")),
    ("chat not found", lambda: Unreachable("unreachable")),
    ("user is deactivated", lambda: Unreachable("unreachable")),
    ("user_is_blocked", lambda: Unreachable("unreachable")),
)


def is_not_modified(error: TelegramAPIError) -> bool:
    """The edit changed nothing because the message already looks like that: success."""
    return NOT_MODIFIED in error.message.lower()


def translate(error: TelegramAPIError | ClientDecodeError) -> PhotomatError:
    """What a failed call means for the caller."""
    if isinstance(error, TelegramRetryAfter):
        return Transient("Telegram asks to slow down", retry_after_s=float(error.retry_after))
    if isinstance(error, TelegramEntityTooLarge):  # aiogram counts it among the network's errors: asked first
        return SourceRefused("source")
    if isinstance(error, TelegramNetworkError):
        return _network(error)
    if isinstance(error, ClientDecodeError | TelegramServerError):
        return OutcomeUnknown("Telegram answered with an error of its own")
    if isinstance(error, TelegramUnauthorizedError | TelegramNotFound):
        return Unauthorized("Telegram does not accept the bot's token")
    if isinstance(error, TelegramForbiddenError):
        return Unreachable("unreachable")
    text = error.message.lower()
    return next((make() for wording, make in WORDINGS if wording in text), Refused(error.message))


def _network(error: TelegramNetworkError) -> PhotomatError:
    if isinstance(error.__cause__, ClientConnectorError | ConnectionTimeoutError):
        return Transient("Telegram could not be reached")
    return OutcomeUnknown("a call to Telegram left and got no answer")

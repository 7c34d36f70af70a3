"""Every wording of the Bot API server that concerns us, and what it makes us do."""

import json

import pytest
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.exceptions import ClientDecodeError, TelegramAPIError, TelegramNetworkError
from aiogram.methods import EditMessageText
from aiohttp import ClientConnectorError, ConnectionTimeoutError, ServerDisconnectedError
from aiohttp.client_reqrep import ConnectionKey

from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.telegram.errors import is_not_modified, translate
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

METHOD = EditMessageText(text="x", chat_id=1, message_id=1)
NOWHERE = ConnectionKey("127.0.0.1", 9, is_ssl=False, ssl=True, proxy=None, proxy_auth=None, proxy_headers_hash=None)
WORDINGS: list[tuple[int, str, type[PhotomatError]]] = [
    (400, "Bad Request: message to edit not found", CardGone),
    (400, "Bad Request: MESSAGE_ID_INVALID", CardGone),
    (400, "Bad Request: message not found", CardGone),
    (400, "Bad Request: message can't be edited", CardGone),
    (400, "Bad Request: message media can't be edited", CardGone),
    (400, "Bad Request: there is no text in the message to edit", CardIsMedia),
    (400, "Bad Request: canceled by new editMessageMedia request", Superseded),
    (400, "Bad Request: failed to get HTTP URL content", SourceRefused),
    (400, "Bad Request: WEBPAGE_CURL_FAILED", SourceRefused),
    (400, "Bad Request: wrong type of the web page content", SourceRefused),
    (400, "Bad Request: WEBPAGE_MEDIA_EMPTY", SourceRefused),
    (400, "Bad Request: wrong HTTP URL specified", SourceRefused),
    (400, "Bad Request: invalid file HTTP URL specified: Unsupported URL protocol", SourceRefused),
    (400, "Bad Request: wrong file identifier/HTTP URL specified", SourceRefused),
    (400, "Bad Request: MEDIA_EMPTY", SourceRefused),
    (400, "Bad Request: wrong remote file identifier specified: can't unserialize it", SourceRefused),
    (400, "Bad Request: can't use file of type Photo as Video", SourceRefused),
    (400, "Bad Request: can't upload file by URL", SourceRefused),
    (413, "Request Entity Too Large", SourceRefused),
    (501, "Method not implemented: editMessageMedia", SourceRefused),
    (400, "Bad Request: file must be non-empty", SourceRefused),
    (403, "Forbidden: VOICE_MESSAGES_FORBIDDEN", SourceRefused),
    (400, "Bad Request: PHOTO_INVALID_DIMENSIONS", PhotoRefused),
    (400, "Bad Request: IMAGE_PROCESS_FAILED", PhotoRefused),
    (400, "Bad Request: PHOTO_EXT_INVALID", PhotoRefused),
    (400, "Bad Request: Photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png", PhotoRefused),
    (
        400,
        "Bad Request: file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes",
        PhotoRefused,
    ),
    (400, "Bad Request: PHOTO_SAVE_FILE_INVALID", Transient),
    (400, "Bad Request: chat not found", Unreachable),
    (400, "Bad Request: private chat not found", Unreachable),
    (400, "Bad Request: USER_IS_BLOCKED", Unreachable),
    (403, "Forbidden: bot was blocked by the user", Unreachable),
    (403, "Forbidden: user is deactivated", Unreachable),
    (403, "Forbidden: bot can't initiate conversation with a user", Unreachable),
    (403, "Forbidden: bot was kicked from the supergroup chat", Unreachable),
    (403, "Forbidden: the group chat was deleted", Unreachable),
    (401, "Unauthorized", Unauthorized),
    (401, "Unauthorized: invalid token specified", Unauthorized),
    (404, "Not Found", Unauthorized),
    (404, "Not Found: method not found", Unauthorized),
    (500, "Internal Server Error: restart", OutcomeUnknown),
    (500, "Internal Server Error", OutcomeUnknown),
    (400, "Bad Request: message is too long", TextRefused),
    (400, "Bad Request: message caption is too long", TextRefused),
    (400, "Bad Request: MEDIA_CAPTION_TOO_LONG", TextRefused),
    (400, "Bad Request: message text is empty", TextRefused),
    (400, "Bad Request: can't parse entities: unclosed start tag", TextRefused),
    (400, "Bad Request: BUTTON_DATA_INVALID", CallRefused),
    (400, "Bad Request: message to be replied not found", CallRefused),
    (409, "Conflict: terminated by other getUpdates request", CallRefused),
    (421, "Misdirected Request: unallowed token specified", Unauthorized),
]


def answered(status: int, description: str, **parameters: object) -> TelegramAPIError:
    """The exception aiogram makes of such an answer."""
    body = {"ok": False, "error_code": status, "description": description, "parameters": parameters or None}
    with pytest.raises(TelegramAPIError) as caught:
        AiohttpSession().check_response(Bot("1:a"), METHOD, status, json.dumps(body))
    return caught.value


@pytest.mark.parametrize(("status", "description", "family"), WORDINGS, ids=[one[1][:60] for one in WORDINGS])
def test_a_wording_means_its_family(status: int, description: str, family: type[PhotomatError]) -> None:
    error = answered(status, description)
    assert type(translate(error)) is family
    assert not is_not_modified(error)


def test_a_refusal_nobody_planned_for_keeps_its_words_for_the_operator() -> None:
    assert str(translate(answered(400, "Bad Request: BUTTON_DATA_INVALID"))).endswith("BUTTON_DATA_INVALID")


def test_an_edit_that_changes_nothing_is_a_success() -> None:
    text = "Bad Request: message is not modified: specified new message content and reply markup are exactly the same"
    assert is_not_modified(answered(400, text))


def test_too_many_requests_say_how_long_to_wait() -> None:
    error = translate(answered(429, "Too Many Requests: retry after 7", retry_after=7))
    assert isinstance(error, ChatBusy)
    assert error.retry_after_s == 7


def test_a_group_that_became_another_chat_says_which() -> None:
    said = "Bad Request: group chat was upgraded to a supergroup chat"
    error = translate(answered(400, said, migrate_to_chat_id=-100_500))
    assert isinstance(error, ChatMoved)
    assert error.chat_id == -100_500


def test_the_page_of_a_gateway_says_nothing_about_the_outcome() -> None:
    with pytest.raises(ClientDecodeError) as caught:
        AiohttpSession().check_response(Bot("1:a"), METHOD, 502, "<html>Bad Gateway</html>")
    assert type(translate(caught.value)) is OutcomeUnknown


@pytest.mark.parametrize(
    ("cause", "family"),
    [
        (ClientConnectorError(NOWHERE, OSError("refused")), Transient),
        (ConnectionTimeoutError(), Transient),
        (ServerDisconnectedError(), OutcomeUnknown),
        (TimeoutError(), OutcomeUnknown),
    ],
    ids=["refused", "no connection in time", "cut", "no answer in time"],
)
def test_only_a_connection_never_made_is_safe_to_repeat(cause: Exception, family: type[PhotomatError]) -> None:
    error = TelegramNetworkError(method=METHOD, message="network")
    error.__cause__ = cause
    assert type(translate(error)) is family

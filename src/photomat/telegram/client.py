"""The messenger and Stars ports on aiogram, whose errors are translated here.

An edit can be repeated. A send cannot: one that left and got no answer raises `OutcomeUnknown`, and a crash after it leaves a
message that we do not know of. Rich text knows the HTML tags of our texts: bold, italic, links.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from aiogram import Bot
from aiogram.exceptions import ClientDecodeError, TelegramAPIError, TelegramBadRequest
from aiogram.types import (
    BufferedInputFile,
    FSInputFile,
    InlineKeyboardMarkup,
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
    Message,
    ReplyParameters,
    RichBlockCaption,
    RichMessage,
    RichTextBold,
    RichTextItalic,
    RichTextUrl,
    StarTransaction,
    TransactionPartnerUser,
)

from photomat.kernel.error_report import masked
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.ids import ChatId, MessageId, UserId
from photomat.storage.places import StoredFile
from photomat.telegram.errors import is_not_modified, translate
from photomat.telegram.port import (
    Button,
    CallRefused,
    Card,
    Keyboard,
    Media,
    MediaKind,
    RichItem,
    Sent,
    StarMove,
    StarPage,
    StarPerson,
)

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
CALL_TIMEOUT_S: Final = 30
UPLOAD_TIMEOUT_S: Final = 180
LEAST_BYTES_PER_S: Final = 2**21
"""What an upload to Telegram must do beyond that: a local server takes 2000 MB and answers when Telegram has them."""
STARS_TIMEOUT_S: Final = 20
INVOICE: Final = "invoice_payment"
REFUNDED_BEFORE: Final = "CHARGE_ALREADY_REFUNDED"


def input_media(media: Media, **caption: Any) -> InputMedia:
    return TYPES[media.kind](media=source_of(media), **caption, **details_of(media))


def source_of(media: Media) -> FSInputFile | BufferedInputFile | str:
    match media.source:
        case Path():
            return FSInputFile(media.source, filename=media.name)
        case bytes():
            return BufferedInputFile(media.source, filename=media.name)
        case StoredFile():
            raise TypeError("a stored file is opened before the call")
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
    """Parses one line; an unclosed tag ends with the line, an unknown tag is dropped and its text stays."""

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


class TelegramMessenger:
    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def edit_text(self, card: Card, text: str, keyboard: Keyboard) -> None:
        with _translated(is_edit=True):
            await self._bot.edit_message_text(
                text=text,
                chat_id=card.chat_id,
                message_id=card.message_id,
                reply_markup=_markup(keyboard),
                parse_mode="HTML",
                request_timeout=CALL_TIMEOUT_S,
            )

    async def edit_media(self, card: Card, media: Media, caption: str, keyboard: Keyboard) -> str | None:
        answer: Message | bool | None = None
        async with _at_hand(media) as (file,):
            with _translated(is_edit=True):
                answer = await self._bot.edit_message_media(
                    media=input_media(file, caption=caption, parse_mode="HTML"),
                    chat_id=card.chat_id,
                    message_id=card.message_id,
                    reply_markup=_markup(keyboard),
                    request_timeout=_timeout_s(media),
                )
        return _file_id(answer) if isinstance(answer, Message) else None

    async def edit_rich(self, card: Card, text: str, items: Sequence[RichItem], keyboard: Keyboard) -> list[str | None]:
        answer: Message | bool | None = None
        async with _at_hand(*(item.media for item in items)) as files:
            with _translated(is_edit=True):
                items = [replace(item, media=file) for item, file in zip(items, files, strict=True)]
                answer = await self._bot.edit_message_text(
                    chat_id=card.chat_id,
                    message_id=card.message_id,
                    rich_message=rich_message(text, items),
                    reply_markup=_markup(keyboard),
                    request_timeout=_timeout_s(*(item.media for item in items)),
                )
        return file_ids_of(answer.rich_message) if isinstance(answer, Message) else []

    async def edit_keyboard(self, card: Card, keyboard: Keyboard) -> None:
        with _translated(is_edit=True):
            await self._bot.edit_message_reply_markup(
                chat_id=card.chat_id,
                message_id=card.message_id,
                reply_markup=_markup(keyboard),
                request_timeout=CALL_TIMEOUT_S,
            )

    async def send_text(
        self, chat_id: ChatId, text: str, *, reply_to: MessageId | None, keyboard: Keyboard = ()
    ) -> MessageId:
        """Send a message, as a reply if the card still exists."""
        reply = None if reply_to is None else ReplyParameters(message_id=reply_to, allow_sending_without_reply=True)
        with _translated():
            message = await self._bot.send_message(
                chat_id=chat_id,
                text=text,
                reply_parameters=reply,
                reply_markup=_markup(keyboard),
                parse_mode="HTML",
                request_timeout=CALL_TIMEOUT_S,
            )
        return MessageId(message.message_id)

    async def send_media(self, chat_id: ChatId, media: Media, caption: str, *, keyboard: Keyboard = ()) -> Sent:
        methods: Mapping[MediaKind, Callable[..., Awaitable[Message]]] = {
            MediaKind.PHOTO: self._bot.send_photo,
            MediaKind.VIDEO: self._bot.send_video,
            MediaKind.ANIMATION: self._bot.send_animation,
            MediaKind.AUDIO: self._bot.send_audio,
            MediaKind.DOCUMENT: self._bot.send_document,
            MediaKind.VOICE: self._bot.send_voice,
        }
        async with _at_hand(media) as (file,):
            with _translated():
                message = await methods[media.kind](
                    chat_id,
                    source_of(file),
                    caption=caption,
                    reply_markup=_markup(keyboard),
                    parse_mode="HTML",
                    request_timeout=_timeout_s(media),
                    **details_of(file),
                )
        return Sent(message_id=MessageId(message.message_id), file_id=_file_id(message))

    async def send_album(self, chat_id: ChatId, items: Sequence[Media], caption: str) -> MessageId:
        """Send files together; the caption stands below the last of them."""
        async with _at_hand(*items) as files:
            with _translated():
                *before, last = files
                album = [*(input_media(each) for each in before), input_media(last, caption=caption, parse_mode="HTML")]
                sent = await self._bot.send_media_group(chat_id, cast("Any", album), request_timeout=_timeout_s(*files))
        return MessageId(sent[0].message_id)


@asynccontextmanager
async def _at_hand(*media: Media) -> AsyncIterator[list[Media]]:
    """These files with a path in place of a stored file, for one call; raises Transient before anything leaves."""
    async with AsyncExitStack() as stack:
        yield [await _with_path(stack, each) for each in media]


async def _with_path(stack: AsyncExitStack, media: Media) -> Media:
    if not isinstance(media.source, StoredFile):
        return media
    return replace(media, source=await stack.enter_async_context(media.source.local()))


@contextmanager
def _translated(*, is_edit: bool = False) -> Iterator[None]:
    """Translate aiogram's errors; an edit that changes nothing is a success."""
    try:
        yield
    except (TelegramAPIError, ClientDecodeError) as error:
        if is_edit and isinstance(error, TelegramAPIError) and is_not_modified(error):
            return
        raise translate(error) from error


def _timeout_s(*media: Media) -> int:
    uploads = [each for each in media if each.is_upload]
    if not uploads:
        return CALL_TIMEOUT_S
    return UPLOAD_TIMEOUT_S + sum(map(_size_bytes, uploads)) // LEAST_BYTES_PER_S


def _size_bytes(media: Media) -> int:
    if isinstance(media.source, StoredFile):
        return media.source.size_bytes
    try:
        return media.source.stat().st_size if isinstance(media.source, Path) else len(media.source)
    except OSError:
        return 0


def _markup(keyboard: Keyboard) -> InlineKeyboardMarkup | None:
    """The keyboard without an object for each button: they would take as long as the rest of the call."""
    rows = [[_button(button) for button in row] for row in keyboard]
    return InlineKeyboardMarkup.model_construct(inline_keyboard=cast("Any", rows)) if rows else None


def _button(button: Button) -> dict[str, str]:
    fields = {"text": button.text, "callback_data": button.data, "url": button.url}
    return {name: value for name, value in fields.items() if value is not None}


def _file_id(message: Message) -> str | None:
    if message.photo:
        return message.photo[-1].file_id
    for media in (message.video, message.animation, message.audio, message.document):
        if media is not None:
            return media.file_id
    return None


class StarsClient:
    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def page(self, *, offset: int, limit: int) -> StarPage:
        with _translated():
            found = await self._bot.get_star_transactions(offset=offset, limit=limit, request_timeout=STARS_TIMEOUT_S)
        moves = [move for line in found.transactions if (move := _move(line)) is not None]
        return StarPage(lines=len(found.transactions), moves=moves)

    async def refund(self, user_id: UserId, charge_id: str) -> None:
        """Refund a payment; "already refunded" is success, only a 400 is final, everything else is retried."""
        try:
            await self._bot.refund_star_payment(
                user_id=user_id, telegram_payment_charge_id=charge_id, request_timeout=STARS_TIMEOUT_S
            )
        except TelegramBadRequest as error:
            if REFUNDED_BEFORE not in error.message:
                raise CallRefused(masked(error.message)) from error
        except (TelegramAPIError, ClientDecodeError) as error:
            translated = translate(error)
            if isinstance(translated, OutcomeUnknown | Transient):
                raise translated from error
            raise Transient(str(translated)) from error


def _move(line: StarTransaction) -> StarMove | None:
    """The payment or refund of an invoice; None for gifts, withdrawals and the like."""
    partner = line.source or line.receiver
    if not isinstance(partner, TransactionPartnerUser) or partner.transaction_type != INVOICE:
        return None
    return StarMove(
        charge_id=line.id,
        side="in" if line.source is not None else "out",
        person=StarPerson(
            user_id=UserId(partner.user.id),
            first_name=partner.user.first_name,
            username=partner.user.username,
            language_code=partner.user.language_code,
        ),
        stars=line.amount,
        payload=partner.invoice_payload or "",
        is_subscription=partner.subscription_period is not None,
        at=line.date,
    )

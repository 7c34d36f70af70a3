"""python-telegram-bot against the simulated Telegram: its types, its uploads and its classes of errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaAudio,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
    KeyboardButton,
    LabeledPrice,
    MenuButtonCommands,
    Message,
    ReplyKeyboardMarkup,
    ReplyKeyboardRemove,
    ReplyParameters,
    Update,
)
from telegram.constants import ParseMode
from telegram.error import BadRequest, Conflict, Forbidden, InvalidToken, NetworkError, RetryAfter, TimedOut
from telegram.ext import Application, CallbackQueryHandler, MessageHandler, filters
from telegram.request import HTTPXRequest

from support.telegram_media import picture, running_files, video
from support.telegram_sim import RunningTelegram, running_telegram, until

KEYBOARD = InlineKeyboardMarkup([[InlineKeyboardButton("Да", callback_data="yes")]])
MP3 = b"ID3" + bytes(50)


@asynccontextmanager
async def bot_of(telegram: RunningTelegram, token: str | None = None) -> AsyncIterator[Bot]:
    """Open a bot of python-telegram-bot that talks to this Telegram."""
    request = HTTPXRequest(httpx_kwargs={"trust_env": False})
    async with Bot(
        token or telegram.world.token,
        base_url=f"{telegram.url}/bot",
        base_file_url=f"{telegram.url}/file/bot",
        request=request,
        get_updates_request=HTTPXRequest(httpx_kwargs={"trust_env": False}),
    ) as bot:
        yield bot


async def test_a_bot_starts_reads_updates_and_answers_taps() -> None:
    async with running_telegram() as telegram, bot_of(telegram) as bot:
        anna = telegram.person()
        assert (await bot.get_me()).id == telegram.world.bot.user_id
        telegram.writes(anna, "/start привет")
        [update] = await bot.get_updates(allowed_updates=Update.ALL_TYPES)
        assert update.message is not None
        assert update.effective_user is not None
        assert (update.message.text, update.effective_user.id) == ("/start привет", anna.user_id)
        assert list(update.message.parse_entities().values()) == ["/start"]
        card = await bot.send_message(anna.user_id, "Карточка", reply_markup=KEYBOARD)
        telegram.taps(anna, card.message_id, "yes")
        [tap] = await bot.get_updates(offset=update.update_id + 1)
        assert tap.callback_query is not None
        assert tap.callback_query.data == "yes"
        assert tap.callback_query.message == card
        assert await tap.callback_query.answer("готово", show_alert=True)
        with pytest.raises(BadRequest, match="Query is too old"):
            await tap.callback_query.answer()


async def test_texts_keyboards_replies_and_edits() -> None:
    async with running_telegram() as telegram, bot_of(telegram) as bot:
        anna = telegram.person()
        sent = await bot.send_message(anna.user_id, "<b>Кот</b> и <code>код</code>", parse_mode=ParseMode.HTML)
        assert [(entity.type, sent.parse_entity(entity)) for entity in sent.entities] == [
            ("bold", "Кот"),
            ("code", "код"),
        ]
        assert sent.text_html == "<b>Кот</b> и <code>код</code>"
        quoting = ReplyParameters(sent.message_id, quote="и <code>код</code>", quote_parse_mode=ParseMode.HTML)
        reply = await bot.send_message(anna.user_id, "ответ", reply_parameters=quoting, message_effect_id="510484")
        assert reply.quote is not None
        assert (reply.quote.text, reply.quote.position) == ("и код", 4)
        assert reply.reply_to_message == sent
        edited = await bot.edit_message_text("Новый", anna.user_id, sent.message_id, reply_markup=KEYBOARD)
        assert isinstance(edited, Message)
        assert (edited.text, edited.reply_markup) == ("Новый", KEYBOARD)
        assert await bot.edit_message_reply_markup(anna.user_id, sent.message_id, reply_markup=None)
        with pytest.raises(BadRequest, match="Message is not modified"):
            await bot.edit_message_text("Новый", anna.user_id, sent.message_id)
        buttons = ReplyKeyboardMarkup([[KeyboardButton("Меню")]], resize_keyboard=True)
        menu = await bot.send_message(anna.user_id, "меню", reply_markup=buttons)
        with pytest.raises(BadRequest, match="Message can't be edited"):
            await bot.edit_message_text("x", anna.user_id, menu.message_id)
        assert await bot.send_message(anna.user_id, "без", reply_markup=ReplyKeyboardRemove())
        assert await bot.delete_message(anna.user_id, menu.message_id)


async def test_media_by_upload_url_and_file_id_alone_and_in_albums() -> None:
    async with running_files() as files, running_telegram() as telegram, bot_of(telegram) as bot:
        anna = telegram.person()
        url = files.add("a.jpg", picture(form="JPEG"), "image/jpeg")
        by_url = await bot.send_photo(anna.user_id, url, caption="*из сети*", parse_mode=ParseMode.MARKDOWN_V2)
        assert by_url.caption_markdown_v2 == "*из сети*"
        uploaded = await bot.send_photo(anna.user_id, picture("blue"))
        again = await bot.send_photo(anna.user_id, uploaded.photo[-1].file_id)
        assert again.photo == uploaded.photo
        paper = await bot.send_document(anna.user_id, "текст".encode(), filename="note.txt")
        assert paper.document is not None
        assert (paper.document.file_name, paper.document.mime_type) == ("note.txt", "text/plain")
        sound = await bot.send_audio(anna.user_id, MP3, title="Песня", performer="Хор", filename="a.mp3")
        assert sound.audio is not None
        assert (sound.audio.title, sound.audio.performer) == ("Песня", "Хор")
        clip = await bot.send_video(anna.user_id, video(), filename="a.mp4", supports_streaming=True)
        assert clip.video is not None
        assert (clip.video.width, clip.video.height) == (320, 240)
        album = await bot.send_media_group(
            anna.user_id, [InputMediaPhoto(uploaded.photo[-1].file_id), InputMediaVideo(video()), InputMediaPhoto(url)]
        )
        assert len({message.media_group_id for message in album}) == 1
        with pytest.raises(BadRequest, match="Audio can't be mixed with other media types"):
            await bot.send_media_group(anna.user_id, [InputMediaPhoto(url), InputMediaAudio(MP3)])
        file = await bot.get_file(paper.document.file_id)
        assert bytes(await file.download_as_bytearray()) == "текст".encode()


async def test_a_card_becomes_media_and_its_caption_changes() -> None:
    async with running_telegram() as telegram, bot_of(telegram) as bot:
        anna = telegram.person()
        card = await bot.send_message(anna.user_id, "Готовлю…")
        for item in (
            InputMediaPhoto(picture()),
            InputMediaVideo(video()),
            InputMediaDocument(b"%PDF-1.4", filename="a.pdf"),
        ):
            edited = await bot.edit_message_media(item, anna.user_id, card.message_id, reply_markup=KEYBOARD)
            assert isinstance(edited, Message)
            assert edited.effective_attachment
            assert (edited.message_id, edited.reply_markup) == (card.message_id, KEYBOARD)
        captioned = await bot.edit_message_caption(anna.user_id, card.message_id, caption="Готово")
        assert isinstance(captioned, Message)
        assert captioned.caption == "Готово"
        with pytest.raises(BadRequest, match="There is no text in the message to edit"):
            await bot.edit_message_text("x", anna.user_id, card.message_id)


async def test_stars_from_the_invoice_to_the_refund() -> None:
    async with running_telegram() as telegram, bot_of(telegram) as bot:
        anna = telegram.person()
        invoice = await bot.send_invoice(anna.user_id, "Картинка", "одна", "order-1", "XTR", [LabeledPrice("1", 5)])
        assert invoice.invoice is not None
        assert invoice.invoice.total_amount == 5
        telegram.pays(anna, invoice.message_id)
        [asked] = await bot.get_updates()
        assert asked.pre_checkout_query is not None
        assert asked.pre_checkout_query.invoice_payload == "order-1"
        assert await asked.pre_checkout_query.answer(ok=True)
        [paid] = await bot.get_updates(offset=asked.update_id + 1)
        assert paid.message is not None
        payment = paid.message.successful_payment
        assert payment is not None
        assert (payment.currency, payment.total_amount) == ("XTR", 5)
        assert await bot.refund_star_payment(anna.user_id, payment.telegram_payment_charge_id)
        with pytest.raises(BadRequest, match=r"(?i)charge_already_refunded"):
            await bot.refund_star_payment(anna.user_id, payment.telegram_payment_charge_id)
        [bought, returned] = (await bot.get_star_transactions()).transactions
        assert bought.id == returned.id == payment.telegram_payment_charge_id
        assert (bought.receiver, returned.source) == (None, None)
        assert (await bot.get_my_star_balance()).amount == 0
        link = await bot.create_invoice_link(
            "Месяц", "подписка", "sub", "XTR", [LabeledPrice("1", 5)], subscription_period=2592000
        )
        assert str(link).startswith("https://t.me/$")


async def test_refusals_become_the_library_s_own_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")
    async with running_telegram() as telegram, bot_of(telegram) as bot:
        anna, boris = telegram.person(), telegram.person("Борис")
        telegram.blocks(boris)
        with pytest.raises(Forbidden, match="bot was blocked by the user"):
            await bot.send_message(boris.user_id, "?")
        with pytest.raises(BadRequest, match="Chat not found"):
            await bot.send_message(1, "?")
        telegram.faults.arm(world="telegram", method="sendMessage", action="too_many", retry_after=7)
        with pytest.raises(RetryAfter) as flood:
            await bot.send_message(anna.user_id, "?")
        assert flood.value.retry_after == timedelta(seconds=7)
        telegram.faults.arm(
            world="telegram", method="sendMessage", action="error", status=502, html=True, text="Bad Gateway"
        )
        with pytest.raises(NetworkError):
            await bot.send_message(anna.user_id, "?")
        telegram.faults.arm(world="telegram", method="sendMessage", action="never")
        with pytest.raises(TimedOut):
            await bot.send_message(anna.user_id, "?", read_timeout=0.2)
        await bot.set_webhook("http://127.0.0.1:1/hook")
        with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
            await bot.get_updates()
    async with running_telegram() as telegram:
        with pytest.raises(InvalidToken):
            async with bot_of(telegram, "1:wrong"):
                pass


async def test_profile_menu_and_commands() -> None:
    async with running_telegram() as telegram, bot_of(telegram) as bot:
        anna = telegram.person()
        assert await bot.set_my_commands([("start", "Начать")], language_code="ru")
        assert [command.command for command in await bot.get_my_commands(language_code="ru")] == ["start"]
        assert await bot.set_chat_menu_button(anna.user_id, MenuButtonCommands())
        assert await bot.get_chat_menu_button(anna.user_id) == MenuButtonCommands()
        assert (await bot.get_chat(anna.user_id)).first_name == anna.first_name
        assert (await bot.get_webhook_info()).url == ""


async def test_an_application_handles_messages_and_taps_by_polling() -> None:
    heard: list[str] = []

    async def on_text(update: Update, _context: object) -> None:
        assert update.message is not None
        await update.message.reply_photo(picture(), reply_markup=KEYBOARD)
        heard.append(str(update.message.text))

    async def on_tap(update: Update, _context: object) -> None:
        assert update.callback_query is not None
        await update.callback_query.answer()
        await update.callback_query.edit_message_caption("Готово")
        heard.append(str(update.callback_query.data))

    async with running_telegram() as telegram:
        anna = telegram.person()
        application = Application.builder().token(telegram.world.token).base_url(f"{telegram.url}/bot").build()
        application.add_handler(MessageHandler(filters.TEXT, on_text))
        application.add_handler(CallbackQueryHandler(on_tap))
        async with application:
            await application.start()
            assert application.updater is not None
            await application.updater.start_polling(timeout=1)
            telegram.writes(anna, "привет")
            await until(lambda: heard == ["привет"])
            telegram.taps(anna, telegram.seen(anna)[-1]["message_id"], "yes")
            await until(lambda: heard == ["привет", "yes"])
            await application.updater.stop()
            await application.stop()
        assert telegram.seen(anna)[-1]["caption"] == "Готово"

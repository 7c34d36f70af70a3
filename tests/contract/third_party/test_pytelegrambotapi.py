"""pyTelegramBotAPI against the simulated Telegram: blocking calls by requests, form bodies, its own reading of answers."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from telebot import TeleBot, apihelper, types

from support.telegram_media import picture, running_files, video
from support.telegram_sim import RunningTelegram, running_telegram, served_updates, until

MP3 = b"ID3" + bytes(50)


def keyboard() -> types.InlineKeyboardMarkup:
    """Make a keyboard of one button."""
    return types.InlineKeyboardMarkup([[types.InlineKeyboardButton("Да", callback_data="yes")]])


@pytest.fixture(autouse=True)
def _library_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what a test sets in the library's globals."""
    monkeypatch.setattr(apihelper, "API_URL", None)
    monkeypatch.setattr(apihelper, "FILE_URL", None)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


async def drive(telegram: RunningTelegram, story: Callable[[TeleBot], object]) -> None:
    """Let a blocking story run with a bot of this Telegram."""
    apihelper.API_URL = telegram.url + "/bot{0}/{1}"
    apihelper.FILE_URL = telegram.url + "/file/bot{0}/{1}"
    await asyncio.to_thread(story, TeleBot(telegram.world.token, threaded=False))


async def test_updates_taps_and_edits() -> None:
    async with running_telegram() as telegram:
        anna = telegram.person()
        telegram.writes(anna, "/start привет")

        def story(bot: TeleBot) -> None:
            assert bot.get_me().id == telegram.world.bot.user_id
            [update] = bot.get_updates(allowed_updates=["message", "callback_query"])
            assert (update.message.text, update.message.from_user.id) == ("/start привет", anna.user_id)
            assert update.message.entities[0].type == "bot_command"
            card = bot.send_message(anna.user_id, "<b>Карточка</b>", parse_mode="HTML", reply_markup=keyboard())
            assert card.html_text == "<b>Карточка</b>"
            telegram.taps(anna, card.message_id, "yes")
            [tap] = bot.get_updates(offset=update.update_id + 1)
            assert (tap.callback_query.data, tap.callback_query.message.message_id) == ("yes", card.message_id)
            assert bot.answer_callback_query(tap.callback_query.id, "готово", show_alert=True)
            edited = bot.edit_message_text("Новый", anna.user_id, card.message_id, reply_markup=keyboard())
            assert edited.text == "Новый"
            assert bot.edit_message_reply_markup(anna.user_id, card.message_id).reply_markup is None
            with pytest.raises(apihelper.ApiTelegramException) as same:
                bot.edit_message_reply_markup(anna.user_id, card.message_id)
            assert (same.value.error_code, "message is not modified" in same.value.description) == (400, True)
            menu = types.ReplyKeyboardMarkup(resize_keyboard=True)
            menu.add("Меню")
            assert bot.send_message(anna.user_id, "меню", reply_markup=menu)
            assert bot.send_message(anna.user_id, "без", reply_markup=types.ReplyKeyboardRemove())
            assert bot.delete_message(anna.user_id, card.message_id)

        await drive(telegram, story)
        assert telegram.seen(anna)[-1]["text"] == "без"


async def test_media_by_upload_url_and_file_id() -> None:
    async with running_files() as files, running_telegram() as telegram:
        anna = telegram.person()
        url = files.add("a.jpg", picture(form="JPEG"), "image/jpeg")

        def story(bot: TeleBot) -> None:
            by_url = bot.send_photo(anna.user_id, url, caption="*жирно*", parse_mode="MarkdownV2")
            assert (by_url.caption, by_url.caption_entities[0].type) == ("жирно", "bold")
            uploaded = bot.send_photo(anna.user_id, picture("blue"))
            again = bot.send_photo(anna.user_id, uploaded.photo[-1].file_id)
            assert again.photo[-1].file_unique_id == uploaded.photo[-1].file_unique_id
            paper = bot.send_document(anna.user_id, "текст".encode(), visible_file_name="note.txt")
            assert (paper.document.file_name, paper.document.mime_type) == ("note.txt", "text/plain")
            assert bot.download_file(bot.get_file(paper.document.file_id).file_path) == "текст".encode()
            sound = bot.send_audio(anna.user_id, MP3, title="Песня", performer="Хор")
            assert (sound.audio.title, sound.audio.performer) == ("Песня", "Хор")
            clip = bot.send_video(anna.user_id, video(), width=320, height=240)
            assert (clip.video.width, clip.content_type) == (320, "video")
            album = bot.send_media_group(
                anna.user_id,
                [types.InputMediaPhoto(uploaded.photo[-1].file_id), types.InputMediaVideo(clip.video.file_id)],
            )
            assert len({message.media_group_id for message in album}) == 1
            with pytest.raises(apihelper.ApiTelegramException, match="document can't be mixed"):
                bot.send_media_group(
                    anna.user_id, [types.InputMediaPhoto(url), types.InputMediaDocument(paper.document.file_id)]
                )

        await drive(telegram, story)


async def test_a_card_becomes_media() -> None:
    async with running_telegram() as telegram:
        anna = telegram.person()

        def story(bot: TeleBot) -> None:
            card = bot.send_message(anna.user_id, "Готовлю…")
            shown = bot.send_photo(anna.user_id, picture()).photo[-1].file_id
            item = types.InputMediaPhoto(shown, caption="Готово")
            edited = bot.edit_message_media(item, anna.user_id, card.message_id, reply_markup=keyboard())
            assert (edited.content_type, edited.caption, edited.message_id) == ("photo", "Готово", card.message_id)
            again = bot.edit_message_caption("Ещё", anna.user_id, card.message_id)
            assert again.caption == "Ещё"
            with pytest.raises(apihelper.ApiTelegramException, match="there is no text in the message to edit"):
                bot.edit_message_text("x", anna.user_id, card.message_id)

        await drive(telegram, story)


async def test_stars_from_the_invoice_to_the_refund() -> None:
    async with running_telegram() as telegram:
        anna = telegram.person()

        def story(bot: TeleBot) -> None:
            price = [types.LabeledPrice("1", 5)]
            bill = bot.send_invoice(anna.user_id, "Картинка", "одна", "order-1", "", "XTR", price)
            assert (bill.invoice.total_amount, bill.content_type) == (5, "invoice")
            telegram.pays(anna, bill.message_id)
            [asked] = bot.get_updates()
            assert asked.pre_checkout_query.invoice_payload == "order-1"
            assert bot.answer_pre_checkout_query(asked.pre_checkout_query.id, ok=True)
            [paid] = bot.get_updates(offset=asked.update_id + 1)
            payment = paid.message.successful_payment
            assert (payment.currency, payment.total_amount) == ("XTR", 5)
            assert bot.refund_star_payment(anna.user_id, payment.telegram_payment_charge_id)
            with pytest.raises(apihelper.ApiTelegramException, match="CHARGE_ALREADY_REFUNDED"):
                bot.refund_star_payment(anna.user_id, payment.telegram_payment_charge_id)
            rows = bot.get_star_transactions().transactions
            assert [row.id for row in rows] == [payment.telegram_payment_charge_id] * 2

        await drive(telegram, story)


async def test_refusals_carry_code_and_description() -> None:
    async with running_telegram() as telegram:
        anna, boris = telegram.person(), telegram.person("Борис")
        telegram.blocks(boris)
        telegram.faults.arm(world="telegram", method="sendChatAction", action="too_many", retry_after=7)

        def refused(call: Callable[..., Any], *args: Any) -> tuple[int, str, dict[str, Any]]:
            with pytest.raises(apihelper.ApiTelegramException) as error:
                call(*args)
            value = error.value
            return value.error_code, value.description, value.result_json.get("parameters", {})

        def story(bot: TeleBot) -> None:
            assert refused(bot.send_message, boris.user_id, "?") == (403, "Forbidden: bot was blocked by the user", {})
            assert refused(bot.send_message, 1, "?") == (400, "Bad Request: chat not found", {})
            flood = (429, "Too Many Requests: retry after 7", {"retry_after": 7})
            assert refused(bot.send_chat_action, anna.user_id, "typing") == flood
            stranger = TeleBot("1:wrong", threaded=False)
            assert refused(stranger.get_me) == (401, "Unauthorized", {})

        await drive(telegram, story)


async def test_updates_of_a_webhook_are_read_by_the_library() -> None:
    async with running_telegram() as telegram, served_updates() as hook:
        anna = telegram.person()
        await drive(telegram, lambda bot: bot.set_webhook(hook.url, secret_token="s3cret"))
        telegram.writes(anna, "привет")
        await until(lambda: len(hook.bodies) == 1)
        assert hook.headers[0]["X-Telegram-Bot-Api-Secret-Token"] == "s3cret"
        update = types.Update.de_json(hook.bodies[0])
        assert update is not None
        assert (update.message.text, update.message.chat.id) == ("привет", anna.user_id)

"""Valid calls of every method of the Bot API that the simulated Telegram implements."""

from typing import Any, Final

from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.person_acts import pay_bill, send_file
from support.telegram_media import picture, video
from support.telegram_sim import RunningTelegram

PRICE: Final = [{"label": "1", "amount": 5}]
INVOICE: Final = {"title": "Счёт", "description": "за картинку", "payload": "p", "currency": "XTR", "prices": PRICE}
KEYBOARD: Final = {"inline_keyboard": [[{"text": "Да", "callback_data": "yes"}]]}
BOLD: Final = [{"type": "bold", "offset": 0, "length": 2}]
MADE_OF: Final = {
    "sendPhoto": ("photo", picture(), "a.png"),
    "sendVideo": ("video", video(), "a.mp4"),
    "sendAudio": ("audio", b"ID3" + bytes(50), "a.mp3"),
    "sendVoice": ("voice", b"OggS" + bytes(50), "a.ogg"),
    "sendDocument": ("document", b"%PDF-1.4", "a.pdf"),
    "sendAnimation": ("animation", video(), "b.mp4"),
}
PAYMENT_METHODS: Final = {
    "sendInvoice",
    "createInvoiceLink",
    "answerPreCheckoutQuery",
    "refundStarPayment",
    "editUserStarSubscription",
}
MESSAGE_METHODS: Final = {
    *("editMessageText", "editMessageCaption", "editMessageMedia", "editMessageReplyMarkup"),
    *("deleteMessage", "deleteMessages", "forwardMessage", "forwardMessages", "copyMessage", "copyMessages"),
    *("pinChatMessage", "unpinChatMessage", "setMessageReaction"),
}
OTHERS: Final[dict[str, dict[str, Any]]] = {
    "setWebhook": {"url": "http://127.0.0.1:1/hook"},
    "sendMessage": {"text": "текст"},
    "sendChatAction": {"action": "typing"},
    "sendMessageDraft": {"draft_id": 3, "text": "пишу"},
    "unpinAllChatMessages": {},
    "getChat": {},
    "setMyCommands": {"commands": [{"command": "start", "description": "начать"}]},
}
CHAT_METHODS: Final = {"sendMessage", "sendChatAction", "sendMessageDraft", "unpinAllChatMessages", "getChat"}


class Caller:
    """Makes valid calls of every method, each with messages, files and queries of its own."""

    def __init__(self, telegram: RunningTelegram, person: ChatPerson) -> None:
        self.telegram, self.person = telegram, person
        self.files: dict[str, str] = {}

    async def call(self, method: str, **params: Any) -> Any:
        """Call a method that must succeed."""
        status, answer = await self.telegram.raw(method, **params)
        assert status == 200, f"{method} {params}: {answer}"
        return answer["result"]

    async def message(self, **params: Any) -> int:
        """Send a text; return its id."""
        sent = await self.call("sendMessage", chat_id=self.person.user_id, text="карточка", **params)
        return int(sent["message_id"])

    async def media(self, method: str) -> dict[str, Any]:
        """Return the media parameter of a send method, as a file id."""
        kind, data, name = MADE_OF[method]
        if kind not in self.files:
            message = await send_file(self.telegram.world, self.person, data, kind=kind, name=name)
            body = self.telegram.world.api(message)[kind]
            self.files[kind] = (body[-1] if kind == "photo" else body)["file_id"]
        return {kind: self.files[kind]}

    async def paid(self, *, monthly: bool = False) -> str:
        """Let the person pay an invoice; return the charge id."""
        period = {"subscription_period": 2_592_000} if monthly else {}
        link = await self.call("createInvoiceLink", **INVOICE, **period)
        query = pay_bill(self.telegram.world, self.person, self.telegram.world.bills[link])
        await self.call("answerPreCheckoutQuery", pre_checkout_query_id=query, ok=True)
        return str(self.telegram.world.stars.charges[-1].charge_id)

    async def baseline(self, method: str) -> dict[str, Any]:
        """Return the parameters of a call that succeeds, after making what it needs."""
        chat = {"chat_id": self.person.user_id}
        if method in MADE_OF:
            return chat | await self.media(method)
        if method in PAYMENT_METHODS:
            return await self._about_payment(method)
        if method in MESSAGE_METHODS:
            return chat | await self._about_message(method)
        if method == "setWebhook":
            self.telegram.world.webhook.url = ""
        if method == "sendMediaGroup":
            photo = (await self.media("sendPhoto"))["photo"]
            return chat | {"media": [{"type": "photo", "media": photo}] * 2}
        if method == "answerCallbackQuery":
            card = await self.message(reply_markup=KEYBOARD)
            return {"callback_query_id": self.telegram.taps(self.person, card, "yes")}
        if method == "getFile":
            return {"file_id": (await self.media("sendPhoto"))["photo"]}
        return chat | OTHERS[method] if method in CHAT_METHODS else dict(OTHERS.get(method, {}))

    async def _about_message(self, method: str) -> dict[str, Any]:
        if method == "editMessageCaption":
            sent = await self.call("sendPhoto", chat_id=self.person.user_id, **await self.media("sendPhoto"))
            return {"message_id": sent["message_id"], "caption": "другая"}
        message_id = await self.message()
        if method == "unpinChatMessage":
            await self.call("pinChatMessage", chat_id=self.person.user_id, message_id=message_id)
            return {}
        place: dict[str, Any] = (
            {"message_ids": [message_id]} if method.endswith("Messages") else {"message_id": message_id}
        )
        if method.startswith(("forward", "copy")):
            place["from_chat_id"] = self.person.user_id
        return place | await self._new_content(method)

    async def _new_content(self, method: str) -> dict[str, Any]:
        match method:
            case "editMessageText":
                return {"text": "другой"}
            case "editMessageMedia":
                return {"media": {"type": "photo", "media": (await self.media("sendPhoto"))["photo"]}}
            case "editMessageReplyMarkup":
                return {"reply_markup": KEYBOARD}
        return {}

    async def _about_payment(self, method: str) -> dict[str, Any]:
        chat = {"chat_id": self.person.user_id}
        match method:
            case "sendInvoice":
                return chat | INVOICE
            case "answerPreCheckoutQuery":
                sent = await self.call("sendInvoice", **chat, **INVOICE)
                return {"pre_checkout_query_id": self.telegram.pays(self.person, sent["message_id"]), "ok": True}
            case "refundStarPayment":
                return {"user_id": self.person.user_id, "telegram_payment_charge_id": await self.paid()}
            case "editUserStarSubscription":
                charge = await self.paid(monthly=True)
                return {"user_id": self.person.user_id, "telegram_payment_charge_id": charge, "is_canceled": True}
        return dict(INVOICE)

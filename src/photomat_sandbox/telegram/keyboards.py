"""reply_markup: which of the four kinds it is, and whether its buttons are allowed."""

from dataclasses import dataclass
from typing import Final

from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.urls import split_url

Rows = list[list[JsonObject]]

ACTIONS: Final = (
    "url",
    "callback_data",
    "web_app",
    "login_url",
    "switch_inline_query",
    "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat",
    "copy_text",
    "callback_game",
    "pay",
    "disabled",
)
DECORATIONS: Final = ("icon_custom_emoji_id", "style")
STYLES: Final = {"danger", "success", "primary"}
REPLY_OPTIONS: Final = ("resize_keyboard", "one_time_keyboard", "is_persistent")
MAX_DATA_BYTES: Final = 64
MAX_BUTTONS: Final = 100
MAX_COPIED: Final = 256
URL_SCHEMES: Final = {"http", "https", "tg", "ton"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Markup:
    """A parsed reply_markup; at most one of the kinds is set."""

    inline: Rows | None = None
    reply: Rows | None = None
    reply_options: JsonObject | None = None
    remove: bool = False
    force_reply: bool = False

    @property
    def prevents_edits(self) -> bool:
        """A message sent with a reply keyboard, its removal or a forced reply can never be edited."""
        return self.reply is not None or self.remove or self.force_reply


def parse_markup(value: JsonObject | None, *, for_invoice: bool = False) -> Markup:
    if not value:
        return Markup()
    if "inline_keyboard" in value:
        rows = _rows(value["inline_keyboard"], "inline keyboard")
        inline = [[_inline_button(button) for button in row] for row in rows if row]
        _check_size(inline)
        _check_pay(inline, for_invoice=for_invoice)
        return Markup(inline=inline or None)
    if "keyboard" in value:
        rows = _rows(value["keyboard"], "keyboard")
        reply = [[_reply_button(button) for button in row] for row in rows if row]
        _check_size(reply)
        options = {name: bool(value.get(name)) for name in REPLY_OPTIONS}
        return Markup(reply=reply, reply_options=options)
    return Markup(remove=bool(value.get("remove_keyboard")), force_reply=bool(value.get("force_reply")))


def _rows(value: object, what: str) -> list[list[object]]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise bad_request(f"can't parse {what}: Field must be an Array of Arrays")
    return value


def _inline_button(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise bad_request("can't parse inline keyboard button: InlineKeyboardButton must be an Object")
    text = _button_text(value, "inline keyboard")
    actions = [name for name in ACTIONS if value.get(name) not in (None, "", False)]
    if not actions:
        raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    action = actions[0]
    if value.get("style") and value["style"] not in STYLES:
        raise bad_request("can't parse inline keyboard button: invalid button style specified")
    _check_action(action, value[action])
    decorations = {name: value[name] for name in DECORATIONS if value.get(name)}
    return {"text": text, action: value[action], **decorations}


def _check_action(action: str, content: object) -> None:
    if action == "callback_data" and len(str(content).encode()) > MAX_DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    if action == "url":
        parts = split_url(str(content))
        if parts is None or parts.scheme not in URL_SCHEMES or not parts.netloc:
            raise bad_request(f"inline keyboard button URL '{content}' is invalid: Wrong HTTP URL")
    if action == "disabled" and not isinstance(content, dict):
        raise bad_request('can\'t parse inline keyboard button: Field "disabled" must be of type Object')
    if action == "copy_text":
        copied = content.get("text", "") if isinstance(content, dict) else ""
        if not 1 <= len(copied) <= MAX_COPIED:
            raise bad_request("BUTTON_COPY_TEXT_INVALID")


def _reply_button(value: object) -> JsonObject:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        raise bad_request("can't parse keyboard button: KeyboardButton must be an Object")
    return {**value, "text": _button_text(value, "keyboard")}


def _button_text(value: JsonObject, what: str) -> str:
    text = value.get("text")
    if not isinstance(text, str):
        raise bad_request(f"can't parse {what} button: Can't find field \"text\"")
    if not text.strip():
        raise bad_request("BUTTON_TEXT_INVALID")
    return text


def _check_size(rows: Rows) -> None:
    if sum(len(row) for row in rows) > MAX_BUTTONS:
        raise bad_request("reply markup is too long")


def _check_pay(rows: Rows, *, for_invoice: bool) -> None:
    places = [
        (row, column) for row, buttons in enumerate(rows) for column, button in enumerate(buttons) if "pay" in button
    ]
    if places and not for_invoice:
        raise bad_request("BUTTON_TYPE_INVALID")
    if for_invoice and rows and places != [(0, 0)]:
        raise bad_request("BUTTON_POS_INVALID")

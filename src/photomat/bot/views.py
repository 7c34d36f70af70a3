"""Facts → text and keyboard. Pure: nothing here asks a database or Telegram.

Texts are HTML; whatever a person wrote is escaped here, and nowhere else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup

from photomat.bot.buttons import (
    ChangeButton,
    DraftAction,
    DraftButton,
    LanguageButton,
    LeaveButton,
    MenuButton,
    ModelButton,
    OptionButton,
    Screen,
    TopupButton,
)
from photomat.bot.form import AnswerRefused, Form, input_named, questions
from photomat.catalog.model import Input, Model
from photomat.catalog.quote import Pass
from photomat.jobs.draft import Draft
from photomat.kernel.errors import NotEnough
from photomat.kernel.money import Money
from photomat.texts.load import LANGUAGES, Say

OPTIONS_IN_ROW: Final = 3
SHOWN_CHARACTERS: Final = 500
"""A longer input is cut on the card; what is bought is all of it."""

Rows = list[list[InlineKeyboardButton]]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One message. `expects_text` means that the customer answers it by typing."""

    text: str
    rows: Rows
    expects_text: bool = False

    @property
    def keyboard(self) -> InlineKeyboardMarkup | None:
        """Its buttons, if it has any."""
        return InlineKeyboardMarkup(inline_keyboard=self.rows) if self.rows else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A model in the list, with what it costs by default; `is_least` when other inputs cost more."""

    model: Model
    price: Money
    is_least: bool


def greeting(say: Say, *, name: str, balance: Money, offers_english: bool) -> View:
    """The answer to /start."""
    rows = _menu(say)
    if offers_english:
        rows.append([button(say("lang-en"), LanguageButton(language="en").pack())])
    return View(text=say("greeting", name=escape(name), balance=balance), rows=rows)


def home(say: Say, *, balance: Money) -> View:
    """The menu, come back to."""
    return View(text=say("home", balance=balance), rows=_menu(say))


def help_page(say: Say, *, for_operator: bool) -> View:
    """How it works, and every command; operators have one more."""
    text = f"{say('help')}\n\n{say('help-operator')}" if for_operator else say("help")
    return View(text=text, rows=[[to_create(say)], [to_home(say)]])


def hint(say: Say, key: str) -> View:
    """One sentence with the way to a picture under it."""
    return View(text=say(key), rows=[[to_create(say)], [to_home(say)]])


def model_list(say: Say, offers: Sequence[Offer]) -> View:
    """The models on sale, each with its price."""
    rows = [[button(_label(say, offer), ModelButton(model=offer.model.id).pack())] for offer in offers]
    return View(text=say("choose-model" if offers else "no-models"), rows=[*rows, [to_home(say)]])


def question(say: Say, model: Model, form: Form, asked: Input) -> View:
    """The open question of a form."""
    ask = say(f"ask-{asked.name}", limit=asked.max_length) if asked.max_length else say(f"ask-{asked.name}")
    if form.draft_id is None:
        asked_for = questions(model)
        text = say(
            "question", model=escape(model.title), ask=ask, step=asked_for.index(asked) + 1, steps=len(asked_for)
        )
    else:
        text = say("question-change", model=escape(model.title), ask=ask)
    leave = [button(say("button-leave"), LeaveButton(form_id=form.form_id).pack())]
    return View(text=text, rows=[*_options(model, form, asked), leave], expects_text=asked.type == "text")


def refusal(say: Say, asked: Input, refused: AnswerRefused) -> View:
    """Why an answer does not fit; the question stays open."""
    return View(text=say(refused.key, **refused.facts), rows=[], expects_text=asked.type == "text")


def draft_card(say: Say, model: Model, draft: Draft, *, balance: Money, paid_by: Pass | None = None) -> View:
    """What will be bought, for how much; the message this is shown in becomes the job's card."""
    text = say(
        "draft-card",
        model=escape(model.title),
        inputs=_inputs_in_words(say, model, draft.inputs),
        price=draft.price,
        balance=balance,
    )
    if paid_by is not None:
        text += "\n\n" + say("draft-card-pass", code=escape(paid_by.code), left=paid_by.left, price=paid_by.price)
    if balance < draft.price:
        text += "\n\n" + say("draft-card-short", missing=missing(draft.price, balance))
    create = [_draft_button(say("draft-create", price=draft.price), DraftAction.CREATE, draft)]
    if balance < draft.price:
        create.append(button(say("menu-topup"), TopupButton(draft_id=draft.draft_id, on_card=True).pack()))
    rows = [
        create,
        [
            _draft_button(say("draft-change"), DraftAction.CHANGE, draft),
            _draft_button(say("draft-cancel"), DraftAction.CANCEL, draft),
        ],
        [_draft_button(say("draft-why", price=draft.price), DraftAction.WHY, draft)],
    ]
    return View(text=text, rows=rows)


def change_menu(say: Say, model: Model, draft: Draft) -> View:
    """Which input of a draft to ask again."""
    rows = [
        [
            button(
                say("draft-change-input", title=say(f"input-{each.name}")),
                ChangeButton(draft_id=draft.draft_id, question=number).pack(),
            )
        ]
        for number, each in enumerate(model.inputs)
    ]
    back = [back_to_card(say, draft)]
    return View(text=say("draft-what-to-change", model=escape(model.title)), rows=[*rows, back])


def languages(say: Say) -> View:
    """The choice of a language."""
    row = [button(say(f"lang-{language}"), LanguageButton(language=language).pack()) for language in LANGUAGES]
    return View(text=say("lang-ask"), rows=[row])


def not_enough(say: Say, trouble: NotEnough) -> str:
    """The price, what is there, and what is missing."""
    price, available = trouble.facts["price"], trouble.facts["available"]
    if not isinstance(price, Money) or not isinstance(available, Money):
        raise TypeError("NotEnough carries its price and what is available as Money")
    return say("tap-not-enough", price=price, available=available, missing=missing(price, available))


def missing(price: Money, available: Money) -> Money:
    """What a price is above what is available."""
    return Money(price.minor - available.minor, price.currency)


def _inputs_in_words(say: Say, model: Model, inputs: Mapping[str, str]) -> str:
    lines = []
    for name, value in inputs.items():
        shown = value if len(value) <= SHOWN_CHARACTERS else value[:SHOWN_CHARACTERS] + "…"
        title = say(f"input-{name}") if input_named(model, name) else name
        lines.append(say("draft-input", title=title, value=escape(shown)))
    return "\n".join(lines)


def _options(model: Model, form: Form, asked: Input) -> Rows:
    question_number = model.inputs.index(asked)
    buttons = [
        button(option, OptionButton(form_id=form.form_id, question=question_number, option=number).pack())
        for number, option in enumerate(asked.options)
    ]
    return [buttons[start : start + OPTIONS_IN_ROW] for start in range(0, len(buttons), OPTIONS_IN_ROW)]


def _label(say: Say, offer: Offer) -> str:
    return say("model-button-from" if offer.is_least else "model-button", title=offer.model.title, price=offer.price)


def _menu(say: Say) -> Rows:
    return [
        [to_create(say)],
        [screen_button(say, "menu-balance", Screen.BALANCE), screen_button(say, "menu-topup", Screen.TOPUP)],
        [screen_button(say, "menu-history", Screen.HISTORY), screen_button(say, "menu-help", Screen.HELP)],
        [screen_button(say, "menu-lang", Screen.LANGUAGE)],
    ]


def to_create(say: Say) -> InlineKeyboardButton:
    """The way to a picture."""
    return screen_button(say, "menu-create", Screen.CREATE)


def to_home(say: Say) -> InlineKeyboardButton:
    """The way back to the menu."""
    return screen_button(say, "menu-home", Screen.HOME)


def screen_button(say: Say, key: str, screen: Screen) -> InlineKeyboardButton:
    """The way to a place of the menu."""
    return button(say(key), MenuButton(screen=screen).pack())


def back_to_card(say: Say, draft: Draft) -> InlineKeyboardButton:
    """The way back to a draft's card."""
    return _draft_button(say("draft-back"), DraftAction.BACK, draft)


def _draft_button(text: str, action: DraftAction, draft: Draft) -> InlineKeyboardButton:
    data = DraftButton(action=action, draft_id=draft.draft_id, revision=draft.revision)
    return button(text, data.pack())


def button(text: str, data: str) -> InlineKeyboardButton:
    """A button that calls back with this."""
    return InlineKeyboardButton(text=text, callback_data=data)

"""The card of a draft, and the menus that change it."""

from dataclasses import replace
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.assistant.views import assisted
from photomat.bot.buttons import ChangeButton, DraftAction, DraftButton, TopupButton
from photomat.bot.context import UpdateContext
from photomat.bot.moderation.views import refused_card
from photomat.bot.order_card import options
from photomat.bot.privacy.views import ask_consent
from photomat.bot.view import Rows, Show, View, button
from photomat.bot.wish.extras import NO_EXTRAS, CardExtras, card_extras
from photomat.catalog.formula import is_given
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.order import open_to_customers
from photomat.catalog.order_words import OrderWords, named_value, order_in_words
from photomat.catalog.pricing import Voucher
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import MessageId
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.orders.draft import Draft
from photomat.orders.outcome import Alternatives, DraftOrder
from photomat.texts.load import Say
from photomat.texts.pauses import pause_words

SHOWN_CHARACTERS: Final = 500
"""A longer prompt is cut on the card; what is bought is all of it."""
MAX_VALUES_LENGTH: Final = 1500
SHOWN_ON_BUTTON: Final = 24
MAX_ROWS: Final = 5
"""Above the last row of a card: more would hide its text. Options give way first."""


async def show_card(ctx: UpdateContext, show: Show, *, model: Model, draft: Draft) -> None:
    """Show a draft, committed before, with what it costs, what it could have instead, and what the user has.

    A user who must agree first is asked for that in its place, and agreeing shows it. One that content rules refuse is shown as
    refused, with the reason: it cannot be bought before it is changed.
    """
    failpoint("draft.before_card")
    if ctx.lacks_consent:
        await show(ask_consent(ctx, draft_id=draft.draft_id))
        return
    refused = await ctx.orders.content_refusal(DraftOrder(draft, model))
    if refused is not None:
        _note_card(ctx, draft, await show(refused_card(ctx.say, refused, language=ctx.language)))
        return
    balance = await ctx.balance()
    offered = await ctx.orders.alternatives(ctx.user_id, model, draft.inputs, is_new_user=ctx.is_new_user)
    extras = await card_extras(ctx, model, draft)
    view = draft_card(
        ctx.say, model, draft, language=ctx.language, balance=balance.available, offered=offered, extras=extras
    )
    pause = (await ctx.orders.pauses()).provider
    if pause is not None:
        why = escape(pause_words(ctx.say, pause), quote=False)
        view = replace(view, text=f"{view.text}\n\n{ctx.say('controls-provider-note', why=why)}")
    view = assisted(view, ctx.say, DraftOrder(draft, model), has_assistant=ctx.config.has_assistant)
    _note_card(ctx, draft, await show(view))
    failpoint("draft.after_card")


def _note_card(ctx: UpdateContext, draft: Draft, shown_in: MessageId | None) -> None:
    if shown_in is not None:
        ctx.cards[draft.draft_id] = shown_in


def draft_card(
    say: Say,
    model: Model,
    draft: Draft,
    *,
    language: str,
    balance: Money,
    offered: Alternatives | None = None,
    extras: CardExtras = NO_EXTRAS,
) -> View:
    """What will be bought, for how much; the message this is shown in becomes the job's card."""
    voucher, option_rows = (offered.voucher, offered.rows) if offered is not None else (None, ())
    text = say(
        "draft-card",
        kind=model.kind,
        model=escape(model.title_in(language)),
        inputs=_order(say, order_in_words(model, draft.inputs, language=language, say=say)),
        price=draft.price,
        balance=balance,
    )
    if voucher is not None:
        text += "\n\n" + say("card-voucher-note", code=escape(voucher.code), left=voucher.left)
    elif balance < draft.price and extras.missing is None:
        text += "\n\n" + say("draft-card-short", missing=missing(draft.price, balance))
    if extras.missing is not None:
        text += f"\n\n{extras.missing}"
    buy = _buy_rows(say, draft, balance=balance, voucher=voucher) if extras.missing is None else []
    room = max(1, MAX_ROWS - len(buy) - len(extras.rows))
    shown = option_rows[:room] if extras.missing is None else ()  # first what to do, then how
    rows = [
        *buy,
        *(options.buttons(say, draft, row, language) for row in shown),
        *extras.rows,
        [
            _draft_button(say("draft-change"), DraftAction.CHANGE, draft),
            *([_draft_button(say("card-why"), DraftAction.WHY, draft)] if extras.missing is None else []),
            _draft_button(say("draft-cancel"), DraftAction.CANCEL, draft),
        ],
    ]
    return View(text=text, rows=rows)


def _buy_rows(say: Say, draft: Draft, *, balance: Money, voucher: Voucher | None) -> Rows:
    """Buy for money or by a voucher; what the user can pay with comes first."""
    label = say("draft-create" if draft.price.minor else "draft-create-free", price=draft.price)
    create = [_draft_button(label, DraftAction.CREATE, draft)]
    is_short = balance < draft.price
    if is_short:
        create.append(button(say("menu-topup"), TopupButton(draft_id=draft.draft_id, on_card=True)))
    if voucher is None:
        return [create]
    gift = [_draft_button(say("card-voucher"), DraftAction.VOUCHER, draft)]
    return [gift, create] if is_short else [create, gift]


def change_menu(say: Say, model: Model, draft: Draft, *, language: str) -> View:
    shown = [each for each in open_to_customers(model, draft.inputs) if each.place != "more"]
    rows = [[_change_button(say, model, draft, each, language)] for each in shown]
    if _further(model, draft):
        rows.append([_draft_button(say("draft-more-settings"), DraftAction.MORE, draft)])
    text = say("draft-what-to-change", model=escape(model.title_in(language)))
    return View(text=text, rows=[*rows, [back_to_card(say, draft)]])


def further_settings(say: Say, model: Model, draft: Draft, *, language: str) -> View:
    rows = [[_change_button(say, model, draft, each, language)] for each in _further(model, draft)]
    back = [_draft_button(say("draft-settings-back"), DraftAction.CHANGE, draft)]
    return View(text=say("draft-more-title", model=escape(model.title_in(language))), rows=[*rows, back])


def not_enough(say: Say, *, price: Money, available: Money) -> str:
    return say("tap-not-enough", price=price, available=available, missing=missing(price, available))


def missing(price: Money, available: Money) -> Money:
    return Money(price.minor - available.minor, price.currency)


def _order(say: Say, order: OrderWords) -> str:
    """The prompt, then a line for each value; what would not fit a message is left out."""
    lines = [say("draft-input", title=escape(each.title), value=escape(each.text)) for each in order.values]
    shown: list[str] = []
    for line in lines:
        if sum(map(len, shown)) + len(line) > MAX_VALUES_LENGTH:
            shown.append("…")
            break
        shown.append(line)
    prompt = cut(order.prompt, SHOWN_CHARACTERS)
    return "\n\n".join(part for part in (escape(prompt), "\n".join(shown)) if part)


def _further(model: Model, draft: Draft) -> list[Input]:
    return [each for each in open_to_customers(model, draft.inputs) if each.place == "more"]


def _change_button(say: Say, model: Model, draft: Draft, asked: Input, language: str) -> InlineKeyboardButton:
    value = model.sensible(draft.inputs).get(asked.name)
    data = ChangeButton(draft_id=draft.draft_id, question=model.inputs.index(asked))
    if not is_given(value):
        return button(say("draft-add-value", title=asked.title_in(language)), data)
    named = named_value(asked, value, language=language, say=say)
    shown = cut(" ".join(named.text.split()), SHOWN_ON_BUTTON)
    return button(say("draft-change-value", title=named.title, value=shown), data)


def back_to_card(say: Say, draft: Draft) -> InlineKeyboardButton:
    return _draft_button(say("draft-back"), DraftAction.BACK, draft)


def _draft_button(text: str, action: DraftAction, draft: Draft) -> InlineKeyboardButton:
    return button(text, DraftButton(action=action, draft_id=draft.draft_id, revision=draft.revision))

"""Rows of options on a draft's card: values side by side, each with what it changes in the price. Pure.

As many stand in a row as a phone can show; what does not fit is behind the last button, which asks the input's question.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import CardOptionButton, ChangeButton
from photomat.bot.view import button
from photomat.catalog.input import Input
from photomat.catalog.options import Option, OptionRow
from photomat.catalog.order_words import named_value
from photomat.catalog.roles import AUTO, common_value
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.orders.draft import Draft
from photomat.texts.load import Say

WIDTHS: Final = ((5, 7), (4, 9), (3, 14), (2, 20))
"""How many buttons stand side by side where none has more characters than this."""
MIN_WITH_MORE: Final = 3
MAX_LABEL_LENGTH: Final = 40


def buttons(say: Say, draft: Draft, row: OptionRow, language: str) -> list[InlineKeyboardButton]:
    if row.input.type == "switch":
        return [_alone(say, draft, row, language)]
    labels = {each: _label(say, draft.price, row.input, each, language) for each in row.options}
    for count, width in WIDTHS:
        for shown, has_more in _fitting(row, count):
            if len(shown) > 1 and all(len(labels[each]) <= width for each in shown):
                found = [_option(draft, row, each, labels[each]) for each in shown]
                return [*found, _question(say("card-option-more"), draft, row)] if has_more else found
    return [_alone(say, draft, row, language)]


def _fitting(row: OptionRow, count: int) -> Iterator[tuple[Sequence[Option], bool]]:
    """The options that could fill a row of so many buttons, and whether its last one leads to more."""
    if len(row.options) + row.has_more == count:
        yield row.options, row.has_more
    if len(row.options) >= count >= MIN_WITH_MORE:
        yield [each for each in row.options if each.rank < count - 1], True


def _alone(say: Say, draft: Draft, row: OptionRow, language: str) -> InlineKeyboardButton:
    """One button for a switch, which it turns, and where values are too many or too long to stand side by side."""
    other = next((each for each in row.options if not each.is_chosen), None)
    chosen = next((each for each in row.options if each.is_chosen), None)
    title = row.input.title_in(language)
    if row.input.type == "switch" and other is not None:
        state = say("card-switch-is-off" if other.value == "true" else "card-switch-is-on", title=title)
        return _option(draft, row, other, _priced(say, draft.price, other, state))
    if chosen is None:
        return _question(say("draft-add-value", title=title), draft, row)
    named = named_value(row.input, chosen.value, language=language, say=say)
    return _question(say("card-option-list", title=named.title, value=_short(named.text)), draft, row)


def _label(say: Say, price: Money, asked: Input, option: Option, language: str) -> str:
    value = _value(say, asked, option.value, language)
    return say("card-option-chosen", value=value) if option.is_chosen else _priced(say, price, option, value)


def _priced(say: Say, price: Money, option: Option, value: str) -> str:
    """A value with what it changes in the price."""
    change = option.price.minor - price.minor
    if not change:
        return value
    difference = Money(abs(change), price.currency)
    return say("card-option-dearer" if change > 0 else "card-option-cheaper", value=value, price=difference)


def _value(say: Say, asked: Input, value: str, language: str) -> str:
    """A value as short as it can be said: `16:9` for `landscape_16_9`, `V6` for `V6, the newest`."""
    if asked.role == "count":
        return say("card-count", count=value)
    common = common_value(asked, value) if asked.role in {"format", "resolution"} else None
    if common is not None:
        return say("card-auto") if common == AUTO else str(common)
    text = named_value(asked, value, language=language, say=say).text
    return _short(text).partition(", ")[0]


def _short(text: str) -> str:
    """A label without what a dash explains."""
    return cut(text.partition(" — ")[0], MAX_LABEL_LENGTH)


def _option(draft: Draft, row: OptionRow, option: Option, label: str) -> InlineKeyboardButton:
    if option.number is None:
        return _question(label, draft, row)
    data = CardOptionButton(
        draft_id=draft.draft_id, revision=draft.revision, question=row.question, option=option.number
    )
    return button(label, data)


def _question(label: str, draft: Draft, row: OptionRow) -> InlineKeyboardButton:
    return button(label, ChangeButton(draft_id=draft.draft_id, question=row.question))

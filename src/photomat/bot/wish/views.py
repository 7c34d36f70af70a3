"""What a card of said words shows beside the order: what is still missing, and what else can be made of the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import ApartButton, DraftAction, DraftButton, OtherModelButton, OtherModelsButton, WishButton
from photomat.bot.menu.views import strength_lines
from photomat.bot.view import Rows, View, button, in_rows, page_turns, to_home
from photomat.catalog.input import Input
from photomat.catalog.storefront import OfferPage
from photomat.catalog.wishes import Wish
from photomat.kernel.money import Money
from photomat.orders.draft import Draft
from photomat.texts.load import Say

IN_A_ROW: Final = 2
PRICED_WISHES: Final = ("picture", "edit", "animate", "video", "music", "voice")
"""Whose prices are shown to those who ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherWish:
    """Another wish for the same words or file, with what it costs, where that is known before it is complete."""

    wish: Wish
    price: Money | None


def missing_line(say: Say, lacking: Input, *, start: str | None) -> str:
    """What to send so that the order can be bought; `start` is the kind of file it has already."""
    if lacking.takes_files and lacking.files is not None:
        return say("wish-send-file", kind=lacking.files.kind)
    is_words = lacking.role in {"prompt", "lyrics"}
    return say("wish-write-words", about=(start or "nothing") if is_words else "setting")


def wish_rows(say: Say, draft: Draft, others: Sequence[OtherWish]) -> Rows:
    """The other wishes, two in a row."""
    return in_rows([_to_wish(say, draft, each) for each in others], IN_A_ROW)


def other_model(say: Say, draft: Draft) -> InlineKeyboardButton:
    data = OtherModelsButton(draft_id=draft.draft_id, revision=draft.revision)
    return button(say("wish-other-model"), data)


def apart_row(say: Say, draft: Draft) -> Rows:
    """The way back for words that were meant as another order."""
    if draft.inputs_before is None:
        return []
    return [[button(say("wish-apart"), ApartButton(draft_id=draft.draft_id, revision=draft.revision))]]


def other_models(say: Say, draft: Draft, page: OfferPage, *, language: str) -> View:
    """The models that can make what a draft is about, each with the least it costs."""
    offers = [
        [
            button(
                say("wish-model", title=each.model.title_in(language), price=each.price),
                OtherModelButton(draft_id=draft.draft_id, model=each.model.id),
            )
        ]
        for each in page.offers
    ]
    turns = page_turns(
        (say("list-previous"), say("list-next")),
        lambda number: OtherModelsButton(draft_id=draft.draft_id, revision=draft.revision, page=number),
        page=page.number,
        has_more=page.number + 1 < page.pages,
    )
    back = DraftButton(action=DraftAction.BACK, draft_id=draft.draft_id, revision=draft.revision)
    lines = [say("wish-choose-model"), "", *strength_lines(say, page.offers, language=language)]
    return View(text="\n".join(lines), rows=[*offers, *turns, [button(say("wish-back"), back)]])


def prices(say: Say, costs: Mapping[str, Money]) -> View:
    """What the usual wishes usually cost."""
    lines = [say("wish-costs", wish=say(f"wish-short-{wish}"), price=price) for wish, price in costs.items()]
    return View(
        text="\n\n".join([say("wish-prices"), "\n".join(lines), say("wish-prices-exact")]), rows=[[to_home(say)]]
    )


def refused_file(say: Say, why: str) -> View:
    return View(text=say("wish-file-refused", why=why), rows=[[to_home(say)]])


def slow_down(say: Say) -> View:
    return View(text=say("wish-too-many"), rows=[])


def _to_wish(say: Say, draft: Draft, other: OtherWish) -> InlineKeyboardButton:
    name = say(f"wish-short-{other.wish.id}")
    label = name if other.price is None else say("wish-priced", wish=name, price=other.price)
    return button(label, WishButton(draft_id=draft.draft_id, revision=draft.revision, wish=other.wish.id))

"""What an operator may do to a model: hide it, show it first, call it otherwise, sell it although it is off; all journaled.

A change counts for all running instances from its commit on: what is set is read with each use.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from photomat.catalog.model import Model
from photomat.catalog.overrides import keep_setting, lock_setting
from photomat.catalog.storefront import ModelSetting, can_be_turned_on
from photomat.db.pool import Pool, Transaction
from photomat.operators.actions import Answer, journaled

Turn: TypeAlias = Literal["hide", "unhide", "feature", "unfeature", "sell", "unsell"]
LONGEST_TITLE: Final = 60

TURNS: Final[Mapping[Turn, Callable[[ModelSetting], ModelSetting]]] = {
    "hide": lambda setting: replace(setting, hidden=True),
    "unhide": lambda setting: replace(setting, hidden=False),
    "feature": lambda setting: replace(setting, featured=True),
    "unfeature": lambda setting: replace(setting, featured=False),
    "sell": lambda setting: replace(setting, sold=True),
    "unsell": lambda setting: replace(setting, sold=False),
}
DONE: Final[Mapping[Turn, str]] = {
    "hide": "It is kept from customers: neither listed nor sold.",
    "unhide": "Customers see it again.",
    "feature": "It comes first in its lists.",
    "unfeature": "It has its usual place in its lists again.",
    "sell": "It is sold although the catalogue has it off.",
    "unsell": "It is sold only if its file says so.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTitle:
    """What a model shall be called; a language that is None keeps its name, `back` gives it both names of its file."""

    ru: str | None = None
    en: str | None = None
    back: bool = False


async def turn_model(pool: Pool, model: Model, turn: Turn, *, operator: str, reason: str) -> Answer:
    """Hide, feature or sell a model, or the opposite; what is so already is refused."""

    async def act(tx: Transaction) -> Answer:
        before = await lock_setting(tx, model.id)
        after = TURNS[turn](before)
        objection = _objection(model, turn)
        if objection is not None:
            return Answer(done=False, sentence=objection)
        if after == before:
            return Answer(done=False, sentence="It is so already: nothing was changed.")
        await keep_setting(tx, model.id, after)
        return Answer(done=True, sentence=DONE[turn])

    return await _journaled(pool, act, turn, model, operator=operator, reason=reason)


async def rename_model(pool: Pool, model: Model, new: NewTitle, *, operator: str, reason: str) -> Answer:
    """Call a model otherwise, in one language or both; jobs keep the name they were bought under."""

    async def act(tx: Transaction) -> Answer:
        given = [title for title in (new.ru, new.en) if title is not None]
        if not new.back and not given:
            return Answer(done=False, sentence="Say how it shall be called.")
        if any(not 0 < len(title.strip()) <= LONGEST_TITLE or "\n" in title for title in given):
            return Answer(done=False, sentence=f"A title is one line of 1 to {LONGEST_TITLE} characters.")
        before = await lock_setting(tx, model.id)
        after = (
            replace(before, title_ru=None, title_en=None)
            if new.back
            else replace(
                before,
                title_ru=new.ru.strip() if new.ru is not None else before.title_ru,
                title_en=new.en.strip() if new.en is not None else before.title_en,
            )
        )
        await keep_setting(tx, model.id, after)
        ru, en = after.title_ru or model.title_in("ru"), after.title_en or model.title_in("en")
        return Answer(done=True, sentence=f"It is called “{ru}” in Russian and “{en}” in English.")

    return await _journaled(pool, act, "rename", model, operator=operator, reason=reason)


def _objection(model: Model, turn: Turn) -> str | None:
    """Why a model cannot be sold on an operator's word."""
    if turn != "sell":
        return None
    if model.off is None:
        return "The catalogue sells it: there is nothing to turn on."
    return None if can_be_turned_on(model) else f"It cannot be sold: {model.off}."


async def _journaled(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[Answer]],
    action: str,
    model: Model,
    *,
    operator: str,
    reason: str,
) -> Answer:
    return await journaled(
        pool, act, action=f"{action} model", operator=operator, reason=reason, reference=f"model:{model.id}"
    )

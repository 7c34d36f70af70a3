"""From answers to the card: the draft is committed first, then its card is shown.

Killed in between, or before the update is done: the update is handled again and finds its draft by origin; a second card
of one draft is harmless. What cannot be ordered gets no card, and no purchase: files and earlier results are looked at again.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from photomat.bot import pages
from photomat.bot.context import Visit
from photomat.bot.pages import View
from photomat.catalog.answers import Refused
from photomat.catalog.model import Model
from photomat.catalog.order import check_order, unfit
from photomat.catalog.reference import FileRef, references
from photomat.files.facts import file_facts, measured_inputs, missing_references
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import DraftId
from photomat.orders.draft import Draft, change_draft, read_draft, save_draft

Show: TypeAlias = Callable[[View], Awaitable[object]]


async def objections(visit: Visit, model: Model, inputs: Mapping[str, Any]) -> tuple[Refused, ...]:
    """Everything that stands against this order now, its files looked at again; nothing when it can be bought."""
    measured = await measured_inputs(visit.shop.pool, visit.user_id, model, inputs)
    cannot_stay = await unfit_inputs(visit, model, inputs)
    return (*cannot_stay.values(), *check_order(model, inputs, measured))


async def unfit_inputs(visit: Visit, model: Model, inputs: Mapping[str, Any]) -> dict[str, Refused]:
    """Which inputs cannot stay as they are, and why: a file or a result is gone, or a file fits today's catalogue no longer."""
    files = [ref for ref in references(dict(inputs)) if isinstance(ref, FileRef)]
    facts = await file_facts(visit.shop.pool, visit.user_id, files)
    lost = await missing_references(visit.shop.pool, visit.user_id, inputs)
    return unfit(model, inputs, gone=lost, facts=facts)


async def keep_draft(visit: Visit, *, model: Model, inputs: Mapping[str, Any], draft_id: int | None = None) -> Draft:
    """Commit the draft, as a new revision of `draft_id` when there is one that is not bought yet."""
    asked = (await visit.quote(model, inputs)).price
    origin = visit.unit.origin
    failpoint("draft.before_save")
    if draft_id is not None:
        changed = await change_draft(
            visit.shop.pool,
            draft_id=DraftId(draft_id),
            user_id=visit.user_id,
            origin=origin,
            inputs=inputs,
            price=asked,
        )
        if changed is not None and not changed.expired:
            return changed
    return await save_draft(
        visit.shop.pool,
        origin=origin if draft_id is None else f"{origin}:new",
        bot_id=visit.unit.bot_id,
        user_id=visit.user_id,
        chat_id=visit.chat_id,
        model=model.id,
        inputs=inputs,
        price=asked,
    )


async def draft_on_sale(visit: Visit, draft_id: int) -> tuple[Draft, Model] | None:
    """A draft of this person with its model, while that is on sale."""
    draft = await read_draft(visit.shop.pool, draft_id=DraftId(draft_id), user_id=visit.user_id)
    model = await visit.shop.model(draft.model) if draft else None
    return (draft, model) if draft and model else None


async def show_card(visit: Visit, show: Show, *, model: Model, draft: Draft) -> None:
    """Show a committed draft."""
    failpoint("draft.before_card")
    balance = await visit.balance()
    paid_by = None if draft.price.minor else (await visit.quote(model, draft.inputs)).paid_by
    card = pages.draft_card(
        visit.say, model, draft, language=visit.language, balance=balance.available, paid_by=paid_by
    )
    await show(card)
    failpoint("draft.after_card")

"""Changing a draft from its card: which input, then its question, then the card anew.

Opening the menu raises the draft's revision at once, so a card that is being changed can no longer be bought as it was. A
draft that is bought cannot be changed, so a bought card is never edited here.
"""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot import views
from photomat.bot.buttons import ChangeButton, DraftAction, DraftButton
from photomat.bot.forms.composing import ask
from photomat.bot.forms.form import change_form, still_good
from photomat.bot.forms.order import draft_on_sale, objections, show_card
from photomat.bot.handlers.compose import tell_closed
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.catalog.model import Model
from photomat.catalog.order import open_to_customers
from photomat.jobs.draft import Draft, change_draft


async def open_menu(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Ask which input is to be changed."""
    found = await _draft_to_change(visit, callback_data.draft_id)
    if found is None:
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    await tap.answer()
    await tap.replace(views.change_menu(visit.say, model, draft, language=visit.language))


async def open_further(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Ask which of the settings few people change."""
    found = await _draft_to_change(visit, callback_data.draft_id)
    if found is None:
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    await tap.answer()
    await tap.replace(views.further_settings(visit.say, model, draft, language=visit.language))


async def ask_again(_query: CallbackQuery, callback_data: ChangeButton, tap: Tap, visit: Visit) -> None:
    """Ask one input of the draft again."""
    found = await _draft_to_change(visit, callback_data.draft_id)
    if found is None or callback_data.question >= len(found[1].inputs):
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    asked, inputs = model.inputs[callback_data.question], still_good(model, draft.inputs)
    if asked not in open_to_customers(model, inputs):
        await tell_closed(tap, visit)
        return
    await tap.answer(await _what_is_left(visit, draft), alert=True)
    form = change_form(model, asked, form_id=visit.unit.received_id, draft_id=draft.draft_id, inputs=inputs)
    await ask(visit, tap.replace, model, form)


async def _what_is_left(visit: Visit, draft: Draft) -> str | None:
    """What somebody should know who was filling in something else: it is closed by this."""
    left = await visit.form()
    if left is None or left.draft_id == draft.draft_id or left.is_first:
        return None
    titles = await visit.shop.titles(visit.language)
    return visit.say("tap-form-left", model=titles.get(left.model, left.model))


async def go_back(_query: CallbackQuery, callback_data: DraftButton, tap: Tap, visit: Visit) -> None:
    """Leave the menu for the card."""
    found = await _draft_to_change(visit, callback_data.draft_id)
    if found is None:
        await tap.answer(visit.say("tap-draft-bought"), alert=True)
        return
    draft, model = found
    await tap.answer()
    await show_card(visit, tap.replace, model=model, draft=draft)


async def _draft_to_change(visit: Visit, draft_id: int) -> tuple[Draft, Model] | None:
    """The draft at a new revision; None when it is bought, gone or somebody else's."""
    found = await draft_on_sale(visit, draft_id)
    if found is None:
        return None
    draft, model = found
    is_good = not await objections(visit, model, draft.inputs)
    price = (await visit.quote(model, draft.inputs)).price if is_good else draft.price
    changed = await change_draft(
        visit.shop.pool,
        draft_id=draft.draft_id,
        user_id=visit.user_id,
        origin=visit.unit.origin,
        inputs=draft.inputs,
        price=price,
    )
    return None if changed is None or changed.expired else (changed, model)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="change")
    routes.callback_query.register(open_menu, DraftButton.filter(F.action == DraftAction.CHANGE))
    routes.callback_query.register(open_further, DraftButton.filter(F.action == DraftAction.MORE))
    routes.callback_query.register(go_back, DraftButton.filter(F.action == DraftAction.BACK))
    routes.callback_query.register(ask_again, ChangeButton.filter())
    return routes

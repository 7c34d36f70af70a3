"""Zero silence: whatever nobody else understood is answered, with the way to what can be made of it."""

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.types import CallbackQuery, Message

from photomat.bot import menu_view, transfer_view, views
from photomat.bot.buttons import ChangeButton
from photomat.bot.filters import SpokenToUs
from photomat.bot.forms.brought import kind_of, kind_taken
from photomat.bot.handlers.search import found_by_chance
from photomat.bot.screen import Tap, send
from photomat.bot.views import Rows, View, button
from photomat.bot.visit import Visit
from photomat.catalog.input import FileKind
from photomat.catalog.menu_categories import starting_from
from photomat.catalog.order import open_to_customers
from photomat.jobs.draft import open_draft
from photomat.payments import receipts
from photomat.payments.topup import has_open_transfer


async def unknown_command(message: Message, visit: Visit) -> None:
    """A command we do not have."""
    await send(message, views.hint(visit.say, "fallback-command"))


async def text_outside_a_form(message: Message, visit: Visit) -> None:
    """Words nobody asked for: a model may be meant."""
    await send(message, await found_by_chance(visit, message.text or "") or views.hint(visit.say, "fallback-text"))


async def file_nobody_asked_for(message: Message, visit: Visit) -> None:
    """A photo, a film, a recording: what can be done with it. Who has a transfer under way may have meant a receipt."""
    kind = kind_of(message)
    wishes = starting_from([each.model for each in (await visit.shop.shelf()).listed], kind) if kind else ()
    lines = await _about_receipts(message, visit)
    text = visit.say("stray-file", kind=kind) if kind is not None and wishes else visit.say("fallback-other")
    rows = [*await _into_the_open_order(visit, kind), *menu_view.wish_rows(visit.say, wishes)]
    pay = [[transfer_view.start_button(visit.say)]] if lines else []
    await send(message, View(text="\n\n".join([text, *lines]), rows=[*rows, *pay, [views.to_home(visit.say)]]))


async def _about_receipts(message: Message, visit: Visit) -> list[str]:
    """A receipt is taken only when it was asked for; in a group nobody's money is spoken of."""
    offers, pool = visit.shop.offers, visit.shop.pool
    is_sold = offers is not None and bool(offers.transfer_details.strip())
    if not is_sold or message.chat.type != ChatType.PRIVATE or not (message.photo or message.document):
        return []
    waiting = await receipts.waiting_of(pool, visit.user_id)
    if not waiting and not await has_open_transfer(pool, visit.user_id):
        return []
    return [visit.say("transfer-stray-file"), *transfer_view.waiting_lines(visit.say, waiting)]


async def _into_the_open_order(visit: Visit, kind: FileKind | None) -> Rows:
    """The way to the question of the newest order that is on its card and takes such a file."""
    draft = await open_draft(visit.shop.pool, user_id=visit.user_id)
    model = await visit.shop.model(draft.model) if draft else None
    if draft is None or model is None or kind is None:
        return []
    taken = next((each for each in open_to_customers(model, draft.inputs) if kind_taken(each) == kind), None)
    if taken is None:
        return []
    asked = ChangeButton(draft_id=draft.draft_id, question=model.inputs.index(taken))
    return [[button(visit.say("stray-file-into-order", model=model.title_in(visit.language)), asked.pack())]]


async def anything_else(message: Message, visit: Visit) -> None:
    """Stickers, files, places, and whatever Telegram adds next."""
    await send(message, views.hint(visit.say, "fallback-other"))


async def stale_button(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """A button of an older program."""
    await tap.answer(visit.say("tap-stale"), alert=True)


def commands_router() -> Router:
    """Unknown commands, asked before a form takes them for an answer."""
    routes = Router(name="fallback-commands")
    routes.message.register(unknown_command, F.text.startswith("/"), SpokenToUs())
    return routes


def router() -> Router:
    """Everything else, asked last."""
    routes = Router(name="fallback")
    routes.message.register(text_outside_a_form, F.text, SpokenToUs())
    files = F.photo | F.video | F.animation | F.audio | F.voice | F.video_note | F.document
    routes.message.register(file_nobody_asked_for, files, SpokenToUs())
    routes.message.register(anything_else, SpokenToUs())
    routes.callback_query.register(stale_button)
    return routes

"""The menu as it is now: what can be wished for and what is sold is read with it, so that a change counts at once."""

from dataclasses import dataclass

from photomat.bot import menu_view
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.catalog.menu_categories import MenuCategory, offered
from photomat.catalog.model import Model
from photomat.texts.load import Say


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A model that is not sold: why, in a sentence; and the way to what is sold in its place, if anything is."""

    why: str
    page: View | None


async def home_page(visit: Visit, say: Say | None = None) -> View:
    """The menu with the balance, in the person's language or another voice."""
    balance = await visit.balance()
    return menu_view.home(say or visit.say, balance=balance.available, wishes=await wishes_now(visit))


async def wishes_now(visit: Visit) -> tuple[MenuCategory, ...]:
    """What can be wished for: a wish that nothing grants is not shown."""
    shelf = await visit.shop.shelf()
    return offered(each.model for each in shelf.listed)


async def model_or_why_not(visit: Visit, model_id: str) -> Model | Gone:
    """The model as it is sold now, or why it is not."""
    sold = await visit.shop.model(model_id)
    if sold is not None:
        return sold
    language = visit.language
    instead = (await visit.shop.shelf()).instead_of(model_id)
    title = (await visit.shop.titles(language)).get(model_id)
    why = menu_view.model_gone(visit.say, title=title, instead=instead.title_in(language) if instead else None)
    page = menu_view.instead_page(visit.say, why, instead, language=language) if instead else None
    return Gone(why=why, page=page)

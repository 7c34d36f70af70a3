"""/history: the orders, newest first, page by page; what did not arrive is sent once more, or as files, free."""

from typing import Final

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import HistoryButton, JobAction, JobButton, MenuButton, Screen
from photomat.bot.history_view import Page, history_page
from photomat.bot.screen import Tap, send
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.db.pool import transaction
from photomat.delivery.ask_again import Asked, ask_again
from photomat.jobs.history import own_job, recent_jobs
from photomat.kernel.ids import ChatId, JobId
from photomat.kernel.logs import get_logger

SHOWN: Final = 5
LAST_PAGE: Final = 1000
log = get_logger()


async def show_history(message: Message, visit: Visit) -> None:
    """Answer the command."""
    await send(message, await _page(visit))


async def open_history(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Open it from the menu."""
    await tap.answer()
    await tap.open(await _page(visit))


async def turn(_query: CallbackQuery, callback_data: HistoryButton, tap: Tap, visit: Visit) -> None:
    """Open another page."""
    await tap.answer()
    await tap.open(await _page(visit, min(callback_data.page, LAST_PAGE)))


async def resend(_query: CallbackQuery, callback_data: JobButton, tap: Tap, visit: Visit) -> None:
    """Let a result come once more. The same tap handled again finds what it asked for."""
    asked = await _ask(callback_data, tap, visit, as_file=False)
    await tap.answer(visit.say(f"tap-resend-{asked}"), alert=asked not in {Asked.SENDING, Asked.SHOWING})


async def originals(_query: CallbackQuery, callback_data: JobButton, tap: Tap, visit: Visit) -> None:
    """Let every output come as the file it is, or a text as a file."""
    asked = await _ask(callback_data, tap, visit, as_file=True)
    answer = visit.say("tap-originals") if asked is Asked.SENDING else visit.say(f"tap-resend-{asked}")
    await tap.answer(answer, alert=asked not in {Asked.SENDING, Asked.SHOWING})


async def _ask(callback_data: JobButton, tap: Tap, visit: Visit, *, as_file: bool) -> Asked:
    job_id, chat = JobId(callback_data.job_id), tap.message.chat.id if tap.message else visit.user_id
    bought = await own_job(visit.shop.pool, job_id=job_id, user_id=visit.user_id)
    if bought is not None:
        visit.unit.corr = bought.corr
    async with transaction(visit.shop.pool) as tx:
        asked = await ask_again(
            tx,
            job_id=job_id,
            user_id=visit.user_id,
            chat_id=ChatId(chat),
            origin=visit.unit.origin,
            language=visit.language,
            as_file=as_file,
        )
    log.info("RESULT_ASKED_AGAIN", job_id=job_id, corr=visit.unit.corr, answer=asked, as_file=as_file)
    return asked


async def _page(visit: Visit, number: int = 0) -> View:
    jobs = await recent_jobs(visit.shop.pool, user_id=visit.user_id, limit=SHOWN + 1, skip=number * SHOWN)
    page = Page(number=number, first=number * SHOWN + 1, jobs=jobs[:SHOWN], has_older=len(jobs) > SHOWN)
    return history_page(visit.say, page, await visit.shop.titles(visit.language))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="history")
    routes.message.register(show_history, Command("history"))
    routes.callback_query.register(open_history, MenuButton.filter(F.screen == Screen.HISTORY))
    routes.callback_query.register(turn, HistoryButton.filter())
    routes.callback_query.register(resend, JobButton.filter(F.action == JobAction.RESEND))
    routes.callback_query.register(originals, JobButton.filter(F.action == JobAction.FILES))
    return routes

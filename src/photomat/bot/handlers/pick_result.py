"""Something made before as an answer: a job Kie goes on from, a track of it, or a file that came out of it. One's own alone."""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot.buttons import PickButton, ResultsPageButton, Step, StepButton
from photomat.bot.forms import gathering, questions, said
from photomat.bot.forms.attachments import from_result
from photomat.bot.forms.composing import accept, asked_view, made_for
from photomat.bot.forms.questions import Asking
from photomat.bot.handlers.compose import asking_of, reply_to, tell_closed
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.catalog.answers import Refused
from photomat.catalog.input import Input
from photomat.catalog.reference import JobRef
from photomat.jobs.sources import SHOWN, made_files
from photomat.kernel.ids import JobId


async def show_results(_query: CallbackQuery, callback_data: StepButton, tap: Tap, visit: Visit) -> None:
    """List the person's results that the open question takes."""
    await _show_page(callback_data, tap, visit)


async def turn_page(_query: CallbackQuery, callback_data: ResultsPageButton, tap: Tap, visit: Visit) -> None:
    """List older results, or newer ones."""
    await _show_page(callback_data, tap, visit, page=callback_data.page)


async def _show_page(tapped: StepButton | ResultsPageButton, tap: Tap, visit: Visit, *, page: int = 0) -> None:
    asking = await asking_of(visit, tapped.form_id, tapped.turn)
    wanted = asking.target if asking else None
    if asking is not None and wanted is not None and wanted.type in {"task", "track"}:
        await reply_to(tap).show(await asked_view(visit, asking, page=page))
    elif asking is None or wanted is None or wanted.files is None or Step.RESULTS not in asking.offered:
        await tell_closed(tap, visit)
    else:
        made = await made_files(visit.shop.pool, user_id=visit.user_id, kind=wanted.files.kind, skip=page * SHOWN)
        await reply_to(tap).show(questions.results(asking, made, page=page))


async def pick(_query: CallbackQuery, callback_data: PickButton, tap: Tap, visit: Visit) -> None:
    """Answer the open question with what was picked, if that is still there and theirs."""
    asking = await asking_of(visit, callback_data.form_id, callback_data.turn)
    asked, wanted = (asking.asked, asking.target) if asking else (None, None)
    if asking is None or asked is None or wanted is None:
        await tell_closed(tap, visit)
    elif wanted.takes_files:
        await _pick_file(callback_data, tap, visit, asking, asked)
    else:
        await _pick_job(callback_data, tap, visit, asking, wanted)


async def _pick_job(picked: PickButton, tap: Tap, visit: Visit, asking: Asking, wanted: Input) -> None:
    job_id = JobId(picked.job_id)
    made = await made_for(visit, asking, wanted, job_id=job_id)
    if not any(each.position in {None, picked.output} for each in made):
        await tap.answer(visit.say("tap-source-gone"), alert=True)
        return
    reference = JobRef(job_id, picked.output if wanted.type == "track" else None)
    await accept(visit, reply_to(tap), asking, reference.as_json())


async def _pick_file(picked: PickButton, tap: Tap, visit: Visit, asking: Asking, asked: Input) -> None:
    reply, have = reply_to(tap), gathering.files_so_far(asking.form, asked)
    wanted = gathering.target(asking.form, asked)
    found = await from_result(visit, JobId(picked.job_id), picked.output, wanted, given=have)
    if isinstance(found, Refused):
        await reply.refuse(questions.refusal(asking, found))
    else:
        await said.take_files(visit, reply, asking, asked, [found])


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="pick-result")
    routes.callback_query.register(show_results, StepButton.filter(F.step == Step.RESULTS))
    routes.callback_query.register(turn_page, ResultsPageButton.filter())
    routes.callback_query.register(pick, PickButton.filter())
    return routes

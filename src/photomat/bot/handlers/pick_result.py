"""Something made before as an answer: a job Kie goes on from, a track of it, or a file that came out of it. One's own alone."""

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot import form_lines, questions, said
from photomat.bot.attachments import from_result
from photomat.bot.buttons import PickButton, Step, StepButton
from photomat.bot.composing import accept, made_for
from photomat.bot.handlers.compose import asking_of, reply_to
from photomat.bot.questions import Asking
from photomat.bot.screen import Tap
from photomat.bot.visit import Visit
from photomat.catalog.answers import Refused
from photomat.catalog.input import Input
from photomat.catalog.reference import JobRef
from photomat.jobs.sources import made_files
from photomat.kernel.ids import JobId


async def show_results(_query: CallbackQuery, callback_data: StepButton, tap: Tap, visit: Visit) -> None:
    """List the person's results that the open question takes."""
    asking = await asking_of(visit, callback_data.form_id, callback_data.turn)
    wanted = asking.target if asking else None
    if asking is None or wanted is None or wanted.files is None:
        await tap.answer(visit.say("tap-question-closed"), alert=True)
        return
    made = await made_files(visit.shop.pool, user_id=visit.user_id, kind=wanted.files.kind)
    await reply_to(tap).show(questions.results(asking, made))


async def pick(_query: CallbackQuery, callback_data: PickButton, tap: Tap, visit: Visit) -> None:
    """Answer the open question with what was picked, if that is still there and theirs."""
    asking = await asking_of(visit, callback_data.form_id, callback_data.turn)
    asked, wanted = (asking.asked, asking.target) if asking else (None, None)
    if asking is None or asked is None or wanted is None:
        await tap.answer(visit.say("tap-question-closed"), alert=True)
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
    reply, have = reply_to(tap), form_lines.files_so_far(asking.form, asked)
    wanted = form_lines.target(asking.form, asked)
    found = await from_result(visit, JobId(picked.job_id), picked.output, wanted, given=have)
    if isinstance(found, Refused):
        await reply.refuse(questions.refusal(asking, found))
    else:
        await said.take_files(visit, reply, asking, asked, [found])


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="pick-result")
    routes.callback_query.register(show_results, StepButton.filter(F.step == Step.RESULTS))
    routes.callback_query.register(pick, PickButton.filter())
    return routes

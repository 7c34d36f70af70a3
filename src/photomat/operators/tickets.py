"""What an operator may do with a ticket: answer, close, reopen, assign; refund its job, repeat it, show it again.

Every verb writes the thread, the notices and the journal in one transaction, refusals too. Money goes back once per ticket,
however many tap. An answer is written once per `origin`, the update or form it came from.

A repeat moves no money: it gives the customer one free generation, as a promo code that only they have, and offers the same
order. The customer opens its card and taps; nothing is made without that tap. If the repeat fails, the generation is theirs
again, as with every promo code. It covers twice the price of the order, because prices may have risen since.
"""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.delivery.resend import ResendAnswer, ask_again
from photomat.jobs.actions import cancel_by_operator
from photomat.jobs.refunds import refund_job_charge
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import ChatId
from photomat.kernel.money import Money
from photomat.operators.actions import ActionResult, write_journal
from photomat.rewards.promo import give_generation
from photomat.support import thread
from photomat.support.notices import answer_limit, notify_canceled, notify_repeat
from photomat.support.thread import MessageContent, add_event, lock_thread, mark_answered, was_written
from photomat.support.ticket import Ticket, TicketEvent, TicketJob, job_of_ticket
from photomat.texts.sentence import Sentence
from photomat.users.user import DEFAULT_LANGUAGE, find_user

MAX_REPEAT_PRICES: Final = 2
"""A repeat is free up to this many times what the order cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts: the name in the journal, and the update or form that did, so that it acts once."""

    name: str
    origin: str


Act = Callable[[Transaction, Ticket], Awaitable[ActionResult]]
ActOnJob = Callable[[Transaction, Ticket, TicketJob], Awaitable[ActionResult]]


async def answer_ticket(
    pool: Pool, ticket_id: int, words: MessageContent, *, actor: Actor, operators: Collection[ChatId] = ()
) -> ActionResult:
    """Send an answer to the customer; `operators` are the others, who read it too."""
    limit = answer_limit(has_file=words.file is not None)
    async with transaction(pool) as tx:
        if await was_written(tx, actor.origin):
            return ActionResult(done=True, says=Sentence("ticket-answer-sent", number=ticket_id))

    async def act(tx: Transaction, ticket: Ticket) -> ActionResult:
        if words.is_empty or len(words.text) > limit:
            return ActionResult(done=False, says=Sentence("ticket-answer-refused", limit=limit))
        written = await thread.write_by_operator(
            tx, ticket.ticket_id, words, author=actor.name, origin=actor.origin, operators=operators
        )
        number = ticket.ticket_id if written is None else written.ticket.ticket_id
        return ActionResult(done=True, says=Sentence("ticket-answer-sent", number=number))

    return await _journaled(pool, ticket_id, act, action="answer ticket", actor=actor, reason=None)


async def close_ticket(pool: Pool, ticket_id: int, *, actor: Actor, reason: str | None = None) -> ActionResult:
    async def act(tx: Transaction, ticket: Ticket) -> ActionResult:
        closed = await thread.close_ticket(tx, ticket.ticket_id, by=actor.name, origin=actor.origin, notifies=True)
        return ActionResult(
            done=closed is not None,
            says=Sentence(
                "ticket-close-done" if closed is not None else "ticket-close-before", number=ticket.ticket_id
            ),
        )

    return await _journaled(pool, ticket_id, act, action="close ticket", actor=actor, reason=reason)


async def reopen_ticket(pool: Pool, ticket_id: int, *, actor: Actor, reason: str) -> ActionResult:
    async def act(tx: Transaction, ticket: Ticket) -> ActionResult:
        opened = await thread.reopen_ticket(tx, ticket.ticket_id, by=actor.name, origin=actor.origin)
        return ActionResult(
            done=opened is not None,
            says=Sentence(
                "ticket-reopen-done" if opened is not None else "ticket-reopen-refused", number=ticket.ticket_id
            ),
        )

    return await _journaled(pool, ticket_id, act, action="reopen ticket", actor=actor, reason=reason)


async def assign_ticket(
    pool: Pool, ticket_id: int, *, to: str | None, actor: Actor, reason: str | None = None
) -> ActionResult:
    """Set who answers a ticket; None: any operator."""

    async def act(tx: Transaction, ticket: Ticket) -> ActionResult:
        await thread.assign_ticket(tx, ticket.ticket_id, to=to)
        return ActionResult(done=True, says=Sentence("ticket-assign-done", number=ticket.ticket_id, to=to or "—"))

    return await _journaled(pool, ticket_id, act, action="assign ticket", actor=actor, reason=reason)


async def refund_ticket(pool: Pool, ticket_id: int, *, actor: Actor, reason: str) -> ActionResult:
    """Give back what the ticket's job took: a charge is refunded, a job on its way is canceled. Once per ticket."""

    async def act(tx: Transaction, ticket: Ticket, job: TicketJob) -> ActionResult:
        if job.is_live:
            return await _cancel(tx, ticket, job, actor)
        try:
            async with tx.transaction():
                refund = await refund_job_charge(
                    tx, job_id=job.job_id, reference=_reference(ticket, "refund"), by=actor.name
                )
        except Rejected as error:
            return ActionResult(
                done=False,
                says=Sentence(
                    "ticket-refund-nothing" if error.text_key == "not-charged" else "ticket-refund-before",
                    number=ticket.ticket_id,
                ),
            )
        if not refund.is_new:
            return ActionResult(done=False, says=Sentence("ticket-refund-before", number=ticket.ticket_id))
        amount = refund.amount
        facts = {"amount": amount.minor, "currency": amount.currency}
        await _acted(tx, ticket, TicketEvent.REFUNDED, actor, facts=facts)
        return ActionResult(done=True, says=Sentence("ticket-refund-done", number=ticket.ticket_id, amount=amount))

    return await _on_job(pool, ticket_id, act, action="refund ticket", actor=actor, reason=reason)


async def repeat_ticket(pool: Pool, ticket_id: int, *, actor: Actor, reason: str) -> ActionResult:
    """Repeat the customer's order for free; once per ticket."""

    async def act(tx: Transaction, ticket: Ticket, job: TicketJob) -> ActionResult:
        if job.is_live:
            return ActionResult(done=False, says=Sentence("ticket-repeat-live", number=ticket.ticket_id))
        if job.list_price.minor:
            is_new = await give_generation(
                tx,
                user_id=ticket.user_id,
                code=f"SOS-{ticket.ticket_id}-{job.job_id}",
                most=Money(job.list_price.minor * MAX_REPEAT_PRICES, job.list_price.currency),
                operator=actor.name,
                reason=reason,
                origin=_reference(ticket, "repeat"),
            )
            if not is_new:
                return ActionResult(done=False, says=Sentence("ticket-repeat-before", number=ticket.ticket_id))
        if not await _acted(tx, ticket, TicketEvent.REPEATED, actor):
            return ActionResult(done=False, says=Sentence("ticket-repeat-before", number=ticket.ticket_id))
        await notify_repeat(tx, ticket, job)
        return ActionResult(done=True, says=Sentence("ticket-repeat-done", number=ticket.ticket_id))

    return await _on_job(pool, ticket_id, act, action="repeat ticket", actor=actor, reason=reason)


async def was_repeated(pool: Pool, ticket: Ticket) -> bool:
    async with transaction(pool) as tx:
        return await was_written(tx, _reference(ticket, TicketEvent.REPEATED))


async def show_again(pool: Pool, ticket_id: int, *, actor: Actor, reason: str | None = None) -> ActionResult:
    """Send the result of the ticket's job to the customer again."""

    async def act(tx: Transaction, ticket: Ticket, job: TicketJob) -> ActionResult:
        customer = await find_user(tx, ticket.user_id)
        asked = await ask_again(
            tx,
            job_id=job.job_id,
            user_id=ticket.user_id,
            chat_id=ticket.chat_id,
            origin=actor.origin,
            language=customer.language if customer else DEFAULT_LANGUAGE,
        )
        if asked in {ResendAnswer.SENDING, ResendAnswer.SHOWING}:
            await add_event(tx, ticket.ticket_id, TicketEvent.SHOWN, author=actor.name, origin=f"{actor.origin}:shown")
            return ActionResult(done=True, says=Sentence("ticket-show-done", number=ticket.ticket_id))
        return ActionResult(
            done=False,
            says=Sentence(
                "ticket-show-soon" if asked is ResendAnswer.TOO_SOON else "ticket-show-nothing", number=ticket.ticket_id
            ),
        )

    return await _on_job(pool, ticket_id, act, action="show ticket", actor=actor, reason=reason)


async def _cancel(tx: Transaction, ticket: Ticket, job: TicketJob, actor: Actor) -> ActionResult:
    await cancel_by_operator(tx, job.job_id)
    await _acted(
        tx, ticket, TicketEvent.CANCELED, actor, facts={"amount": job.price.minor, "currency": job.price.currency}
    )
    await notify_canceled(tx, ticket, job)
    return ActionResult(done=True, says=Sentence("ticket-refund-canceled", number=ticket.ticket_id, amount=job.price))


async def _acted(
    tx: Transaction, ticket: Ticket, event: TicketEvent, actor: Actor, *, facts: dict[str, object] | None = None
) -> bool:
    """Record an event that happens once per ticket; the customer has got something, and is not waiting any more."""
    is_new = await add_event(
        tx, ticket.ticket_id, event, author=actor.name, origin=_reference(ticket, event), facts=facts
    )
    await mark_answered(tx, ticket.ticket_id)
    return is_new


def _reference(ticket: Ticket, what: str) -> str:
    return f"ticket:{ticket.ticket_id}:{what}"


async def _on_job(
    pool: Pool, ticket_id: int, act: ActOnJob, *, action: str, actor: Actor, reason: str | None
) -> ActionResult:
    async def with_job(tx: Transaction, ticket: Ticket) -> ActionResult:
        job = None if ticket.job_id is None else await job_of_ticket(tx, ticket.job_id)
        if job is None:
            return ActionResult(done=False, says=Sentence("ticket-has-no-job", number=ticket.ticket_id))
        return await act(tx, ticket, job)

    return await _journaled(pool, ticket_id, with_job, action=action, actor=actor, reason=reason)


async def _journaled(
    pool: Pool, ticket_id: int, act: Act, *, action: str, actor: Actor, reason: str | None
) -> ActionResult:
    """Act on a locked thread and write the journal in one transaction."""
    async with transaction(pool) as tx:
        ticket = await lock_thread(tx, ticket_id)
        result = (
            ActionResult(done=False, says=Sentence("ticket-unknown", number=ticket_id))
            if ticket is None
            else await act(tx, ticket)
        )
        await write_journal(
            tx,
            operator=actor.name,
            action=action,
            reason=reason,
            done=result.done,
            outcome=result.says,
            job_id=ticket.job_id if ticket else None,
            user_id=ticket.user_id if ticket else None,
            reference=f"ticket:{ticket_id}",
        )
    return result

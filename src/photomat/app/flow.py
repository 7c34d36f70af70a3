"""The lifecycle on one page: loop → what it claims → the module that does it.

    updates      a lane with a stored update        bot.worker                 the conversation; the tap that buys
    pre-checkout a pre-checkout's own lane          bot.worker                 never waits behind anything
    uploads      jobs `pending`, with files         jobs.submit                files to Kie, before the job takes its place
    submits      jobs `pending`, in their order     jobs.submit                intent, createTask, task id
    looks        jobs at Kie, due or woken          jobs.poll → jobs.settle    the only reader of results; money; card due
    deliveries   cards due (shown < wanted)         delivery.coordinator       card = render(row), under the delivery lock
    rings        completion messages due            delivery.completion        at most once
    sends        results requested again            delivery.resend            at most once a tap
    keeps        outputs without our copy           delivery.archive           Kie deletes them after a while

    assistant    calls to the chat model, due       bot.assistant.loop         asked at most once; edits a card or a message

Money and notices:

    invoices     invoices of a provider, due        payments.invoices          the only reader of what was paid
    refunds      payments to refund                 payments.refunds           debits the wallet, then asks until it is done
    rewards      rewards and old gifts, due         rewards.payouts               two wallets, one transaction
    fiscal       fiscal receipts, due               fiscal.issuer              intent, register or annul; looked up if lost
    receipts     manual transfers, waiting/decided  payments.receipt_reminder  reminds operators; removes buttons once decided
    notices      messages to users, due             messages.notices           at most once
    exports      exports of a user's data, due      privacy.export_sender      built, then sent at most once
    forgets      users to be forgotten              privacy.forget             erased in batches, resumed after a crash

Broadcasts, after everything else:

    audiences    broadcasts that were started       broadcasts.recipients      fixes who gets it; unknown ones; the end
    broadcasts   messages of broadcasts, due        broadcasts.sender          at most once a user; results go first
    previews     previews asked for                 broadcasts.sender          to an operator's own chat

For operators:

    watches      alert rules whose turn it is       alerts.checker             opens and closes incidents
    alerts       notices to operators, due          alerts.sender              once when an incident opens, once when it is over

Callbacks come in through `web.kie_callback` → `jobs.callback` and only wake `looks`. Every loop claims from the rows
themselves; there is no second queue. The due poller asks `DUE` once a second, for all loops in one query.

A part that depends on settings which may change while it runs is given as a function that returns the latest one.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from photomat.alerts.checker import WATCHES_DUE, RuleChecker
from photomat.alerts.sender import AlertSender
from photomat.assistant.calls import CALLS_DUE
from photomat.bot.assistant.loop import AssistantLoop
from photomat.bot.worker import UpdateWorker
from photomat.broadcasts.recipients import AUDIENCES_DUE, Audiences
from photomat.broadcasts.sender import BroadcastSender, PreviewSender
from photomat.db.floors import Queue
from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive
from photomat.delivery.completion import CompletionNotifier
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.lock import DELIVERIES, RESULTS_DUE, try_acquire_delivery_lock
from photomat.delivery.outputs import KEEP_LEASE, KEEPS, Output, claim_unkept
from photomat.delivery.render import LockedCard
from photomat.delivery.resend import Resender
from photomat.delivery.waiting import with_waits
from photomat.fiscal.issuer import FiscalIssuer
from photomat.fiscal.store import FISCAL_DUE
from photomat.inbox.receive import PRE_CHECKOUTS_DUE, UPDATES
from photomat.inbox.update import Claimed
from photomat.jobs import store
from photomat.jobs.claims import Claims
from photomat.jobs.poll import TaskPoller
from photomat.jobs.submit import Submitter
from photomat.kernel.ids import InstanceId
from photomat.messages.notices import NoticeSender
from photomat.messages.outbox import MessageKind
from photomat.payments.invoices import INVOICES_DUE, InvoicePoller
from photomat.payments.receipt_reminder import ReceiptReminder
from photomat.payments.refunds import REFUNDS_DUE, Refunder
from photomat.privacy.export_sender import ExportSender
from photomat.privacy.forget import FORGETS_DUE, ForgetWorker
from photomat.rewards.payouts import REWARDS_DUE, RewardBooker
from photomat.work.loop import LoopStep

UPDATE_WIDTH: Final = 64
SUBMIT_WIDTH: Final = 16
LOOK_WIDTH: Final = 8
DELIVERY_WIDTH: Final = 64
RING_WIDTH: Final = 16
"""So many completion messages are recorded before they are sent: a kill loses those among them that had not left."""

DUE: Final[Mapping[str, str | Queue]] = {
    "updates": UPDATES,
    "pre-checkout": PRE_CHECKOUTS_DUE,
    "uploads": store.UPLOADS,
    "submits": store.SUBMITS,
    "looks": store.LOOKS,
    "deliveries": DELIVERIES,
    "rings": CompletionNotifier.QUEUE,
    "sends": Resender.DUE,
    "keeps": KEEPS,
    "watches": WATCHES_DUE,
    "alerts": AlertSender.DUE,
    "invoices": INVOICES_DUE,
    "refunds": REFUNDS_DUE,
    "rewards": REWARDS_DUE,
    "fiscal": FISCAL_DUE,
    "receipts": ReceiptReminder.DUE,
    "notices": NoticeSender.DUE,
    "exports": ExportSender.DUE,
    "forgets": FORGETS_DUE,
    "assistant": CALLS_DUE,
    "audiences": AUDIENCES_DUE,
    "broadcasts": BroadcastSender.DUE,
    "previews": PreviewSender.DUE,
}
URGENT: Final = (RESULTS_DUE, CompletionNotifier.DUE, Resender.DUE, NoticeSender.DUE)
"""While one of these finds something, no message of a broadcast is claimed."""


def update_steps(
    worker: Callable[[], UpdateWorker], pre_checkout_worker: Callable[[], UpdateWorker], *, wake: Callable[[str], None]
) -> list[LoopStep[Any]]:
    """The conversation, and the payments' lane that never waits. A handled update may have bought or canceled.

    So many lanes at once: handlers mostly wait for Telegram, and lanes that are handled together share their commits.
    """

    async def handle(claimed: Claimed) -> None:
        for name in await worker().handle(claimed):
            wake(name)

    return [
        LoopStep(
            name="updates",
            claim=lambda limit: worker().claim(limit),
            do=handle,
            width=UPDATE_WIDTH,
            claims_all=True,
            ends_wake=False,
        ),
        LoopStep(
            name="pre-checkout",
            claim=lambda limit: pre_checkout_worker().claim(limit),
            do=lambda claimed: pre_checkout_worker().handle(claimed),
            width=2,
        ),
    ]


def job_steps(
    pool: Pool,
    *,
    claims: Claims,
    submitter: Submitter,
    poller: TaskPoller,
    coordinator: Callable[[], Coordinator],
    completions: CompletionNotifier,
    resender: Resender,
    archive: ResultArchive,
    instance: InstanceId,
    lease: timedelta,
    delivery_lease: timedelta,
) -> list[LoopStep[Any]]:
    """From the paid draft to the completion message, on every instance."""

    async def claim_deliveries(limit: int) -> list[LockedCard]:
        cards = await try_acquire_delivery_lock(pool, limit=limit, lease=delivery_lease, instance=instance)
        return await with_waits(pool, cards, creates=claims.creates)

    async def claim_keeps(limit: int) -> list[Output]:
        return await claim_unkept(pool, limit=limit, lease=max(lease, KEEP_LEASE))

    return [
        LoopStep(name="uploads", claim=claims.uploads, do=submitter.upload, width=8),
        LoopStep(
            name="submits",
            claim=claims.submits,
            do=submitter.submit,
            width=max(SUBMIT_WIDTH, claims.creates.limit),
            claims_all=True,
            ends_wake=False,
        ),
        LoopStep(
            name="looks",
            claim=claims.looks,
            do=poller.look,
            width=max(LOOK_WIDTH, claims.queries.limit),
            ends_wake=False,
        ),
        LoopStep(
            name="deliveries",
            claim=claim_deliveries,
            do=lambda card: coordinator().deliver_result_atomic(card),
            width=DELIVERY_WIDTH,
            claims_all=True,
            ends_wake=False,
        ),
        message_step("rings", completions, width=RING_WIDTH, claims_all=True),
        message_step("sends", resender, width=2),
        LoopStep(name="keeps", claim=claim_keeps, do=archive.keep, width=2, claims_all=True, ends_wake=False),
    ]


def alert_steps(checker: Callable[[], RuleChecker], sender: AlertSender) -> list[LoopStep[Any]]:
    """Alerts, on every instance: that none is ACTIVE is one of the rules."""
    return [
        LoopStep(
            name="watches",
            claim=lambda _limit: checker().claim_together(),
            do=lambda claimed: checker().check_together(claimed),
            width=2,
            claims_all=True,
            ends_wake=False,
        ),
        message_step("alerts", sender, width=2),
    ]


def money_steps(
    *,
    invoices: InvoicePoller,
    refunder: Refunder,
    rewards: Callable[[], RewardBooker],
    fiscal: FiscalIssuer,
    reminder: ReceiptReminder,
    notices: NoticeSender,
) -> list[LoopStep[Any]]:
    """Payments, refunds, rewards, fiscal receipts and notices, on every instance."""
    return [
        LoopStep(name="invoices", claim=invoices.claim, do=invoices.poll, width=4),
        LoopStep(name="refunds", claim=refunder.claim, do=refunder.refund, width=2),
        LoopStep(
            name="rewards", claim=lambda limit: rewards().claim(limit), do=lambda due: rewards().book(due), width=2
        ),
        LoopStep(name="fiscal", claim=fiscal.claim, do=fiscal.issue, width=4),
        message_step("receipts", reminder, width=2),
        message_step("notices", notices, width=4),
    ]


def broadcast_steps(audiences: Audiences, sender: BroadcastSender, previews: PreviewSender) -> list[LoopStep[Any]]:
    """Broadcasts, on every instance; so many messages at once are what a kill can leave unknown."""
    return [
        LoopStep(name="audiences", claim=audiences.claim, do=audiences.look_after, width=2),
        message_step("broadcasts", sender, width=4),
        message_step("previews", previews, width=1),
    ]


def privacy_steps(exports: ExportSender, forgets: ForgetWorker) -> list[LoopStep[Any]]:
    """Exports and erasing, on every instance."""
    return [
        message_step("exports", exports, width=1),
        LoopStep(name="forgets", claim=forgets.claim, do=forgets.forget, width=1),
    ]


def assistant_step(assistant: Callable[[], AssistantLoop]) -> LoopStep[Any]:
    """Calls to the optional chat model, on every instance."""
    return LoopStep(
        name="assistant", claim=lambda limit: assistant().claim(limit), do=lambda call: assistant().do(call), width=4
    )


def message_step(name: str, kind: MessageKind[Any], *, width: int, claims_all: bool = False) -> LoopStep[Any]:
    return LoopStep(
        name=name, claim=kind.claim, do=kind.deliver, width=width, claims_all=claims_all, ends_wake=not claims_all
    )

"""The lifecycle on one page: loop → what it claims → the function that does it.

    updates      a lane with a stored update        bot.dispatch            the conversation; the tap that buys
    pre-checkout a pre-checkout's own lane          bot.dispatch            never waits behind anything
    uploads      jobs `pending`, with files         jobs.submit             files to Kie, before the job takes its place
    submits      jobs `pending`, in their order     jobs.submit             intent, createTask, task id
    looks        jobs at Kie, due or woken          jobs.look → settle      the one reader of the truth; money; card due
    deliveries   cards due (shown < wanted)         delivery.coordinator    card = render(row), under the delivery lock
    rings        rings due                          delivery.ring           at most once
    sends        results asked for once more        delivery.resend         at most once a tap
    keeps        outputs without a copy of ours     delivery.keep           Kie deletes them after a while

Money, and what is said by itself:

    invoices     bills at a provider, due or woken  payments.invoices       the one reader of what was paid
    refunds      payments to be given back          payments.refunder       out of the wallet first, then asked for until done
    rewards      rewards and old gifts, due         rewards.book            what others get: two wallets, one transaction
    receipts     transfers by hand, waiting/decided payments.receipt_desk   reminds operators; takes buttons away once decided
    notices      what somebody is to be told        notices.send            at most once

Beside the lifecycle, for the operator:

    watches      watches whose turn it is           alerts.watch            is something wrong? opens and ends incidents
    alerts       notices to operators, due          alerts.tell             each told once that it opened and that it is over

Callbacks come in through `web.kie_callback` → `jobs.callback` and only wake `looks`. Every step claims from the rows
themselves; there is no second queue. `DUE` is what the pulse asks once a second, for all loops in one query.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from photomat.alerts.checker import WATCHES_DUE, Watcher
from photomat.alerts.sender import NOTICES_DUE, Teller
from photomat.bot.worker import UpdateWorker
from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.lock import DELIVERIES_DUE, try_acquire_delivery_lock
from photomat.delivery.outputs import KEEP_LEASE, KEEPS_DUE, Output, claim_unkept
from photomat.delivery.render import LockedCard
from photomat.delivery.resend import SENDS_DUE, Resend, Resender, claim_sends
from photomat.delivery.ring import RINGS_DUE, Ring, Ringer, claim_rings
from photomat.inbox.receive import PRE_CHECKOUTS_DUE, UPDATES_DUE
from photomat.inbox.update import Claimed
from photomat.jobs import store
from photomat.jobs import store as jobs_store
from photomat.jobs.claims import Claims
from photomat.jobs.poll import TaskPoller
from photomat.jobs.submit import Submitter
from photomat.kernel.ids import InstanceId
from photomat.messages.sender import MESSAGES_DUE, Notifier
from photomat.payments.invoices import INVOICES_DUE, InvoiceLooker
from photomat.payments.refunder import REFUNDS_DUE, Refunder
from photomat.payments.transfer_notices import RECEIPTS_DUE, ReceiptDesk
from photomat.rewards.book import REWARDS_DUE, RewardBook
from photomat.work.loop import LoopStep

UPDATE_WIDTH: Final = 8
PRE_CHECKOUT_WIDTH: Final = 2
UPLOAD_WIDTH: Final = 8
SUBMIT_WIDTH: Final = 16
LOOK_WIDTH: Final = 8
DELIVERY_WIDTH: Final = 8
RING_WIDTH: Final = 4
SEND_WIDTH: Final = 2
KEEP_WIDTH: Final = 2
WATCH_WIDTH: Final = 3
ALERT_WIDTH: Final = 2
INVOICE_WIDTH: Final = 4
REFUND_WIDTH: Final = 2
REWARD_WIDTH: Final = 2
RECEIPT_WIDTH: Final = 2
NOTICE_WIDTH: Final = 4

DUE: Final[Mapping[str, str]] = {
    "updates": UPDATES_DUE,
    "pre-checkout": PRE_CHECKOUTS_DUE,
    "uploads": jobs_store.UPLOADS_DUE,
    "submits": store.SUBMITS_DUE,
    "looks": store.LOOKS_DUE,
    "deliveries": DELIVERIES_DUE,
    "rings": RINGS_DUE,
    "sends": SENDS_DUE,
    "keeps": KEEPS_DUE,
    "watches": WATCHES_DUE,
    "alerts": NOTICES_DUE,
    "invoices": INVOICES_DUE,
    "refunds": REFUNDS_DUE,
    "rewards": REWARDS_DUE,
    "receipts": RECEIPTS_DUE,
    "notices": MESSAGES_DUE,
}


def update_steps(
    worker: UpdateWorker, pre_checkout_worker: UpdateWorker, *, wake: Callable[[str], None]
) -> list[LoopStep[Any]]:
    """The conversation, and the payments' lane that never waits. A handled update may have bought or canceled."""

    async def handle(claimed: Claimed) -> None:
        await worker.handle(claimed)
        wake("uploads")
        wake("submits")
        wake("deliveries")
        wake("sends")
        wake("receipts")
        wake("notices")
        wake("refunds")

    return [
        LoopStep(name="updates", claim=worker.claim, do=handle, width=UPDATE_WIDTH),
        LoopStep(
            name="pre-checkout",
            claim=pre_checkout_worker.claim,
            do=pre_checkout_worker.handle,
            width=PRE_CHECKOUT_WIDTH,
        ),
    ]


def job_steps(
    pool: Pool,
    *,
    claims: Claims,
    submitter: Submitter,
    looker: TaskPoller,
    coordinator: Coordinator,
    ringer: Ringer,
    resender: Resender,
    archive: ResultArchive,
    instance: InstanceId,
    lease: timedelta,
    delivery_lease: timedelta,
) -> list[LoopStep[Any]]:
    """From the paid draft to the ring; every instance may do every step."""

    async def claim_deliveries(limit: int) -> list[LockedCard]:
        return await try_acquire_delivery_lock(pool, limit=limit, lease=delivery_lease, instance=instance)

    async def claim_due_rings(limit: int) -> list[Ring]:
        return await claim_rings(pool, limit=limit)

    async def claim_due_sends(limit: int) -> list[Resend]:
        return await claim_sends(pool, limit=limit)

    async def claim_keeps(limit: int) -> list[Output]:
        return await claim_unkept(pool, limit=limit, lease=max(lease, KEEP_LEASE))

    return [
        LoopStep(name="uploads", claim=claims.uploads, do=submitter.upload, width=UPLOAD_WIDTH),
        LoopStep(
            name="submits", claim=claims.submits, do=submitter.submit, width=max(SUBMIT_WIDTH, claims.creates.limit)
        ),
        LoopStep(name="looks", claim=claims.looks, do=looker.look, width=max(LOOK_WIDTH, claims.queries.limit)),
        LoopStep(name="deliveries", claim=claim_deliveries, do=coordinator.deliver_result_atomic, width=DELIVERY_WIDTH),
        LoopStep(name="rings", claim=claim_due_rings, do=ringer.ring, width=RING_WIDTH),
        LoopStep(name="sends", claim=claim_due_sends, do=resender.send, width=SEND_WIDTH),
        LoopStep(name="keeps", claim=claim_keeps, do=archive.keep, width=KEEP_WIDTH),
    ]


def alert_steps(watcher: Watcher, teller: Teller) -> list[LoopStep[Any]]:
    """What wakes the operator; every instance takes part, for "nobody is ACTIVE" is one of the things to see."""
    return [
        LoopStep(name="watches", claim=watcher.claim, do=watcher.watch, width=WATCH_WIDTH),
        LoopStep(name="alerts", claim=teller.claim, do=teller.tell, width=ALERT_WIDTH),
    ]


def money_steps(
    *, looker: InvoiceLooker, refunder: Refunder, rewards: RewardBook, desk: ReceiptDesk, notifier: Notifier
) -> list[LoopStep[Any]]:
    """Payments that arrive and go back, and what people are told by themselves; every instance may do every step."""
    return [
        LoopStep(name="invoices", claim=looker.claim, do=looker.look, width=INVOICE_WIDTH),
        LoopStep(name="refunds", claim=refunder.claim, do=refunder.refund, width=REFUND_WIDTH),
        LoopStep(name="rewards", claim=rewards.claim, do=rewards.book, width=REWARD_WIDTH),
        LoopStep(name="receipts", claim=desk.claim, do=desk.work, width=RECEIPT_WIDTH),
        LoopStep(name="notices", claim=notifier.claim, do=notifier.send, width=NOTICE_WIDTH),
    ]

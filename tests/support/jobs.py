"""Users, drafts and jobs in every state, made the way the product makes them; a provider that answers as it is told."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from photomat.catalog.load import load_catalog
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import require_row
from photomat.delivery.lock import mark_delivered, try_acquire_delivery_lock
from photomat.delivery.render import LockedCard
from photomat.jobs import store
from photomat.jobs.claims import Claims, creates_budget, queries_budget
from photomat.jobs.job import Job, NewJob, Times
from photomat.jobs.settle import Outcome, Settled, Success, settle
from photomat.kernel.errors import NotEnough
from photomat.kernel.ids import BotId, ChatId, InstanceId, JobId, MessageId, TaskId, UserId
from photomat.kernel.logs import ensure_correlation_id
from photomat.kie.protocol import FAMILIES, JOBS
from photomat.kie.state_parser import KieState, Reading
from photomat.orders.draft import Buyer, Draft, NewDraft, OwnedDraft, insert_drafts, lock_drafts_to_buy
from photomat.orders.limits import USUAL, Limits
from photomat.orders.outcome import Created, CreateOutcome, DraftGone
from photomat.orders.purchase import WantedJob, create_job_atomic
from photomat.wallet import ledger
from photomat.work.budget import Budget, open_budget
from support.money import agreed, make_user, rub
from support.updates import BOT_ID

BOT = BotId(BOT_ID)
ONE, TWO = InstanceId("one"), InstanceId("two")
PRICE = 64
UNLIMITED = Budget(name="unlimited", limit=1000, window_s=0.001)
LEASE = timedelta(seconds=30)
DELIVERY_LEASE = timedelta(minutes=5)
TIMES = Times(
    lease=LEASE,
    poll_first=timedelta(seconds=2),
    empty_result_grace=timedelta(minutes=2),
    overdue=None,
    timeout=timedelta(days=1),
)
CAT = {"prompt": "кот-космонавт", "aspect_ratio": "1:1"}
URL = "https://files.example/cat.png"
SUCCESS = Reading(KieState.SUCCESS, (URL,), None)
RUNNING = Reading(KieState.RUNNING, (), None)
FAIL = Reading(KieState.FAIL, (), "flagged", "422")
EMPTY = Reading(KieState.SUCCESS, (), None)


async def a_user(pool: Pool, *, user_id: int = 5_000_001, balance: int = 10_000) -> UserId:
    """A user with so much money."""
    async with transaction(pool) as tx:
        return await make_user(tx, user_id, balance=balance)


async def a_draft(
    pool: Pool, user: UserId, *, origin: str | None = None, price: int = PRICE, inputs: Mapping[str, Any] = CAT
) -> Draft:
    """A filled-in form of this user, shown with its price."""
    count = await pool.fetchval("SELECT count(*) FROM drafts")
    new = NewDraft(
        buyer=buyer_of(user),
        origin=origin or f"update:{BOT}:{count + 1}",
        model="z-image",
        inputs=inputs,
        price=rub(price),
    )
    [draft] = await insert_drafts(pool, [new])
    return draft


async def tap_create(pool: Pool, draft: Draft, *, message_id: int | None = None, **changes: Any) -> CreateOutcome:
    """The tap on [Create] under a card of this draft; `changes` replace fields of its `NewJob`, or other arguments."""
    revision, allowed = changes.pop("revision", draft.revision), changes.pop("allowed", USUAL)
    buyer = buyer_of(changes.pop("user_id", draft.user_id))
    new = NewJob(
        draft_id=draft.draft_id,
        corr=ensure_correlation_id(),
        user_id=buyer.user_id,
        language=buyer.language,
        bot_id=buyer.bot_id,
        chat_id=buyer.chat_id,
        card_message_id=MessageId(message_id or 10_000 + draft.draft_id),
        model=draft.model,
        kind="image",
        inputs=draft.inputs,
        quote=agreed(changes.pop("price_now", draft.price)),
    )
    async with transaction(pool) as tx:
        return await create_job(tx, replace(new, **changes), revision=revision, limits=allowed)


async def create_job(tx: Transaction, new: NewJob, *, revision: int, limits: Limits = USUAL) -> CreateOutcome:
    """Buy the draft of this job as it is locked; raises NotEnough where the wallet does not cover the price."""
    owned = OwnedDraft(new.draft_id, new.user_id)
    locked = (await lock_drafts_to_buy(tx, [owned])).get(owned)
    if locked is None:
        return DraftGone()
    as_locked = replace(new, model=locked.draft.model, inputs=locked.draft.inputs)
    model = load_catalog().get(locked.draft.model)
    [outcome] = await create_job_atomic(
        tx, [WantedJob(new=as_locked, model=model, revision=revision, locked=locked, limits=limits)]
    )
    if isinstance(outcome, NotEnough):
        raise outcome
    return outcome


def buyer_of(user: UserId, *, language: str = "ru") -> Buyer:
    return Buyer(user_id=user, language=language, bot_id=BOT, chat_id=ChatId(user))


async def a_job(
    pool: Pool, user: UserId, *, price: int = PRICE, message_id: int | None = None, **changes: Any
) -> JobId:
    """A job bought just now."""
    inputs = changes.pop("inputs", CAT)
    creation = await tap_create(
        pool, await a_draft(pool, user, price=price, inputs=inputs), message_id=message_id, **changes
    )
    assert isinstance(creation, Created), creation
    return creation.job_id


async def a_running_job(pool: Pool, user: UserId, *, task_id: str = "task-1", **changes: Any) -> JobId:
    """A job whose task Kie has accepted; the first look comes after two seconds."""
    job_id = await a_job(pool, user, **changes)
    await is_submitted(pool, job_id, task_id=task_id)
    return job_id


async def is_submitted(pool: Pool, job_id: JobId, *, task_id: str = "task-1") -> None:
    """Kie accepts the task of this job."""
    job = await claim_submit(pool, job_id)
    async with transaction(pool) as tx:
        assert await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of(job.kind)])
        assert (await store.record_tasks(tx, {job_id: TaskId(task_id)}, look_after=TIMES.poll_first)).statuses


async def a_done_job(
    pool: Pool, user: UserId, *, urls: Sequence[str] = (URL,), told: Mapping[str, Any] | None = None, **changes: Any
) -> JobId:
    """A job with its result, charged; its card is due. `told` is what else its success says."""
    count = await pool.fetchval("SELECT count(*) FROM generation_jobs")
    job_id = await a_running_job(pool, user, task_id=f"task-of-{count}", **changes)
    await settle_now(pool, job_id, Success(urls=tuple(urls), **told or {}))
    return job_id


async def settle_now(pool: Pool, job_id: JobId, outcome: Outcome, *, via: str = "poll") -> Settled:
    """Settle in a transaction of its own, without a claim."""
    price = await pool.fetchval("SELECT price FROM generation_jobs WHERE job_id = $1", job_id)
    async with transaction(pool) as tx:
        return await settle(tx, job_id, outcome, price=price, via=via, fence=None)


async def claim_submit(pool: Pool, job_id: JobId, *, instance: InstanceId = ONE) -> Job:
    """Claim this one job for submitting."""
    return _only(await claim_submits(pool, limit=100, lease=LEASE, instance=instance), job_id)


async def claim_look(pool: Pool, job_id: JobId, *, instance: InstanceId = ONE) -> Job:
    """Claim this one job for a look."""
    return _only(await claim_looks(pool, limit=100, lease=LEASE, instance=instance), job_id)


async def claim_submits(pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId) -> list[Job]:
    """Claim jobs for submitting, whatever Kie allows; instances do not wait for each other's budget."""
    creates = replace(UNLIMITED, name=f"submits of {instance}")
    await open_budget(pool, creates)
    claimed = await store.claim_submits(
        pool, limit=limit, lease=lease, instance=instance, creates=creates, given_up_after=TIMES.timeout
    )
    return claimed.jobs


async def claim_looks(pool: Pool, *, limit: int, lease: timedelta, instance: InstanceId) -> list[Job]:
    """Claim jobs for a look, whatever Kie allows."""
    await open_budget(pool, UNLIMITED)
    return (await store.claim_looks(pool, limit=limit, lease=lease, instance=instance, queries=UNLIMITED)).jobs


def claims_of(pool: Pool, *, instance: InstanceId = ONE, creates: int = 20, queries: int = 10) -> Claims:
    """The claims of an instance whose account is allowed so much at Kie."""
    return Claims(
        pool=pool,
        instance=instance,
        lease=LEASE,
        timeout=TIMES.timeout,
        creates=creates_budget(creates),
        queries=queries_budget(queries),
    )


async def lock_cards(pool: Pool, *, instance: InstanceId = ONE, limit: int = 100, **only: Any) -> list[LockedCard]:
    """Take the delivery lock of what is due."""
    return await try_acquire_delivery_lock(pool, limit=limit, lease=DELIVERY_LEASE, instance=instance, **only)


async def lock_card(pool: Pool, job_id: JobId, *, instance: InstanceId = ONE) -> LockedCard:
    """Take the delivery lock of this one job."""
    (card,) = await lock_cards(pool, instance=instance, job_id=job_id)
    return card


async def is_shown(pool: Pool, job_id: JobId) -> None:
    """The customer sees the card of this job as it is now."""
    card = await lock_card(pool, job_id)
    async with transaction(pool) as tx:
        assert await mark_delivered(tx, card, ring_kind=None, repeat_later=False)


async def row_of(pool: Pool, job_id: JobId) -> dict[str, Any]:
    """The whole row of a job."""
    return dict(await require_row(pool, "SELECT * FROM generation_jobs WHERE job_id = $1", job_id))


async def seconds_until(pool: Pool, job_id: JobId, column: str) -> float | None:
    """How far an instant of the row lies ahead, by the database's clock."""
    query = f"SELECT extract(epoch FROM {column} - photomat_now())::float8 FROM generation_jobs WHERE job_id = $1"  # noqa: S608  a column's name from a test
    ahead: float | None = await pool.fetchval(query, job_id)
    return ahead


async def money_of(pool: Pool, user: UserId) -> tuple[int, int]:
    """What is available to a user and what is held."""
    async with transaction(pool) as tx:
        found = await ledger.balance(tx, user_id=user)
    return found.available.minor, found.held.minor


def _only(jobs: list[Job], job_id: JobId) -> Job:
    assert [job.job_id for job in jobs] == [job_id]
    return jobs[0]


@dataclass(slots=True, kw_only=True)
class ToldProvider:
    """The provider port answering as it is told: `creates` and `readings` one after the other, the last for ever."""

    creates: list[TaskId | Exception] = field(default_factory=list)
    readings: list[Reading | Exception | None] = field(default_factory=list)
    created: list[str | None] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    async def create_task(
        self,
        *,
        model: str,
        inputs: Mapping[str, object],
        callback_url: str | None,
        protocol: str = JOBS,
        on_sent: Callable[[], None] | None = None,
    ) -> TaskId:
        assert model
        assert protocol in FAMILIES
        assert inputs
        self.created.append(callback_url)
        if on_sent is not None:
            on_sent()
        answer = self.creates.pop(0) if len(self.creates) > 1 else self.creates[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def record(self, task_id: TaskId, *, protocol: str = JOBS) -> Reading | None:
        assert protocol in FAMILIES
        self.asked.append(task_id)
        reading = self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]
        if isinstance(reading, Exception):
            raise reading
        return reading


@dataclass(slots=True)
class Woken:
    """Remembers which loops were woken."""

    names: list[str] = field(default_factory=list)

    def __call__(self, name: str) -> None:
        self.names.append(name)

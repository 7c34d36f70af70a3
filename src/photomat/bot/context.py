"""One update as its handlers see it: loaded before them, committed after them together with "handled".

Handlers do not write to the tables of the conversation or the user themselves. They change the context, or add a write to it
(`on_commit`); `commit_updates` writes all of it in one transaction, or nothing when another worker took the lane over.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from aiogram.types import Chat
from aiogram.types import User as Sender

from photomat.bot.conversation import (
    FIND_ASKED_CONVERSATION,
    Composing,
    Conversation,
    Transferring,
    write_conversations,
)
from photomat.bot.order_form.form import Form, form_from_data
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row
from photomat.delivery.lock import rearm_user
from photomat.delivery.pages import ResultPages
from photomat.files.sources import FileSources
from photomat.inbox.lanes import finish
from photomat.inbox.update import Claimed
from photomat.jobs.history import FIND_JOB_OF_ASKED_CARD, UsualTimes
from photomat.jobs.job import Times
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId, ChatId, DraftId, MessageId, ReceivedId, UserId
from photomat.kernel.money import Money
from photomat.messages.notices import retry_blocked_notices
from photomat.orders.assortment import FIND_MARK, mark_of
from photomat.orders.draft import Buyer, record_cards
from photomat.orders.service import OrderService
from photomat.payments.service import TopupService
from photomat.privacy.personal_data import PersonalData
from photomat.rewards.payouts import ReferralTerms
from photomat.rewards.welcome import Newcomers, ensure_users
from photomat.telegram.limits import CLOUD, BotApiLimits
from photomat.templates.examples import ReadyExample
from photomat.templates.stored import Templates
from photomat.texts.load import Say, Texts
from photomat.users.user import FIND_ASKED_USER, Registration, User, clear_blocked, starting_language, user_of
from photomat.wallet import ledger
from photomat.wallet.postings import Balance
from photomat.work.controls import Pause
from photomat.work.due_poller import DUE_POLLER

Write: TypeAlias = Callable[[Transaction], Awaitable[object]]
ANY_LOOP: Final = (DUE_POLLER,)
"""What is woken as long as a handler does not say which loops it gave work to: one query finds out."""
FIND_SENDERS: Final = f"""
    SELECT sender.*, conversation.*, mark.*, job.job_id IS NOT NULL AS is_on_job_card
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
                WITH ORDINALITY AS asked (user_id, bot_id, chat_id, tapped, number)
           CROSS JOIN ({FIND_MARK}) AS mark
           LEFT JOIN LATERAL ({FIND_ASKED_USER}) AS sender ON true
           LEFT JOIN LATERAL ({FIND_ASKED_CONVERSATION}) AS conversation ON true
           LEFT JOIN LATERAL ({FIND_JOB_OF_ASKED_CARD}) AS job ON true
     ORDER BY number"""  # noqa: S608  constants of the slices that own the tables
"""What the handlers of several updates start from. The limits keep the planner from joins: each row is found by its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The contact for questions about payments, and the URL of the terms; empty where the operator set neither."""

    contact: str = ""
    terms_url: str | None = None


NO_SUPPORT: Final = Support()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyOptions:
    """What /privacy says and does: the operator's own document, how long things are kept (days, 0: for ever), who gets them."""

    personal: PersonalData
    url: str | None
    kept_days: Mapping[str, int]
    payment_providers: tuple[str, ...] = ()


UTC: Final = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminOptions:
    """What `/admin` needs beside the rest: where the console is, the operators' time zone, the lease of a delivery."""

    public_url: str | None = None
    zone: ZoneInfo = UTC
    delivery_lease: timedelta = timedelta(minutes=5)


NO_CONSOLE: Final = AdminOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class BotConfig:
    """What is the same for every update: the services handlers call, and the operator's settings about them.

    Only `orders` has the assortment as of an update in that update's context.
    """

    pool: Pool
    orders: OrderService
    topups: TopupService
    texts: Texts
    times: Times
    newcomers: Newcomers
    usual_times: UsualTimes
    templates: Templates
    examples: Callable[[], Awaitable[Mapping[str, ReadyExample]]]
    terms: ReferralTerms | None = None
    operators: frozenset[UserId] = frozenset()
    support: Support = NO_SUPPORT
    files: FileSources | None = None
    has_assistant: bool = False
    """Whether a chat model is configured."""
    pages: ResultPages | None = None
    admin: AdminOptions = NO_CONSOLE
    privacy: PrivacyOptions | None = None


@dataclass(slots=True, kw_only=True)
class UpdateContext:
    """Everything a handler needs beside the event itself.

    A new user has no row yet; `language_code` is what their client says. `corr` follows the update, or the job the update
    turns out to concern. `is_on_job_card`: the tapped message shows a bought job. `pause` is one of the whole bot.
    `lacks_consent`: the user must agree before anything is made. With `registers_user` the commit makes or refreshes the user's
    row, unless it `is_registered` as it is. `cards` are the messages that show drafts now. `wakes` are the loops that may have
    got work.
    """

    config: BotConfig
    received_id: ReceivedId
    corr: str
    user: User
    is_new_user: bool
    language_code: str | None
    conversation: Conversation
    say: Say
    is_on_job_card: bool = False
    pause: Pause | None = None
    lacks_consent: bool = False
    is_registered: bool = False
    registers_user: bool = False
    wakes: tuple[str, ...] = ANY_LOOP
    cards: dict[DraftId, MessageId] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)

    @property
    def pool(self) -> Pool:
        return self.config.pool

    @property
    def server(self) -> BotApiLimits:
        """How large files the Bot API server gives out and takes."""
        return CLOUD if self.config.files is None else self.config.files.limits

    @property
    def orders(self) -> OrderService:
        return self.config.orders

    @property
    def topups(self) -> TopupService:
        return self.config.topups

    @property
    def user_id(self) -> UserId:
        return self.user.user_id

    @property
    def language(self) -> str:
        return self.user.language

    @property
    def bot_id(self) -> BotId:
        return self.conversation.bot_id

    @property
    def chat_id(self) -> ChatId:
        return self.conversation.chat_id

    @property
    def origin(self) -> str:
        """Names what this update makes, so that the update handled again finds it."""
        return f"update:{self.bot_id}:{self.received_id}"

    @property
    def buyer(self) -> Buyer:
        return Buyer(user_id=self.user_id, language=self.language, bot_id=self.bot_id, chat_id=self.chat_id)

    @property
    def is_plain(self) -> bool:
        """Whether the commit writes only rows no other one waits for: those of a new user, the conversation, its cards."""
        return not self.writes and (self.is_registered or self.is_new_user or not self.registers_user)

    @property
    def is_operator(self) -> bool:
        return self.user_id in self.config.operators

    def on_commit(self, write: Write) -> None:
        """Run this write in the transaction that marks the update as handled."""
        self.writes.append(write)

    async def ensure_registered(self) -> None:
        """Give a new user their row and wallet before the update is done: something refers to them now; idempotent."""
        if self.is_new_user and not self.is_registered:
            registered = await self.config.newcomers.register(self.registration)
            self.is_registered, self.is_new_user = True, registered.is_new

    async def register_now(self) -> None:
        """The same for a user who is no longer new then: money or an order may be theirs."""
        await self.ensure_registered()
        self.is_new_user = False

    @property
    def registration(self) -> Registration:
        user = self.user
        return Registration(user.user_id, user.first_name, user.username, self.language_code)

    async def balance(self) -> Balance:
        """The user's wallet; a new user's is the one they will have when this update is done."""
        if self.is_new_user:
            welcome = self.config.newcomers.welcome
            nothing = Money(0, welcome.currency)
            return Balance(posted=welcome, held=nothing, owed=nothing)
        async with self.pool.acquire() as session:
            return await ledger.balance(session, user_id=self.user_id)

    @property
    def form(self) -> Form | None:
        return form_from_data(self.conversation.data)

    def save_form(self, form: Form) -> None:
        """Wait for the answer to the form's open question."""
        self.conversation.wait_for(Composing.answering, form.as_data())

    def drop_form(self, *, of_draft: int | None = None) -> None:
        """Leave the form; with `of_draft` only one that changes that draft."""
        form = self.form
        if of_draft is None or (form is not None and form.draft_id == of_draft):
            self.conversation.clear()

    def leave_question(self) -> None:
        """Leave whatever is being asked; only the receipt of a transfer is still waited for."""
        if self.conversation.state != Transferring.sending_receipt.state:
            self.conversation.clear()


class AskedSender(NamedTuple):
    """Whose update it is and where; `tapped` is the message whose button was tapped."""

    user_id: UserId
    bot_id: BotId
    chat_id: ChatId
    tapped: int | None


FindSender: TypeAlias = Callable[[AskedSender], Awaitable[Row]]


async def find_senders(pool: Pool, asked: Sequence[AskedSender]) -> list[Row]:
    """What is known of the senders of updates that are handled together."""
    return await pool.fetch(FIND_SENDERS, *map(list, zip(*asked, strict=True)))


async def load_context(
    config: BotConfig,
    claimed: Claimed,
    find_sender: FindSender,
    *,
    corr: str,
    sender: Sender | None,
    chat: Chat | None,
    tapped: int | None = None,
) -> UpdateContext | None:
    """Read who sent the update and where their conversation stands; None for bots and anonymous senders."""
    if sender is None or sender.is_bot:
        return None
    user_id, chat_id = UserId(sender.id), ChatId(chat.id if chat is not None else sender.id)
    row = await find_sender(AskedSender(user_id, claimed.bot_id, chat_id, tapped))
    known = None if row["user_id"] is None else user_of(row)
    user = _as_sent(known, sender)
    orders = await config.orders.as_of(mark_of(row))
    return UpdateContext(
        config=config if orders is config.orders else replace(config, orders=orders),
        received_id=claimed.received_id,
        corr=corr,
        user=user,
        is_new_user=known is None,
        language_code=sender.language_code,
        conversation=_conversation(row, bot_id=claimed.bot_id, chat_id=chat_id, user_id=user_id),
        say=config.texts.speaker(user.language),
        is_on_job_card=row["is_on_job_card"],
        pause=(await orders.pauses()).bot,
        lacks_consent=await config.orders.lacks_consent(user_id) if config.orders.consent is not None else False,
        is_registered=known == user and not (user.is_blocked or user.was_forgotten),
    )


def _as_sent(known: User | None, sender: Sender) -> User:
    """The user with the names this update brings."""
    if known is not None:
        return replace(known, first_name=sender.first_name, username=sender.username)
    return User(
        user_id=UserId(sender.id),
        first_name=sender.first_name,
        username=sender.username,
        language=starting_language(sender.language_code),
        is_blocked=False,
        ban=None,
    )


def _conversation(row: Row, *, bot_id: BotId, chat_id: ChatId, user_id: UserId) -> Conversation:
    is_stored = row["age"] is not None
    known = {"state": row["state"], "data": row["data"], "age": row["age"], "is_stored": True} if is_stored else {}
    return Conversation(bot_id=bot_id, chat_id=chat_id, user_id=user_id, **known)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandledUpdate:
    """An update after its handlers; without a context there is nothing to write but that it is handled."""

    claimed: Claimed
    ctx: UpdateContext | None


async def commit_updates(pool: Pool, handled: Sequence[HandledUpdate]) -> list[int | None]:
    """Write everything and mark the updates as handled, in one transaction; how many more wait in the lane of each.

    None for one whose fence has moved on: another worker has its lane, and nothing of it is written.
    """
    async with transaction(pool) as tx:
        ours = await finish(tx, [each.claimed for each in handled])
        kept = [each.ctx for each in handled if each.ctx is not None and each.claimed.received_id in ours]
        await _register(tx, [ctx for ctx in kept if ctx.registers_user and not ctx.is_registered])
        for write in (write for ctx in kept for write in ctx.writes):
            await write(tx)
        await write_conversations(tx, [ctx.conversation for ctx in kept if ctx.conversation.is_changed])
        await record_cards(tx, {draft: message for ctx in kept for draft, message in ctx.cards.items()})
        failpoint("update.before_commit")
    return [ours.get(each.claimed.received_id) for each in handled]


async def _register(tx: Transaction, contexts: Sequence[UpdateContext]) -> None:
    if not contexts:
        return
    welcome = contexts[0].config.newcomers.welcome
    for registered in await ensure_users(tx, [ctx.registration for ctx in contexts], welcome=welcome):
        if registered.user.is_blocked:
            await unblock(tx, registered.user.user_id)


async def unblock(tx: Transaction, user_id: UserId) -> None:
    """The user no longer blocks the bot: what could not be delivered meanwhile is due again."""
    await clear_blocked(tx, user_id=user_id)
    await rearm_user(tx, user_id=user_id)
    await retry_blocked_notices(tx, chat_id=ChatId(user_id))

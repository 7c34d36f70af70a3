"""Alerts, triggered one by one: each has its buttons, each button acts once, says what it did, and is in the journal."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from photomat.alerts import rules
from photomat.alerts.buttons import ACTIONS
from photomat.alerts.checker import RuleChecker
from photomat.alerts.incident import AlertAction, IncidentKind, ProbeContext
from photomat.alerts.sender import AlertSender
from photomat.bot.admin.buttons import AlertButton
from photomat.db.installation import insert_stamp
from photomat.db.pool import transaction
from photomat.delivery.lock import park
from photomat.inbox import lanes
from photomat.inbox.receive import receive
from photomat.jobs.callback import KieCallback, update_from_callback
from photomat.jobs.claims import CREATES, stop_on_error
from photomat.jobs.submit import paused_by
from photomat.kernel.errors import Corrupt, Transient
from photomat.kernel.ids import BotId, ChatId, InstanceId, UserId
from photomat.kie.port import Paused
from photomat.payments.fiscal_terms import note_refusal
from photomat.providers.port import FiscalRefused
from photomat.telegram.client import TelegramMessenger
from photomat.texts.load import load_texts
from photomat.work import budget
from photomat.work.disk import MIB, Disk
from support.alerts import ToldAccount, heartbeat_of
from support.database import connection_of, shift_clock
from support.jobs import Woken, a_done_job, a_job, claim_submit, lock_card
from support.operators import OWNER, OperatedShop, operated_shop
from support.updates import BOT_ID, text_update

CONSOLE = "https://shop.example/console"
NO_TIME = timedelta(0)
Trigger = Callable[["Watched"], Awaitable[None]]


class Watched:
    """A shop, one rule without patience, and the operators who are told."""

    def __init__(self, shop: OperatedShop, kind: IncidentKind, stack: AsyncExitStack, database: str) -> None:
        self.shop, self.kind, self.stack, self.database = shop, kind, stack, database
        self.account = ToldAccount()
        (rule,) = (one for one in rules.RULES if one.kind is kind)
        if kind is IncidentKind.OLD_TRANSACTION:
            rule = replace(rule, condition=partial(rules.old_transaction, idle=NO_TIME, any_longer_than=NO_TIME))
        context = ProbeContext(
            pool=shop.pool,
            account=self.account,
            disk=Disk(Path("/")),
            disk_alert_bytes=2**60,
            database_alert_bytes=MIB,
            ticket_alert=timedelta(hours=1),
        )
        self.checker = RuleChecker(context=context, admins=[ChatId(OWNER)], rules=[replace(rule, patience=NO_TIME)])
        self.sender = AlertSender(
            pool=shop.pool,
            messenger=TelegramMessenger(shop.owner.bot),
            texts=load_texts(),
            console_url=CONSOLE,
        )

    @property
    def anna(self) -> UserId:
        return UserId(self.shop.anna.person.user_id)

    async def checks(self, after_s: float = 0) -> None:
        """Let time pass, check the rule if it is due, and send what is due."""
        await shift_clock(self.shop.pool, after_s)
        for check in await self.checker.claim(10):
            await self.checker.check(check)
        for notice in await self.sender.claim(10):
            await self.sender.deliver(notice)
        await self.shop.settles()

    async def opens(self) -> None:
        await self.checks()
        await self.checks(700)


async def _nothing(_watched: Watched) -> None:
    return


async def _two_active(watched: Watched) -> None:
    await shift_clock(watched.shop.pool, 700)
    for name in ("leader", "rival"):
        await heartbeat_of(watched.shop.pool, name, active=True).beat()
    await shift_clock(watched.shop.pool, -700)


async def _audit(watched: Watched) -> None:
    await a_done_job(watched.shop.pool, watched.anna)
    await watched.shop.pool.execute("DELETE FROM job_outputs")


async def _no_proof(watched: Watched) -> None:
    async with transaction(watched.shop.pool) as tx:
        await insert_stamp(tx, bot_id=BotId(BOT_ID), currency="RUB")
        await tx.execute("UPDATE installation SET stamped_at = photomat_now() - interval '30 hours'")


async def _no_ranges(watched: Watched) -> None:
    await watched.shop.pool.execute("SELECT setval('generation_jobs_job_id_seq', 100000000)")


async def _stopped(watched: Watched) -> None:
    job_id = await a_job(watched.shop.pool, watched.anna)
    async with stop_on_error(watched.shop.pool, await claim_submit(watched.shop.pool, job_id), Woken()):
        raise Corrupt("a rule of ours does not hold")


async def _undelivered(watched: Watched) -> None:
    await a_done_job(watched.shop.pool, watched.anna)


async def _parked_card(watched: Watched) -> None:
    job_id = await a_done_job(watched.shop.pool, watched.anna)
    async with transaction(watched.shop.pool) as tx:
        assert await park(tx, await lock_card(watched.shop.pool, job_id), error="refused")


async def _refused_media(watched: Watched) -> None:
    await a_done_job(watched.shop.pool, watched.anna)
    await watched.shop.pool.execute("UPDATE generation_jobs SET media_refused_at = photomat_now()")


async def _unread(watched: Watched) -> None:
    await a_done_job(watched.shop.pool, watched.anna)
    await watched.shop.pool.execute("UPDATE generation_jobs SET unread_fields = '{organUrl}'")


async def _parked_update(watched: Watched) -> None:
    pool, bot_id = watched.shop.pool, BotId(watched.shop.owner.bot.id)
    await receive(pool, bot_id=bot_id, updates=[text_update(1, user_id=watched.anna)])
    [claimed] = await lanes.claim_lanes(pool, bot_id=bot_id, instance=InstanceId("x"), lease_s=30, pre_checkout=False)
    async with transaction(pool) as tx:
        assert await lanes.park(tx, claimed, error="ValueError")


async def _orphans(watched: Watched) -> None:
    async with transaction(watched.shop.pool) as tx:
        tasks = [KieCallback(job_id=None, task_id=task, payload={}, body=task.encode()) for task in "abcde"]
        await update_from_callback(tx, tasks)


async def _bad_key(watched: Watched) -> None:
    watched.account.answer = Paused("no such key", code=401)


async def _no_credits(watched: Watched) -> None:
    watched.account.answer = 12.0


async def _paused(watched: Watched) -> None:
    await budget.block(watched.shop.pool, CREATES, seconds=3600, reason=paused_by(402))


async def _old_transaction(watched: Watched) -> None:
    forgetful = await watched.stack.enter_async_context(connection_of(watched.database))
    await watched.stack.enter_async_context(forgetful.transaction())
    await forgetful.fetchval("SELECT count(*) FROM users")


async def _receipt(watched: Watched) -> None:
    await watched.shop.anna.pays()
    await watched.shop.pool.execute("UPDATE receipts SET created_at = created_at - interval '2 hours'")


async def _ticket(watched: Watched) -> None:
    await watched.shop.anna.says("/support")
    await watched.shop.anna.says("где мой кот?")
    await watched.shop.pool.execute("UPDATE tickets SET waiting_since = waiting_since - interval '2 hours'")


async def _refused_receipt(watched: Watched) -> None:
    refused = FiscalRefused("provider-refused", field="", reason="Receipt is missing or illegal")
    await note_refusal(watched.shop.pool, "yookassa", refused, sends_receipts=False)


TRIGGERS: dict[IncidentKind, Trigger] = {
    IncidentKind.NO_ACTIVE: _nothing,
    IncidentKind.TWO_ACTIVE: _two_active,
    IncidentKind.AUDIT: _audit,
    IncidentKind.PROOF_MISSING: _no_proof,
    IncidentKind.STOPPED_JOBS: _stopped,
    IncidentKind.UNDELIVERED: _undelivered,
    IncidentKind.PARKED_DELIVERIES: _parked_card,
    IncidentKind.REFUSED_MEDIA: _refused_media,
    IncidentKind.UNREAD_RESULTS: _unread,
    IncidentKind.PARKED_UPDATES: _parked_update,
    IncidentKind.ORPHANS: _orphans,
    IncidentKind.KIE_KEY: _bad_key,
    IncidentKind.KIE_CREDITS: _no_credits,
    IncidentKind.KIE_PAUSED: _paused,
    IncidentKind.OLD_TRANSACTION: _old_transaction,
    IncidentKind.DISK: _nothing,
    IncidentKind.DATABASE_SIZE: _nothing,
    IncidentKind.PARTITIONS: _no_ranges,
    IncidentKind.RECEIPTS_WAITING: _receipt,
    IncidentKind.TICKETS_WAITING: _ticket,
    IncidentKind.SHOP_RECEIPTS: _refused_receipt,
}
ANSWERS = {
    AlertAction.REDELIVER: "Показываем снова: 1.",
    AlertAction.RETRY: "Повторяем: 1.",
    AlertAction.RECONCILE: "Нашли свой заказ: 0, ждут: 5.",
    AlertAction.SUBMIT: "Пауза снята",
    AlertAction.UNPARK: "Обрабатываем снова: 1.",
    AlertAction.CHECK: "Проверяем",
    AlertAction.TAKE: "Инцидент 1 за вами.",
}
LOOKS = {
    AlertAction.JOBS: "Заказ 1",
    AlertAction.STATE: "Состояние",
    AlertAction.SESSION: "транзакци",
    AlertAction.RECEIPTS: "решения",
    AlertAction.TICKETS: "Ждут ответа: 1",
}


@pytest.mark.breaks_invariants
@pytest.mark.parametrize("kind", TRIGGERS)
async def test_an_alert_has_its_buttons_and_each_acts_once(database: str, kind: IncidentKind) -> None:
    async with operated_shop(database) as shop, AsyncExitStack() as stack:
        watched = Watched(shop, kind, stack, database)
        await TRIGGERS[kind](watched)
        await watched.opens()
        say = load_texts().speaker("ru")
        actions = (*ACTIONS[kind], AlertAction.TAKE)
        assert _labels(shop) == [say(f"alert-button-{each}") for each in actions] + ["🖥 В консоли"]
        for action in sorted(actions, key=lambda each: each not in LOOKS):
            data = AlertButton(action=action, incident_id=1).pack()
            answer = await shop.owner.forges(data, message_id=_alert_of(shop))
            if action in LOOKS:
                assert LOOKS[action] in shop.owner.newest
                continue
            assert answer.startswith(ANSWERS[action])
            again = await shop.owner.forges(data, message_id=_alert_of(shop))
            assert again in {"Это только что сделали.", "Его уже взял telegram:9101 @peter."}
        done = [each for each in await shop.journal() if each["done"] and each["reference"]]
        assert [each["action"] for each in done] == [f"alert {each}" for each in actions if each in ANSWERS]
        assert {each["reason"] for each in await shop.journal()} == {"alert #1"}
        assert {each["operator"] for each in await shop.journal()} == {"telegram:9101 @peter"}
        assert await shop.pool.fetchval("SELECT acknowledged_by FROM incidents") == "telegram:9101 @peter"


def _labels(shop: OperatedShop) -> list[str]:
    keyboard = shop.telegram.world.messages[_alert_of(shop)].inline_keyboard or []
    return [button["text"] for row in keyboard for button in row]


def _alert_of(shop: OperatedShop) -> int:
    return next(int(one["message_id"]) for one in shop.owner.screen() if str(one["text"]).startswith("🔴"))


async def test_a_check_on_demand_says_that_it_lasts_that_it_is_over_or_that_it_is_unknown(database: str) -> None:
    async with operated_shop(database) as shop, AsyncExitStack() as stack:
        watched = Watched(shop, IncidentKind.KIE_CREDITS, stack, database)
        watched.account.answer = 12.0
        await watched.opens()
        for answer, said in (
            (7.0, "Осталось кредитов: 7"),
            (Transient("no answer"), "Проверить не получилось"),
            (5000.0, "сейчас всё в порядке"),
        ):
            watched.account.answer = answer
            await shift_clock(shop.pool, 30)
            await shop.owner.taps("🔍 Проверить сейчас")
            await watched.checks()
            assert said in shop.owner.newest
        shown = len(shop.owner.screen())
        await watched.checks(10)
        assert len(shop.owner.screen()) == shown, "asked once, answered once"


async def test_updates_handled_again_reach_their_user(database: str) -> None:
    async with operated_shop(database) as shop, AsyncExitStack() as stack:
        watched = Watched(shop, IncidentKind.PARKED_UPDATES, stack, database)
        await _parked_update(watched)
        await watched.opens()
        before = len(shop.anna.screen())
        await shop.owner.taps("🔁 Обработать снова")
        assert len(shop.anna.screen()) == before + 1, "the menu, after all"
        pending = await shop.pool.fetch("SELECT lane FROM lanes WHERE pending <> 0")
        assert pending == []

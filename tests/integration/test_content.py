"""Content rules in the chat and at the purchase: refused before money is held, once per text, with strikes and an appeal."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web

from photomat.catalog.load import load_catalog
from photomat.db.pool import Pool, transaction
from photomat.jobs.settle import Failure, Settled
from photomat.jobs.strikes import ban_after_strike, note_provider_refusal
from photomat.kernel.ids import BotId, ChatId, MessageId, UserId
from photomat.moderation.checker import ContentChecker
from photomat.moderation.refusal import StrikePolicy, appeal, count_strikes, forget_texts
from photomat.moderation.rulebook import RuleBook, StoredRule, stored_rules
from photomat.moderation.rules import RuleAction, RuleSet, shipped_rules
from photomat.operators import content
from photomat.operators.actions import journal_of_user
from photomat.orders.draft import Buyer, Draft
from photomat.orders.outcome import CardOutdated, CheckUnavailable, ContentRefused, Created, PurchaseOutcome
from photomat.orders.service import OrderService
from support.conversation import Chat, conversation
from support.database import pool_of, shift_clock
from support.jobs import CAT, a_job, a_running_job, a_user, claim_look, money_of, row_of
from support.paying import tell_all
from support.shop import content_of, orders_of
from support.telegram_sim import served
from support.updates import BOT_ID

BAD = "порно со школьницей"
MODEL = load_catalog().get("z-image")
THREE = StrikePolicy(
    limit=3, within=timedelta(days=30), ban=timedelta(days=7), ban_reason={"ru": "Отказы", "en": "Refused"}
)
BY: Mapping[str, Any] = {"operator": "test", "reason": "проверено"}


def buyer_of(user_id: UserId) -> Buyer:
    return Buyer(user_id=user_id, language="ru", bot_id=BotId(BOT_ID), chat_id=ChatId(user_id))


async def a_draft(
    orders: OrderService, user: UserId, prompt: str, *, draft: Draft | None = None, at: str = "a"
) -> Draft:
    inputs = {**CAT, "prompt": prompt}
    return await orders.save_draft(
        buyer_of(user), MODEL, inputs, origin=f"test:{at}:{prompt}", draft_id=draft.draft_id if draft else None
    )


async def buys(orders: OrderService, draft: Draft, *, by_voucher: bool = False) -> PurchaseOutcome:
    return await orders.buy(
        buyer_of(draft.user_id),
        draft_id=draft.draft_id,
        revision=draft.revision,
        message_id=MessageId(501),
        corr="c0ffee00",
        by_voucher=by_voucher,
    )


async def strikes_of(pool: Pool, user: UserId) -> int:
    async with transaction(pool) as tx:
        return await count_strikes(tx, user, within=timedelta(days=30))


async def reaches_a_refusal(chat: Chat, text: str = BAD) -> str:
    await chat.says("/start")
    await chat.taps("🖼 Создать картинку")
    await chat.taps("Z-Image")
    await chat.says(text)
    return await chat.taps("1:1")


async def test_a_customer_reads_why_changes_the_text_and_buys_the_same_draft(database: str) -> None:
    async with conversation(database) as chat:
        said = await reaches_a_refusal(chat)
        assert "так заказать нельзя" in said
        assert "запрещены законом" in said
        assert "Деньги не списаны" in said
        assert "предупреждение 1 из 5" in said
        await chat.taps("✏️ Изменить текст")
        await chat.says("кот на крыше")
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 1
        assert await chat.pool.fetchval("SELECT inputs ->> 'prompt' FROM generation_jobs") == "кот на крыше"


async def test_a_draft_that_changed_after_its_card_holds_no_money_whichever_way_it_is_bought(database: str) -> None:
    async with pool_of(database) as pool:
        user, orders = await a_user(pool), orders_of(pool, content=content_of(pool, THREE))
        good = await a_draft(orders, user, "кот на крыше")
        bad = await a_draft(orders, user, BAD, draft=good)
        assert bad.draft_id == good.draft_id
        for by_voucher in (False, False, True):
            outcome = await buys(orders, bad, by_voucher=by_voucher)
            assert by_voucher or isinstance(outcome, ContentRefused)
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        assert await pool.fetchval("SELECT count(*) FROM holds") == 0
        assert await money_of(pool, user) == (10_000, 0)
        assert await strikes_of(pool, user) == 1, "taps do not count, a text does"
        again = await orders.reopen(user, bad.draft_id, origin="looked at")
        assert again is not None
        assert await orders.content_refusal(again) is not None
        assert await strikes_of(pool, user) == 1, "nor does another revision of the same text"


async def test_strikes_ban_for_a_while_and_run_out(database: str) -> None:
    async with pool_of(database) as pool:
        user, orders = await a_user(pool), orders_of(pool, content=content_of(pool, THREE))
        queued = await a_job(pool, user, price=50)
        await shift_clock(pool, 60)
        for number in range(3):
            draft = await a_draft(orders, user, f"{BAD} {number}")
            refused = await buys(orders, draft)
            assert isinstance(refused, ContentRefused)
            assert (refused.strikes, refused.ban is not None) == (number + 1, number == 2)
        assert (await row_of(pool, queued))["status"] == "canceled"
        assert await money_of(pool, user) == (10_000, 0)
        notice = await pool.fetchrow("SELECT facts FROM notices WHERE text_key = 'content-banned'")
        assert notice is not None
        assert (notice["facts"]["strikes"], notice["facts"]["jobs"]) == (3, 1)
        good = await a_draft(orders, user, "кот")
        assert not isinstance(await buys(orders, good), Created)
        await shift_clock(pool, 8 * 86400)
        good = await a_draft(orders, user, "кот", at="later")
        assert isinstance(await buys(orders, good), Created)
        await shift_clock(pool, 30 * 86400)
        assert await strikes_of(pool, user) == 0


async def test_an_appeal_is_sent_once_and_an_accepted_text_may_be_bought(database: str) -> None:
    async with conversation(database, strikes=replace(THREE, limit=1)) as chat:
        user = UserId(chat.person.user_id)
        await reaches_a_refusal(chat)
        message, data = chat.button("🙋 Это ошибка")
        for _ in range(2):
            chat.telegram.taps(chat.person, message, data)
            await chat.handle_all()
        assert "заказы закрыты до" in chat.newest
        assert chat.answers[-2:] == [
            "Отправлено оператору. Ответ придёт сюда, заказ подождёт.",
            "Уже отправлено: оператор ещё не ответил.",
        ], "a banned customer may appeal, once"
        number = await chat.pool.fetchval("SELECT refusal_id FROM content_refusals")
        policy = replace(THREE, limit=1)
        assert (await content.accept_appeal(chat.pool, number, policy=policy, **BY)).done
        assert not (await content.decline_appeal(chat.pool, number, **BY)).done, "it is decided once"
        assert await strikes_of(chat.pool, user) == 0
        assert await chat.pool.fetchval("SELECT banned_at FROM users WHERE user_id = $1", user) is None
        await tell_all(chat)
        assert "разрешил" in chat.newest
        await chat.taps("▶️ Продолжить заказ")
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT inputs ->> 'prompt' FROM generation_jobs") == BAD
        assert [entry.action for entry in await journal_of_user(chat.pool, user)] == ["accept appeal", "decline appeal"]


async def test_an_accepted_text_is_not_promised_by_an_order_that_says_something_else_by_now(database: str) -> None:
    async with conversation(database, strikes=THREE) as chat:
        await reaches_a_refusal(chat)
        await chat.taps("🙋 Это ошибка")
        await chat.says("кот на крыше")
        number = await chat.pool.fetchval("SELECT refusal_id FROM content_refusals")
        await chat.pool.execute("UPDATE content_refusals SET is_strike = false, action = 'refuse'")
        assert (await content.accept_appeal(chat.pool, number, policy=THREE, **BY)).done
        await tell_all(chat)
        assert "пришлите этот текст ещё раз" in chat.newest
        assert "Предупреждение снято" not in chat.newest, "there was none"


async def test_a_declined_appeal_says_why_and_changes_nothing(database: str) -> None:
    async with conversation(database, strikes=THREE) as chat:
        await reaches_a_refusal(chat)
        await chat.taps("🙋 Это ошибка")
        number = await chat.pool.fetchval("SELECT refusal_id FROM content_refusals")
        assert (await content.decline_appeal(chat.pool, number, operator="test", reason="закон <один> для всех")).done
        await tell_all(chat)
        assert "закон &lt;один&gt; для всех" in chat.newest or "закон <один> для всех" in chat.newest
        assert await strikes_of(chat.pool, UserId(chat.person.user_id)) == 1


async def test_rules_of_operators_hold_without_a_restart_and_a_warning_refuses_nobody(database: str) -> None:
    async with pool_of(database) as pool:
        user, gate = await a_user(pool), content_of(pool, THREE)
        orders, shipped = orders_of(pool, content=gate), RuleSet(shipped_rules())
        own: Mapping[str, Any] = {"words": ["конкурент~"], "unless": [], **BY}
        saved = await content.save_rule(
            pool, "rivals", rules=shipped, action=RuleAction.REFUSE, why={"ru": "Не рекламируем"}, **own
        )
        assert saved.done
        await gate.rulebook.refresh()
        draft = await a_draft(orders, user, "реклама конкурентов")
        refused = await buys(orders, draft)
        assert isinstance(refused, ContentRefused)
        assert refused.rule is not None
        assert refused.rule.reason == {"ru": "Не рекламируем"}
        assert await strikes_of(pool, user) == 0
        rules = await gate.rulebook.current()
        switched = await content.switch_rule(
            pool, "rivals", rules=rules, is_on=True, action=RuleAction.WARN, operator="test", reason="мягче"
        )
        assert switched.done
        await gate.rulebook.refresh()
        assert isinstance(await buys(orders, draft), Created)
        assert await pool.fetchval("SELECT action FROM content_refusals") == "warn"
        wrong = await content.save_rule(pool, "x", rules=shipped, action=RuleAction.REFUSE, why={}, **own)
        assert not wrong.done
        assert not (await content.save_rule(
            pool, "minors-sexual", rules=shipped, action=RuleAction.WARN, why={"ru": "нет"}, **own
        )).done, "the words of a shipped rule stay"  # fmt: skip


class Checker:
    """An operator's checker: what it was asked, and what it says."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[str | None] = []
        self.answer: Any = {"allow": True}

    async def check(self, request: web.Request) -> web.Response:
        self.asked.append(await request.json())
        self.headers.append(request.headers.get("Authorization"))
        if self.answer is None:
            return web.Response(status=503, text="<html>busy</html>")
        return web.json_response(self.answer)

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/check", self.check)
        return app


@pytest.mark.parametrize("allows_without", [True, False])
async def test_an_external_checker_decides_about_this_very_revision(database: str, *, allows_without: bool) -> None:
    checker = Checker()
    async with pool_of(database) as pool, served(checker.app()) as url:
        asks = ContentChecker(url=f"{url}/check", token="secret", deadline_s=1, allows_without=allows_without)
        user, orders = await a_user(pool), orders_of(pool, content=content_of(pool, THREE, checker=asks))
        draft = await a_draft(orders, user, "кот")
        checker.answer = {"allow": False, "reason": "нет <котам>", "strike": True}
        refused = await buys(orders, draft)
        assert isinstance(refused, ContentRefused)
        assert (refused.refusal.reason, refused.strikes) == ("нет <котам>", 1)
        assert isinstance(await buys(orders, draft), ContentRefused)
        assert len(checker.asked) == 1, "the verdict is kept for this revision"
        assert checker.headers == ["Bearer secret"]
        assert checker.asked[0]["texts"] == [{"input": "prompt", "text": "кот", "negative": False}]
        assert (checker.asked[0]["user"], checker.asked[0]["model"], checker.asked[0]["kind"]) == (
            user,
            "z-image",
            "image",
        )
        checker.answer = None
        changed = await a_draft(orders, user, "пёс", draft=draft)
        outcome = await buys(orders, changed)
        assert isinstance(outcome, Created if allows_without else CheckUnavailable)
        assert await money_of(pool, user) == (
            (10_000 - changed.price.minor, changed.price.minor) if allows_without else (10_000, 0)
        )


async def test_an_accepted_appeal_allows_what_the_checker_refused_and_nothing_else(database: str) -> None:
    """The checker also reads negative prompts and files: the same wish with others of them is another order."""
    checker, model = Checker(), load_catalog().get("google/imagen4")
    checker.answer = {"allow": False, "reason": "нет"}
    async with pool_of(database) as pool, served(checker.app()) as url:
        asks = ContentChecker(url=f"{url}/check", token=None, deadline_s=1, allows_without=False)
        user, orders = await a_user(pool), orders_of(pool, content=content_of(pool, THREE, checker=asks))

        async def outcome_of(number: int, negative: str) -> PurchaseOutcome:
            inputs = {"prompt": "кот", "aspect_ratio": "1:1", "negative_prompt": negative}
            return await buys(orders, await orders.save_draft(buyer_of(user), model, inputs, origin=f"test:{number}"))

        refused = await outcome_of(1, "дождь")
        assert isinstance(refused, ContentRefused)
        async with transaction(pool) as tx:
            await appeal(tx, refused.refusal.refusal_id, user_id=user)
        assert (await content.accept_appeal(pool, refused.refusal.refusal_id, policy=THREE, **BY)).done
        assert isinstance(await outcome_of(2, "дождь"), Created)
        assert isinstance(await outcome_of(3, "снег"), ContentRefused)


async def test_a_purchase_demands_the_verdict_of_its_own_revision(database: str) -> None:
    """The draft changes between the verdict and the purchase: nothing is held."""
    async with pool_of(database) as pool:
        user, orders = await a_user(pool), orders_of(pool, content=content_of(pool, THREE))
        gate = orders.content
        assert gate is not None
        draft = await a_draft(orders, user, "кот")
        check = replace(gate.check_of(MODEL, await gate.rules()), wants_verdict=True)
        async with transaction(pool) as tx:
            assert isinstance(await check.refusal_to_buy(tx, draft), CardOutdated)
        assert await pool.fetchval("SELECT count(*) FROM holds") == 0


async def test_forgetting_a_user_keeps_the_count_and_no_text(database: str) -> None:
    async with pool_of(database) as pool:
        user, orders = await a_user(pool), orders_of(pool, content=content_of(pool, THREE))
        await buys(orders, await a_draft(orders, user, BAD))
        async with transaction(pool) as tx:
            await forget_texts(tx, user)
        row = await pool.fetchrow("SELECT text, text_hash, reason, answer FROM content_refusals")
        assert row is not None
        assert set(row.values()) == {None}
        assert await strikes_of(pool, user) == 1


@pytest.mark.parametrize("counts", [True, False])
async def test_what_kie_refuses_for_its_content_is_listed_and_counts_by_a_setting(
    database: str, *, counts: bool
) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        policy = replace(THREE, limit=1, counts_provider=counts)
        job_id = await a_running_job(pool, user)
        queued = await a_job(pool, user)
        await shift_clock(pool, 3)
        job = await claim_look(pool, job_id)
        noted = []
        for code in ("kie-500", "kie-400", "kie-400"):
            async with transaction(pool) as tx:
                noted.append(await note_provider_refusal(tx, job, Failure(code=code), Settled.RELEASED, policy))
        assert noted == [False, counts, False], "once a job"
        await ban_after_strike(pool, user, policy)
        assert await pool.fetchval("SELECT source FROM content_refusals") == "provider"
        assert await strikes_of(pool, user) == int(counts)
        assert (await row_of(pool, queued))["status"] == ("canceled" if counts else "pending")


async def test_orders_that_come_together_look_at_the_rules_once(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with pool_of(database) as pool:
        looks = 0

        async def counted(pool: Pool) -> list[StoredRule]:
            nonlocal looks
            looks += 1
            return await stored_rules(pool)

        monkeypatch.setattr("photomat.moderation.rulebook.stored_rules", counted)
        book = RuleBook(pool=pool)
        found = await asyncio.gather(*(book.current() for _ in range(16)))
        assert looks == 1
        assert all(each is found[0] for each in found), "all of them have what was found"

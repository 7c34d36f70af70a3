"""/forget: nothing a user wrote, sent or got is left in any column or file; numbers stay, and nothing is given twice."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from photomat.app.personal_data import ERASURES, TABLES, personal_data
from photomat.assistant.calls import CallKind, Wanted, want
from photomat.db.pool import Pool, Transaction, transaction
from photomat.fiscal.contacts import read_contact, save_contact
from photomat.jobs.settle import Failure
from photomat.kernel.ids import BotId, ChatId, DraftId, JobId, UserId
from photomat.moderation.appeal import appeal_to_operators
from photomat.moderation.refusal import NO_STRIKES, NewRefusal, RefusalSource, record
from photomat.moderation.rules import RuleAction
from photomat.operators.actions import cancel, journal_of_user, redeliver, retry
from photomat.operators.money import credit_user, decline_receipt
from photomat.operators.privacy import forget_user
from photomat.operators.users import ban_user, message_user
from photomat.payments.receipt import ReceiptFile
from photomat.payments.transfers import submit_receipt
from photomat.privacy.forget import (
    LEASE,
    SWEEP_AFTER,
    ForgetWorker,
    PastForget,
    ask_to_forget,
    read_forgotten,
    repeat_forgets,
)
from photomat.reports.users import read_user
from photomat.rewards.promo import CodeRefused
from photomat.storage.places import one_folder
from photomat.telegram.client import TelegramMessenger
from support.callbacks import callback, take
from support.command import photomat
from support.conversation import Chat, conversation
from support.database import pool_of, shift_clock
from support.jobs import a_done_job, a_job, a_running_job, a_user, money_of, row_of, settle_now
from support.media_bytes import image
from support.money import rub
from support.payments import offer
from support.privacy import forget_worker, found_in_database, found_in_files, send_notices
from support.rewards import a_code, uses
from support.sessions import as_pool

PERSONAL = personal_data(places=one_folder(Path("results")))
NAME, USERNAME, CHAT_TITLE = "Zqname", "zqusername", "zqchattitle"
PROMPT, CAPTION, FILE_NAME, RESULT, TASK_WORDS = "zqprompt", "zqcaption", "zqfilename", "zqresult", "zqcallback"
PHONE, MAIL, TICKET, NOTE, VOICE = "+7999zq1234567", "zqmail@zq.example", "zqticket", "zqnote", "zqvoice"
OPERATORS_WORDS, BAN, FAILURE, REFUSED = "zqoperator", "zqban", "zqfailure", "zqrefused"
FISCAL = "zqfiscal@zq.example"
WORDS = (
    NAME,
    USERNAME,
    PROMPT,
    CAPTION,
    FILE_NAME,
    RESULT,
    TASK_WORDS,
    PHONE,
    MAIL,
    TICKET,
    NOTE,
    VOICE,
    OPERATORS_WORDS,
    BAN,
    FAILURE,
    REFUSED,
    FISCAL,
)
OPERATOR = 9001
BY: dict[str, Any] = {"operator": "olga"}


@dataclass(slots=True, kw_only=True)
class Story:
    chat: Chat
    data_dir: Path

    @property
    def pool(self) -> Pool:
        return self.chat.pool

    @property
    def user(self) -> UserId:
        return UserId(self.chat.person.user_id)

    async def scan(self) -> dict[str, set[str]]:
        """Where each word stands, in the database and in files."""
        rows, files = await found_in_database(self.pool, WORDS), found_in_files(self.data_dir, WORDS)
        return {word: rows[word] | files[word] for word in WORDS}

    async def forgets(self) -> None:
        await self.chat.says("/forget")
        await self.chat.taps("🗑 Да, удалить навсегда")
        assert await forget_worker(self.pool, self.data_dir).forget_all() == 1
        await send_notices(self.pool, TelegramMessenger(self.chat.bot))


@asynccontextmanager
async def story(database: str, tmp_path: Path, **options: Any) -> AsyncIterator[Story]:
    results = tmp_path / "results"
    options = {
        "first_name": NAME,
        "username": USERNAME,
        "results": results,
        "operators": frozenset({UserId(OPERATOR)}),
        **options,
    }
    async with conversation(database, **options) as chat:
        yield Story(chat=chat, data_dir=tmp_path)


async def lives(at: Story) -> list[JobId]:
    """Everything a user can leave behind: orders in every state, files, words to support, transfers, voices; gives the jobs."""
    chat, pool, user = at.chat, at.pool, at.user
    await chat.says("/start")
    done = await a_done_job(
        pool,
        user,
        urls=[f"https://files.example/{RESULT}.png"],
        told={"result_object": {"text": RESULT}},
        inputs={"prompt": PROMPT, "aspect_ratio": "1:1"},
    )
    failed = await a_running_job(pool, user, task_id="zq-failed", inputs={"prompt": PROMPT})
    await settle_now(pool, failed, Failure(code="422", reason=f"flagged: {FAILURE}"))
    await chat.says(f"нарисуй {PROMPT} в космосе")
    await chat.sends(image("PNG"), kind="document", name=f"{FILE_NAME}.png", caption=CAPTION)
    task = await pool.fetchval("SELECT external_task_id FROM generation_jobs WHERE job_id = $1", done)
    await take(pool, callback(done, task, param=TASK_WORDS), callback(done, "another-task", param=TASK_WORDS))
    copy = at.data_dir / "results" / str(done) / "0.png"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"png " + RESULT.encode())
    await pool.execute(
        "UPDATE job_outputs SET kept_as = $2, title = $3 WHERE job_id = $1", done, f"{done}/0.png", RESULT
    )
    await _writes(at, done)
    await _pays(at)
    await _operators_act(at)
    return [done, failed]


async def _writes(at: Story, job_id: JobId) -> None:
    chat, pool, user = at.chat, at.pool, at.user
    await chat.says("/support")
    await chat.taps("💬 Другое")
    await chat.says(f"{TICKET}: где мой заказ {job_id}? звоните {PHONE} или {MAIL}")
    await chat.says("/balance")
    call = Wanted(
        kind=CallKind.TRANSCRIBE,
        origin="zq:voice",
        bot_id=BotId(chat.bot.id),
        user_id=user,
        chat_id=ChatId(user),
        language="ru",
        draft_id=None,
        revision=None,
        words=VOICE,
        message_id=None,
        file_id="voice-file",
    )
    async with transaction(pool) as tx:
        await want(tx, call)


async def _pays(at: Story) -> None:
    pool, user = at.pool, at.user
    topup = await offer(pool, asked=rub(50_000), credit=rub(50_000), method="transfer", user_id=user)
    file = ReceiptFile(kind="photo", file_id="zqreceiptfile", unique_id="u1", sha256=None)
    async with transaction(pool) as tx:
        await submit_receipt(
            tx,
            origin="zq:receipt",
            topup=topup,
            bot_id=BotId(at.chat.bot.id),
            file=file,
            note=f"{NOTE} {MAIL}",
            details="",
            operators=[ChatId(OPERATOR)],
        )
    number = await pool.fetchval("SELECT receipt_id FROM receipts")
    assert (await decline_receipt(pool, number, operator="olga", reason=f"это не {NAME}")).done


async def _operators_act(at: Story) -> None:
    pool, user = at.pool, at.user
    await credit_user(pool, user, 500, reference="zq:credit", **BY, reason=f"{OPERATORS_WORDS} for @{USERNAME}")
    await message_user(pool, user, f"{OPERATORS_WORDS}, {NAME}!", reference="zq:message", **BY, reason="asked")
    await _is_refused(at)
    stranger = await a_user(pool, user_id=77, balance=0)
    await credit_user(pool, stranger, 5, reference="zq:other", **BY, reason=f"a friend of @{USERNAME.upper()}")
    await ban_user(pool, user, **BY, reason=f"{BAN} {NAME}")


async def _is_refused(at: Story) -> None:
    """A text that the rules refuse, and the appeal that operators read."""
    draft_id = DraftId(await at.pool.fetchval("SELECT max(draft_id) FROM drafts"))
    new = NewRefusal(
        user_id=at.user,
        chat_id=ChatId(at.user),
        draft_id=draft_id,
        source=RefusalSource.RULES,
        rule_id="test",
        action=RuleAction.STRIKE,
        model="z-image",
        text_hash=b"hash",
        text=REFUSED,
    )
    async with transaction(at.pool) as tx:
        refusal, _ = await record(tx, new)
        await appeal_to_operators(tx, refusal.refusal_id, user_id=at.user, operators=[OPERATOR], policy=NO_STRIKES)
        await save_contact(tx, user_id=at.user, contact=read_contact(FISCAL, email_only=True))


async def test_nothing_the_user_wrote_is_left_anywhere(database: str, tmp_path: Path) -> None:
    async with story(database, tmp_path) as at:
        jobs = await lives(at)
        before = await at.scan()
        assert all(before[word] for word in WORDS), before
        kept = await money_of(at.pool, at.user), [await _numbers(at.pool, job) for job in jobs]
        await at.forgets()
        assert {word: places for word, places in (await at.scan()).items() if places} == {}
        assert (await money_of(at.pool, at.user), [await _numbers(at.pool, job) for job in jobs]) == kept
        assert "Ваши данные удалены" in at.chat.newest
        assert not list((at.data_dir / "results").glob("[0-9]*"))


async def _numbers(pool: Pool, job_id: JobId) -> dict[str, Any]:
    row = await row_of(pool, job_id)
    names = ("model", "price", "status", "created_at", "settled_at", "external_task_id", "fail_code", "user_id")
    return {name: row[name] for name in names}


async def test_every_table_is_in_the_registry_and_every_erasure_is_named(database: str) -> None:
    async with pool_of(database) as pool:
        rows = await pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        tables = {row["tablename"] for row in rows}
        missing = tables - TABLES.keys()
        assert missing == set(), "say in app/personal_data.py whether these are exported and what becomes of them"
        assert TABLES.keys() - tables == set()
        for name, table in TABLES.items():
            assert bool(table.of_user) != bool(table.not_exported), f"{name}: exported, or a reason why not"
            assert bool(table.erased_by) != bool(table.kept), f"{name}: erased, or a reason why it is kept"
            if table.of_user:
                assert await pool.fetch(f"SELECT FROM {name} WHERE {table.of_user}", 1) == []
        assert {table.erased_by for table in TABLES.values() if table.erased_by} - {"names"} <= {
            erasure.name for erasure in ERASURES
        }
        named = await pool.fetch(
            """
            SELECT DISTINCT table_name FROM information_schema.columns
             WHERE table_schema = current_schema() AND column_name IN ('user_id', 'chat_id', 'giver_id', 'friend_id')
            """
        )
        silent = {row["table_name"] for row in named if not TABLES[row["table_name"]].of_user}
        assert silent == set(), "these hold something about a user and are not exported"


async def test_it_is_refused_while_something_is_open_and_says_what_to_do(database: str, tmp_path: Path) -> None:
    async with story(database, tmp_path) as at:
        await at.chat.says("/start")
        job = await a_job(at.pool, at.user)
        page = await at.chat.says("/forget")
        assert "заказ ещё выполняется" in page
        with pytest.raises(AssertionError, match="no button"):
            at.chat.button("🗑 Да, удалить")
        async with transaction(at.pool) as tx:
            assert (await ask_to_forget(tx, PERSONAL, at.user, by="user")).refused == ("forget-blocked-job",)
        assert not (await forget_user(at.pool, PERSONAL, at.user, operator="olga", reason="asked")).done
        await cancel(at.pool, job, operator="olga", reason="asked")
        topup = await offer(at.pool, asked=rub(500), credit=rub(500), method="transfer", user_id=at.user)
        file = ReceiptFile(kind="photo", file_id="f", unique_id="u", sha256=None)
        async with transaction(at.pool) as tx:
            await submit_receipt(
                tx, origin="r", topup=topup, bot_id=BotId(1), file=file, note="", details="", operators=[]
            )
        assert "перевод ждёт проверки" in await at.chat.says("/forget")
        assert await at.pool.fetchval("SELECT count(*) FROM forget_requests") == 0
        assert [entry.done for entry in await journal_of_user(at.pool, at.user) if entry.action == "forget"] == [False]


async def test_coming_back_gives_nothing_twice_and_a_ban_stays(database: str, tmp_path: Path) -> None:
    async with story(database, tmp_path, welcome=1000) as at:
        await at.chat.says("/start")
        async with transaction(at.pool) as tx:
            await a_code(as_pool(tx))
        await uses(at.pool, at.user, "SPRING")
        before = await money_of(at.pool, at.user)
        await a_done_job(at.pool, at.user)
        spent = await money_of(at.pool, at.user)
        page = await at.chat.says("/forget")
        assert rub(spent[0]).written("ru") in page, "the balance is named"
        await at.forgets()
        assert "создать" in (await at.chat.says("/start")).lower() or "Баланс" in at.chat.newest
        assert await money_of(at.pool, at.user) == spent != before
        assert isinstance(await uses(at.pool, at.user, "SPRING", origin="again"), CodeRefused)
        assert "Zq" in await at.pool.fetchval("SELECT first_name FROM users WHERE user_id = $1", at.user), (
            "they are back"
        )
        assert "нет" in (await at.chat.says("/history")).lower()
        await ban_user(at.pool, at.user, operator="olga", reason="сперва")
        await at.forgets()
        await at.chat.says("/start")
        await at.chat.says("нарисуй кота")
        assert await at.pool.fetchval("SELECT banned_at IS NOT NULL FROM users WHERE user_id = $1", at.user)
        assert await at.pool.fetchval("SELECT count(*) FROM drafts WHERE inputs <> '{}'") == 0


async def test_a_worker_that_dies_is_followed_by_one_that_completes(database: str, tmp_path: Path) -> None:
    async with story(database, tmp_path) as at:
        await lives(at)
        await at.chat.says("/forget")
        await at.chat.taps("🗑 Да, удалить навсегда")
        worker = forget_worker(at.pool, at.data_dir)
        for erased in (0, 5, len(ERASURES) - 1):
            await _dies_at(worker, ERASURES[erased].name)
            assert "Ваши данные удаляются" in await at.chat.says("привет")
            assert await at.pool.fetchval("SELECT done_at IS NULL FROM forget_requests")
            await shift_clock(at.pool, LEASE.total_seconds() + 1)
        assert await worker.forget_all() == 1
        await shift_clock(at.pool, SWEEP_AFTER.total_seconds() + 1)
        assert await worker.forget_all() == 1, "once more, for what came late"
        assert {word: places for word, places in (await at.scan()).items() if places} == {}
        assert await at.pool.fetchval("SELECT step FROM forget_requests") == len(ERASURES)
        assert await worker.claim(1) == []


class Died(Exception):
    """Stands for `kill -9`."""


async def _dies_at(worker: ForgetWorker, name: str) -> None:
    async def die(_tx: Transaction, _user_id: UserId, _limit: int) -> int:
        raise Died

    dying = [replace(each, erase=die) if each.name == name else each for each in worker.personal.erasures]
    (request,) = await worker.claim(1)
    with pytest.raises(Died):
        await replace(worker, personal=replace(worker.personal, erasures=dying)).forget(request)


async def test_what_kie_says_later_about_a_forgotten_job_is_not_kept(database: str, tmp_path: Path) -> None:
    async with story(database, tmp_path) as at:
        done, failed = await lives(at)
        await at.forgets()
        await take(
            at.pool, callback(failed, "zq-failed", param=TASK_WORDS), callback(None, "zq-failed", param=TASK_WORDS)
        )
        row = await row_of(at.pool, failed)
        assert (row["due_at"], row["woken_via"], row["status"]) == (None, None, "failed")
        assert not (await redeliver(at.pool, done, operator="olga")).done
        assert not (await retry(at.pool, failed, operator="olga")).done
        assert (await at.scan())[TASK_WORDS] == set()


async def test_the_journal_loses_words_only_and_only_to_a_forgotten_user(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await credit_user(pool, user, 5, reference="x", operator="olga", reason="hello")
        with pytest.raises(asyncpg.RestrictViolationError):
            await pool.execute("UPDATE operator_journal SET reason = 'x'")
        for change in ("operator = 'anna'", "done = false", "user_id = 1", "action = 'debit'"):
            async with transaction(pool) as tx:
                await tx.execute("SELECT set_config('photomat.forgetting', 'on', true)")
                with pytest.raises(asyncpg.RestrictViolationError):
                    async with tx.transaction():
                        await tx.execute(f"UPDATE operator_journal SET {change}")  # noqa: S608  of this test
        assert (await journal_of_user(pool, user))[0].reason == "hello"


async def test_operators_see_that_a_user_was_forgotten_and_when(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user, worker = await a_user(pool), forget_worker(pool, tmp_path)
        assert (await forget_user(pool, worker.personal, user, operator="olga", reason="Анна просила")).done
        await worker.forget_all()
        report = await read_user(pool, user)
        assert report is not None
        assert report.line.forgotten_at is not None
        assert report.forgotten_by == "operator"
        assert [(act.action, act.says.key, act.reason) for act in report.journal] == [
            ("forget", "user-forget-begun", None)
        ]
    said = photomat("users", "show", str(user), folder=tmp_path, DATABASE_URL=database).stdout
    assert f"forgotten {report.line.forgotten_at:%Y-%m-%d %H:%M} UTC, asked by: operator" in said


async def test_after_a_restore_whoever_was_forgotten_is_forgotten_again(database: str, tmp_path: Path) -> None:
    async with story(database, tmp_path) as at:
        await at.chat.says("/start")
        await at.forgets()
        worker = forget_worker(at.pool, at.data_dir)
        past = read_forgotten(worker.record)
        assert [each.user_id for each in past] == [at.user]
        assert worker.record.stat().st_mode & 0o777 == 0o600
        assert await repeat_forgets(at.pool, past) == [], "this database knows"
        await at.pool.execute("DELETE FROM forget_requests")
        await at.pool.execute("UPDATE users SET first_name = 'Zqname', forgotten_at = NULL")
        assert await repeat_forgets(at.pool, past) == [at.user]
        assert await worker.forget_all() == 1
        assert (await at.scan())[NAME] == set()


async def test_a_job_that_a_restore_brought_back_is_forgotten_when_it_ends(database: str, tmp_path: Path) -> None:
    async with story(database, tmp_path) as at:
        await at.chat.says("/start")
        job_id = await a_running_job(at.pool, at.user, inputs={"prompt": PROMPT})
        past = PastForget(user_id=at.user, at=await at.pool.fetchval("SELECT photomat_now()"))
        assert await repeat_forgets(at.pool, [past]) == [at.user]
        worker, later_s = forget_worker(at.pool, at.data_dir), SWEEP_AFTER.total_seconds() + 1
        assert await worker.forget_all() == 1
        await shift_clock(at.pool, later_s)
        assert await worker.forget_all() == 1
        await settle_now(at.pool, job_id, Failure(code="500", reason="no"))
        await shift_clock(at.pool, later_s)
        assert await worker.forget_all() == 1
        assert (await at.scan())[PROMPT] == set()
        await shift_clock(at.pool, later_s)
        assert await worker.forget_all() == 0

"""/forget: nothing a user wrote, sent or got is left in any column or file, numbers stay, and coming back gives nothing twice."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from photomat.assistant.calls import CallKind, Wanted, want
from photomat.db.pool import Pool, transaction
from photomat.jobs.settle import Failure
from photomat.kernel.ids import BotId, ChatId, JobId, UserId
from photomat.operators.money import credit_user, decline_receipt
from photomat.operators.users import ban_user, message_user
from photomat.payments.receipt import ReceiptFile
from photomat.payments.transfers import submit_receipt
from photomat.telegram.client import TelegramMessenger
from support.callbacks import callback, take
from support.conversation import Chat, conversation
from support.jobs import a_done_job, a_running_job, a_user, money_of, row_of, settle_now
from support.media_bytes import image
from support.money import rub
from support.payments import offer
from support.privacy import forget_all, forget_worker, found_in_database, found_in_files, send_notices

NAME, USERNAME, CHAT_TITLE = "Zqname", "zqusername", "zqchattitle"
PROMPT, CAPTION, FILE_NAME, RESULT, TASK_WORDS = "zqprompt", "zqcaption", "zqfilename", "zqresult", "zqcallback"
PHONE, MAIL, TICKET, NOTE, VOICE = "+7999zq1234567", "zqmail@zq.example", "zqticket", "zqnote", "zqvoice"
OPERATORS_WORDS, BAN, FAILURE = "zqoperator", "zqban", "zqfailure"
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
        assert await forget_all(forget_worker(self.pool, self.data_dir)) == 1
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
    stranger = await a_user(pool, user_id=77, balance=0)
    await credit_user(pool, stranger, 5, reference="zq:other", **BY, reason=f"a friend of @{USERNAME.upper()}")
    await ban_user(pool, user, **BY, reason=f"{BAN} {NAME}")


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

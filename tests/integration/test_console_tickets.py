"""The console's tickets: an inbox that is sorted by who waits, a thread, forms that act once, files for operators only."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiogram.types import BufferedInputFile

from photomat.kernel.ids import JobId
from photomat.messages.notices import NoticeFile
from photomat.operators.access import Role
from photomat.telegram.files import BotFiles
from support.console import RunningConsole, Visitor, running_console
from support.jobs import a_user, money_of
from support.telegram_sim import running_telegram
from support.tickets import ANNA, BORIS, a_busy_inbox, asks
from support.transfers import receipt_picture


@asynccontextmanager
async def busy_inbox(console: RunningConsole) -> AsyncIterator[tuple[Visitor, JobId]]:
    """Two customers wait, an operator is signed in."""
    job_id = await a_busy_inbox(console.pool)
    async with console.signed_in(Role.OPERATOR) as operator:
        yield operator, job_id


async def test_the_inbox_lists_who_waits_first_and_exports_safely(database: str) -> None:
    async with running_console(database) as console, busy_inbox(console) as (operator, _):
        page = await operator.get("/console/tickets")
        assert page.text.index("&lt;b&gt;кот&lt;/b&gt; без усов") < page.text.index("=cmd() где деньги")
        await operator.act("/console/tickets/1/answer", on="/console/tickets/1", text="сейчас")
        page = await operator.get("/console/tickets")
        assert page.text.index("=cmd() где деньги") < page.text.index("сейчас"), "who waits comes first"
        assert "сейчас" not in (await operator.get("/console/tickets?only=waiting")).text
        assert "No ticket was closed yet" in (await operator.get("/console/tickets?only=closed")).text
        mine = await operator.get(f"/console/tickets?only=all&user={BORIS}")
        assert ("=cmd()" in mine.text, "сейчас" in mine.text) == (True, False)
        exported = await operator.get("/console/tickets?format=csv")
        assert "'=cmd() где деньги" in exported.text


async def test_an_answer_a_repeat_and_a_refund_from_the_console_happen_once(database: str) -> None:
    async with running_console(database) as console, busy_inbox(console) as (operator, _):
        before = await money_of(console.pool, ANNA)
        for _ in range(2):
            sent = await operator.act("/console/tickets/1/answer", on="/console/tickets/1", text="<i>да</i>\r\nвот")
            assert "was sent" in (sent.flash or "")
        assert "&lt;i&gt;да&lt;/i&gt;\nвот" in sent.text
        for flash in ("was given back", "went back before"):
            sent = await operator.act("/console/tickets/1/refund", on="/console/tickets/1", form_id=flash)
            assert flash in (sent.flash or "")
        after = await money_of(console.pool, ANNA)
        assert after[0] - before[0] == 64
        for flash in ("may repeat", "was given before"):
            sent = await operator.act("/console/tickets/1/repeat", on="/console/tickets/1", form_id=flash)
            assert flash in (sent.flash or "")
        await operator.act("/console/tickets/1/take", on="/console/tickets/1")
        sent = await operator.act("/console/tickets/1/close", on="/console/tickets/1", form_id="c")
        assert "is closed" in (sent.flash or "")
        sent = await operator.act("/console/tickets/1/reopen", on="/console/tickets/1", form_id="o")
        assert "open again" in (sent.flash or "")
        notices = await console.pool.fetch("SELECT key FROM notices WHERE chat_id = $1", ANNA)
        assert sum(row["key"].startswith("ticket:1:answer:") for row in notices) == 1
        acts = await console.pool.fetch("SELECT action, done FROM operator_journal WHERE reference = 'ticket:1'")
        assert ("answer ticket", True) in {tuple(row) for row in acts}


async def test_ids_roles_and_empty_answers_are_refused(database: str) -> None:
    async with running_console(database) as console, busy_inbox(console) as (operator, _):
        for path in ("999", "0", "-1", "1e3", "9" * 30, "x"):
            assert (await operator.get(f"/console/tickets/{path}")).status == 404
        assert (await operator.get("/console/tickets/2/files/1")).status == 404, "a message of another ticket"
        missing = await operator.act("/console/tickets/999/answer", on="/console/tickets/1", text="да")
        assert missing.status == 404
        for text in ("", "   ", "х" * 3501):
            refused = await operator.act(
                "/console/tickets/1/answer", on="/console/tickets/1", text=text, form_id=str(len(text))
            )
            assert "was not sent" in (refused.flash or "")
        async with console.signed_in(Role.VIEWER) as viewer:
            page = await viewer.get("/console/tickets/1")
            assert "без усов" in page.text
            assert "<textarea" not in page.text
            token = await viewer.token("/console/today")
            for verb in ("answer", "take", "refund", "repeat", "show", "close", "reopen"):
                fields = {"csrf": token, "form_id": verb, "reason": "x", "text": "x"}
                assert (await viewer.post(f"/console/tickets/1/{verb}", fields)).status == 403
            assert (await viewer.get("/console/tickets/1/files/1")).status == 403
        assert await console.pool.fetchval("SELECT count(*) FROM ticket_messages") == 2


async def test_files_of_the_thread_are_shown_through_the_session(database: str) -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person("Анна", user_id=ANNA)
        picture = await bot.send_photo(anna.user_id, photo=_file(receipt_picture(), "p.png"))
        page = await bot.send_document(anna.user_id, document=_file(b"<script>alert(1)</script>", "p.html"))
        async with running_console(database, files=BotFiles(bot, within_s=5)) as console:
            await a_user(console.pool, user_id=ANNA)
            photo = NoticeFile(kind="photo", file_id=picture.photo[-1].file_id)  # type: ignore[index]  # just sent
            document = NoticeFile(kind="document", file_id=page.document.file_id)  # type: ignore[union-attr]
            await asks(console.pool, ANNA, "", file=photo)
            await asks(console.pool, ANNA, "", file=document)
            async with console.signed_in(Role.OPERATOR) as operator:
                async with operator.client.get(f"{console.url}/console/tickets/1/files/1") as shown:
                    assert (shown.status, shown.content_type) == (200, "image/jpeg")
                async with operator.client.get(f"{console.url}/console/tickets/1/files/2") as shown:
                    assert shown.content_type == "application/octet-stream"
                    assert shown.headers["Content-Disposition"].startswith("attachment")


def _file(data: bytes, name: str) -> BufferedInputFile:
    return BufferedInputFile(data, name)

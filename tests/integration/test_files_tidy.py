"""Files nobody needs are forgotten after a season, and an order that is made again knows which of its files are gone."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from photomat.bot.order_form.message_answers import accept_attachment
from photomat.catalog.input import FileLimits, Input
from photomat.catalog.reference import FileRef, JobRef, Ref
from photomat.db.pool import transaction
from photomat.files import store
from photomat.files.accept import accept_file
from photomat.files.facts import missing_references
from photomat.files.file import FromOutput, InputFile
from photomat.files.store import UNUSED_FILES
from photomat.jobs.job import KieRequest
from photomat.kernel.ids import BotId, ChatId, JobId, UserId
from photomat.kernel.money import Money
from photomat.kie.protocol import JOBS
from photomat.orders.draft import Buyer, NewDraft, insert_drafts
from support import media_bytes as made
from support.database import shift_clock
from support.files import Sender, a_sender
from support.jobs import a_done_job, a_job, a_user
from support.telegram_media import running_files

IMAGE = Input(name="image", type="file", required=True, files=FileLimits(kind="image"))
FORTNIGHT_S = 14 * 86400.0
KEPT = timedelta(days=90)


async def sent(sender: Sender) -> FileRef:
    answer = await accept_attachment(sender.ctx, await sender.sends(made.image("JPEG"), "photo"), IMAGE)
    assert isinstance(answer, dict)
    return FileRef(answer["file"])


async def drafted(sender: Sender, ref: FileRef) -> None:
    new = NewDraft(
        buyer=Buyer(user_id=sender.user_id, language="ru", bot_id=BotId(sender.bot.id), chat_id=ChatId(sender.user_id)),
        origin=f"draft {ref.file_id}",
        model="z-image",
        inputs={"lines": [{"image": ref.as_json()}]},
        price=Money(100, "RUB"),
    )
    await insert_drafts(sender.pool, [new])


async def ordered(sender: Sender, ref: FileRef) -> JobId:
    request = KieRequest(protocol=JOBS, body={"image_urls": [ref.as_json()]})
    return await a_job(sender.pool, sender.user_id, request=request, inputs={})


async def known(sender: Sender) -> set[FileRef]:
    return {FileRef(row["file_id"]) for row in await sender.pool.fetch("SELECT file_id FROM input_files")}


async def made_before(sender: Sender, job_id: JobId) -> FileRef:
    source = FromOutput(job_id, 0)
    file = await accept_file(sender.desk, user_id=sender.user_id, origin=f"output:{job_id}", source=source, asked=IMAGE)
    assert isinstance(file, InputFile), file
    return file.ref


async def lost(sender: Sender, *refs: Ref, user_id: UserId | None = None) -> set[Ref]:
    inputs: dict[str, Any] = {"lines": [{"of": ref.as_json()} for ref in refs], "prompt": "кот"}
    async with transaction(sender.pool) as tx:
        return await missing_references(tx, user_id or sender.user_id, inputs)


async def test_old_files_are_forgotten_unless_a_draft_or_a_job_needs_them(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        idle, in_draft, in_job, settled = [await sent(sender) for _ in range(4)]
        done = await a_done_job(sender.pool, sender.user_id)
        inputs = {"image": settled.as_json()}
        await sender.pool.execute("UPDATE generation_jobs SET inputs = $2 WHERE job_id = $1", done, inputs)
        await ordered(sender, in_job)
        await UNUSED_FILES.delete(sender.pool, KEPT, 1000)
        assert await known(sender) == {idle, in_draft, in_job, settled}
        await shift_clock(sender.pool, KEPT.total_seconds() + 1)
        await drafted(sender, in_draft)
        young = await sent(sender)
        await UNUSED_FILES.delete(sender.pool, KEPT, 1000)
        assert await known(sender) == {in_draft, in_job, young}
        assert await lost(sender, idle, in_draft, settled, young) == {idle, settled}


async def test_a_draft_that_ran_out_keeps_nothing(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        await drafted(sender, await sent(sender))
        await shift_clock(sender.pool, KEPT.total_seconds() + 1)
        await UNUSED_FILES.delete(sender.pool, KEPT, 1000)
        assert await known(sender) == set()


async def test_what_is_taken_once_more_is_as_good_as_new(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender, running_files() as server:
        job_id = await a_done_job(sender.pool, sender.user_id, urls=[server.add("a", made.image("PNG"), "image/png")])
        ref = await made_before(sender, job_id)
        await shift_clock(sender.pool, KEPT.total_seconds() + 1)
        assert await made_before(sender, job_id) == ref
        await UNUSED_FILES.delete(sender.pool, KEPT, 1000)
        assert await known(sender) == {ref}


async def test_a_result_is_gone_when_neither_we_nor_telegram_nor_kie_have_it(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender, running_files() as server:
        job_id = await a_done_job(sender.pool, sender.user_id, urls=[server.add("a", made.image("PNG"), "image/png")])
        ref = await made_before(sender, job_id)
        assert await lost(sender, ref) == set()
        await shift_clock(sender.pool, FORTNIGHT_S + 1)
        assert await lost(sender, ref) == {ref}
        for column in ("kept_as", "file_id"):
            await sender.pool.execute(f"UPDATE job_outputs SET {column} = 'here'")  # noqa: S608  a name of ours
            assert await lost(sender, ref) == set()
            await sender.pool.execute(f"UPDATE job_outputs SET {column} = NULL")  # noqa: S608  likewise
        await store.remember_upload(sender.pool, ref.file_id, kie_url="https://kie.example/a")
        assert await lost(sender, ref) == set()


async def test_a_result_kie_has_no_more_is_taken_from_telegram(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender, running_files() as server:
        job_id = await a_done_job(sender.pool, sender.user_id, urls=[f"{server.url}/gone.png"])
        message = await sender.sends(made.image("PNG"), "document")
        assert message.document is not None
        await sender.pool.execute("UPDATE job_outputs SET file_id = $1", message.document.file_id)
        assert await made_before(sender, job_id)


async def test_jobs_to_go_on_from_are_ones_own_and_done(database: str, tmp_path: Path) -> None:
    async with a_sender(database, tmp_path) as sender:
        own = await a_done_job(sender.pool, sender.user_id)
        foreign = await a_done_job(sender.pool, await a_user(sender.pool, user_id=77))
        running = await ordered(sender, FileRef(1))
        refs: list[Ref] = [JobRef(own), JobRef(own, 0), JobRef(foreign), JobRef(running), FileRef(999)]
        assert await lost(sender, *refs) == {*refs} - {JobRef(own)}
        await sender.pool.execute("UPDATE job_outputs SET track_id = 'track'")
        assert await lost(sender, *refs) == {*refs} - {JobRef(own), JobRef(own, 0)}

"""Files on their way to Kie: brought once, compared with what was priced; what is lost ends the job, the money goes back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from photomat.bot.order_form.message_answers import accept_attachment
from photomat.catalog.input import FileLimits, Input
from photomat.catalog.model import Catalog
from photomat.files.accept import accept_file
from photomat.files.file import FromLink, InputFile
from photomat.files.uploader import InputUploader
from photomat.jobs import store as jobs_store
from photomat.jobs.inputs import InputResolver
from photomat.jobs.job import KieRequest
from photomat.jobs.submit import SendQueue, Submitter
from photomat.kernel.ids import JobId
from photomat.kie.client import KieUploads
from photomat.kie.protocol import JOBS
from support import media_bytes as made
from support.database import shift_clock
from support.files import Sender, a_sender
from support.jobs import (
    LEASE,
    ONE,
    TIMES,
    Woken,
    a_done_job,
    a_job,
    a_user,
    claim_submit,
    claim_submits,
    money_of,
    row_of,
)
from support.kie_sim import KEY, RunningKie, running_kie
from support.logs import logged
from support.steps import BALANCE, kie_client
from support.telegram_media import running_files

IMAGE = Input(name="image", type="file", required=True, files=FileLimits(kind="image"))
MODEL = "google/nano-banana-edit"
HALF_A_DAY_S = 12 * 3600.0


@dataclass(slots=True, kw_only=True)
class Counter:
    """Where jobs with files are submitted: a customer, a simulated Kie, and what joins them."""

    sender: Sender
    kie: RunningKie

    async def sends_a_photo(self, content: bytes | None = None) -> dict[str, Any]:
        """A photo of the customer's, as a reference."""
        message = await self.sender.sends(content or made.image("JPEG"), "photo")
        answer = await accept_attachment(self.sender.ctx, message, IMAGE)
        assert isinstance(answer, dict)
        return answer

    async def names(self, link: str) -> dict[str, Any]:
        """A file of the customer's at an address, as a reference."""
        file = await accept_file(
            self.sender.desk, user_id=self.sender.user_id, origin=link, source=FromLink(link), asked=IMAGE
        )
        assert isinstance(file, InputFile), file
        return dict(file.ref.as_json())

    async def buys(self, **body: Any) -> JobId:
        """An order with this body."""
        request = KieRequest(protocol=JOBS, body={"prompt": "кот", **body})
        job_id = await a_job(self.sender.pool, self.sender.user_id, request=request, inputs=body)
        await self.sender.pool.execute("UPDATE generation_jobs SET model = $2 WHERE job_id = $1", job_id, MODEL)
        return job_id

    def resolver(self) -> InputResolver:
        """Brings files as they are: it knows the limits of no model."""
        uploads = KieUploads(base_url=self.kie.url, api_key=KEY)
        uploader = InputUploader(sources=self.sender.desk, uploads=uploads)
        return InputResolver(pool=self.sender.pool, uploader=uploader, catalog=Catalog(models={}))

    async def submits(self, job_id: JobId) -> dict[str, Any]:
        """Claim and submit; gives the row afterwards."""
        pool = self.sender.pool
        async with kie_client(self.kie.url) as provider:
            submitter = Submitter(
                pool=pool,
                provider=provider,
                times=TIMES,
                callback_url=lambda _job: None,
                wake=Woken(),
                resolve=self.resolver().resolve,
                stopping=lambda: False,
                send_queue=SendQueue(apart_s=1),
            )
            for job in await jobs_store.claim_uploads(pool, limit=9, lease=LEASE, instance=ONE):
                await submitter.upload(job)
            for job in await claim_submits(pool, limit=9, lease=LEASE, instance=ONE):
                await submitter.submit(job)
        return await row_of(pool, job_id)

    def ordered(self) -> list[dict[str, Any]]:
        """What Kie was sent, oldest first."""
        return [dict(task.order.given) for task in self.kie.world.tasks.values()]

    async def money_is_back(self) -> bool:
        """Nothing charged and nothing held."""
        return await money_of(self.sender.pool, self.sender.user_id) == (BALANCE, 0)


@asynccontextmanager
async def counter(database: str, folder: Path) -> AsyncIterator[Counter]:
    async with a_sender(database, folder, balance=BALANCE) as sender, running_kie() as kie:
        yield Counter(sender=sender, kie=kie)


async def test_files_are_brought_to_kie_and_the_order_names_them_there(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        photos = [made.image("JPEG", width=300 + number) for number in range(2)]
        refs = [await desk.sends_a_photo(photo) for photo in photos]
        with logged() as lines:
            job = await desk.submits(await desk.buys(image_urls=refs))
        assert job["status"] == "running"
        (order,) = desk.ordered()
        assert order["prompt"] == "кот"
        for url, photo in zip(order["image_urls"], photos, strict=True):
            async with desk.kie.client.get(url) as response:
                assert await response.read() == photo
        told = [line for line in lines if line["event"] == "INPUT_UPLOADED"]
        assert len(told) == 2
        assert not [line for line in lines if order["image_urls"][0] in str(line)], "an address is never logged"


async def test_what_kie_has_is_not_brought_again_for_half_a_day(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        ref = await desk.sends_a_photo()
        await desk.submits(await desk.buys(image_urls=[ref, ref]))
        await desk.submits(await desk.buys(image_urls=[ref]))
        assert len(desk.kie.world.uploads) == 1
        await shift_clock(desk.sender.pool, HALF_A_DAY_S + 1)
        await desk.submits(await desk.buys(image_urls=[ref]))
        assert len(desk.kie.world.uploads) == 2


async def test_a_link_whose_content_changed_ends_the_job_and_nothing_is_sent(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk, running_files() as server:
        ref = await desk.names(server.add("a.png", made.image("PNG"), "image/png"))
        job_id = await desk.buys(image_urls=[ref])
        for content in (made.image("PNG", width=99), made.image("PNG") + b"more"):
            server.add("a.png", content, "image/png")
            job = await desk.submits(job_id)
            assert (job["status"], job["fail_code"]) == ("failed", "input-changed")
            assert await desk.money_is_back()
            job_id = await desk.buys(image_urls=[ref])
        assert (desk.ordered(), desk.kie.world.uploads) == ([], {})


async def test_a_link_that_is_gone_ends_the_job(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk, running_files() as server:
        ref = await desk.names(server.add("a.png", made.image("PNG"), "image/png"))
        server.files.clear()
        job = await desk.submits(await desk.buys(image_urls=[ref]))
        assert (job["status"], job["fail_code"]) == ("failed", "input-gone")
        assert await desk.money_is_back()


async def test_what_telegram_does_not_find_is_asked_for_a_few_times(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        ref = await desk.sends_a_photo()
        desk.sender.telegram.world.files.files.clear()
        job_id = await desk.buys(image_urls=[ref])
        states = []
        for _ in range(4):
            states.append((await desk.submits(job_id))["status"])
            await shift_clock(desk.sender.pool, 120)
        assert states == ["pending", "pending", "pending", "failed"]
        assert await desk.money_is_back()


async def test_claims_that_wait_for_kie_do_not_count_as_losses_of_a_file(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        ref = await desk.sends_a_photo()
        job_id = await desk.buys(image_urls=[ref])
        await desk.sender.pool.execute("UPDATE generation_jobs SET attempts = 40 WHERE job_id = $1", job_id)
        files = desk.sender.telegram.world.files.files
        kept = dict(files)
        files.clear()
        assert (await desk.submits(job_id))["status"] == "pending"
        files.update(kept)
        await shift_clock(desk.sender.pool, 120)
        assert (await desk.submits(job_id))["status"] == "running"
        assert await desk.sender.pool.fetchval("SELECT lost_times FROM input_files") == 0


async def test_a_link_that_does_not_answer_is_given_up_after_a_few_tries(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        async with running_files() as server:
            ref = await desk.names(server.add("a.png", made.image("PNG"), "image/png"))
        job_id = await desk.buys(image_urls=[ref])
        states = []
        for _ in range(4):
            states.append((await desk.submits(job_id))["status"])
            await shift_clock(desk.sender.pool, 120)
        assert states == ["pending", "pending", "pending", "failed"]
        assert (await row_of(desk.sender.pool, job_id))["fail_code"] == "input-gone"
        assert await desk.money_is_back()
        assert (await desk.submits(await desk.buys(image_urls=[ref])))["status"] == "pending", "counted anew"


async def test_a_disk_of_ours_that_takes_nothing_is_no_loss_of_a_link(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk, running_files() as server:
        ref = await desk.names(server.add("a.png", made.image("PNG"), "image/png"))
        job_id = await desk.buys(image_urls=[ref])
        tmp = desk.sender.desk.tmp
        tmp.rmdir()
        tmp.write_bytes(b"no folder")
        for _ in range(6):
            assert (await desk.submits(job_id))["status"] == "pending"
            await shift_clock(desk.sender.pool, 120)
        tmp.unlink()
        assert (await desk.submits(job_id))["status"] == "running"


async def test_a_file_of_somebody_else_is_never_brought(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        ref = await desk.sends_a_photo()
        await desk.sender.pool.execute("UPDATE input_files SET user_id = 77")
        job = await desk.submits(await desk.buys(image_urls=[ref]))
        assert (job["status"], job["fail_code"]) == ("failed", "input-gone")
        assert (desk.ordered(), desk.kie.world.uploads) == ([], {})
        assert await desk.money_is_back()


@pytest.mark.parametrize(
    "fault", [{"action": "error", "status": 503}, {"action": "drop_before"}, {"action": "too_many"}]
)
async def test_an_upload_host_in_trouble_makes_the_job_wait_and_not_fail(
    database: str, tmp_path: Path, fault: dict[str, Any]
) -> None:
    async with counter(database, tmp_path) as desk:
        job_id = await desk.buys(image_urls=[await desk.sends_a_photo()])
        desk.kie.faults.arm(world="kie", method="upload", **fault)
        assert (await desk.submits(job_id))["status"] == "pending"
        assert desk.ordered() == []
        await shift_clock(desk.sender.pool, 120)
        assert (await desk.submits(job_id))["status"] == "running"
        assert len(desk.ordered()) == 1


async def test_a_refused_key_pauses_and_a_refused_file_ends_the_job(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        job_id = await desk.buys(image_urls=[await desk.sends_a_photo()])
        desk.kie.faults.arm(world="kie", method="upload", action="error", status=200, code=401)
        assert (await desk.submits(job_id))["status"] == "pending"
        assert await desk.sender.pool.fetchval("SELECT reason FROM budgets WHERE name = 'kie:creates'") == "kie-401"
        await shift_clock(desk.sender.pool, 120)
        desk.kie.faults.arm(world="kie", method="upload", action="error", status=200, code=422)
        job = await desk.submits(job_id)
        assert (job["status"], job["fail_code"]) == ("failed", "input-refused")
        assert await desk.money_is_back()


async def test_a_job_goes_on_from_an_own_earlier_one_by_its_task_and_track(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        pool, user = desk.sender.pool, desk.sender.user_id
        earlier = await a_done_job(pool, user)
        await pool.execute("UPDATE job_outputs SET track_id = 'track-1'")
        task_id = (await row_of(pool, earlier))["external_task_id"]
        refs = {"task": {"job": earlier}, "track": {"job": earlier, "output": 0}}
        job = await claim_submit(pool, await desk.buys(lines=[refs]))
        resolved = await desk.resolver().resolve(job)
        assert resolved == {"prompt": "кот", "lines": [{"task": task_id, "track": "track-1"}]}


async def test_nobody_goes_on_from_what_is_not_theirs_or_not_done(database: str, tmp_path: Path) -> None:
    async with counter(database, tmp_path) as desk:
        pool = desk.sender.pool
        foreign = await a_done_job(pool, await a_user(pool, user_id=77))
        unfinished = await desk.buys(image_urls=["https://files.example/a.png"])
        await pool.execute(
            "UPDATE generation_jobs SET due_at = photomat_now() + interval '1 day' WHERE job_id = $1", unfinished
        )
        own = await a_done_job(pool, desk.sender.user_id)
        for ref in ({"job": foreign}, {"job": foreign, "output": 0}, {"job": unfinished}, {"job": own, "output": 0}):
            job = await desk.submits(await desk.buys(task_id=ref))
            assert (job["status"], job["fail_code"]) == ("failed", "input-gone"), ref
        assert desk.ordered() == []

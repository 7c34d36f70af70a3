"""Several results are pages of one card; progress gives way to results."""

from pathlib import Path

from photomat.db.pool import transaction
from photomat.delivery.lock import turn_page
from photomat.kernel.ids import MessageId, UserId
from support.delivery import delivery_desk
from support.jobs import a_running_job, row_of
from support.logs import logged
from support.telegram_media import picture


async def test_several_results_are_pages_of_one_card(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        pages = [picture(color) for color in ("red", "green", "blue")]
        urls = [desk.files.add(f"{n}.png", data, "image/png") for n, data in enumerate(pages)]
        job_id = await desk.done_job(*urls)
        await desk.deliver()
        (message,) = desk.seen()
        carried = dict(desk.buttons(message))
        assert (carried["◀"], carried["1/3"], carried["▶"]) == (
            f"j:{job_id}:page:2",
            f"j:{job_id}:noop",
            f"j:{job_id}:page:1",
        )
        shown = [desk.telegram.world.messages[message["message_id"]].media]
        for page in (1, 2, 0):
            async with transaction(desk.pool) as tx:
                assert await turn_page(
                    tx, job_id=job_id, user_id=desk.user, message_id=MessageId(message["message_id"]), page=page
                )
            assert await desk.deliver() == 1
            assert desk.kinds() == ["photo"]
            assert f"{page + 1}/3" in dict(desk.buttons(desk.seen()[0]))
            shown.append(desk.telegram.world.messages[message["message_id"]].media)
        assert len({media.source_sha256 for media in shown if media}) == 3
        assert shown[0] == shown[3]
        assert len(desk.files.asked) == 6, "each page once by us and once by Telegram, the way back by its file"
        assert await desk.pool.fetchval("SELECT count(*) FROM job_outputs WHERE kept_as IS NOT NULL") == 3


async def test_a_page_is_turned_by_its_owner_on_its_card_once_it_is_delivered(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        urls = [desk.files.add(f"{n}.png", picture(), "image/png") for n in range(2)]
        job_id = await desk.done_job(*urls)
        card = MessageId(desk.seen()[0]["message_id"])

        async def turn(page: int, *, user: UserId = desk.user, message_id: MessageId = card) -> bool:
            async with transaction(desk.pool) as tx:
                return await turn_page(tx, job_id=job_id, user_id=user, message_id=message_id, page=page)

        assert not await turn(1), "not delivered yet"
        await desk.deliver()
        assert not await turn(2)
        assert not await turn(-1)
        assert not await turn(1, user=UserId(desk.user + 1))
        assert not await turn(1, message_id=MessageId(card + 1))
        assert await turn(1)


async def test_a_turned_page_neither_rings_nor_counts_as_a_new_delivery(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        urls = [desk.files.add(f"{n}.png", picture(), "image/png") for n in range(2)]
        job_id = await desk.done_job(*urls)
        await desk.deliver()
        await desk.pool.execute("UPDATE generation_jobs SET ring_due_at = NULL")
        before = await row_of(desk.pool, job_id)
        async with transaction(desk.pool) as tx:
            card = MessageId(before["card_message_id"])
            assert await turn_page(tx, job_id=job_id, user_id=desk.user, message_id=card, page=1)
        with logged() as lines:
            await desk.deliver()
        after = await row_of(desk.pool, job_id)
        assert (after["delivered_at"], after["ring_due_at"]) == (before["delivered_at"], None)
        assert "MARK_DELIVERED" not in {line["event"] for line in lines}


async def test_progress_gives_way_when_the_chat_has_little_budget_left(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        running = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
        result = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.spend_chat_budget(15)
        await desk.deliver()
        assert await desk.delivered(result)
        assert (await row_of(desk.pool, running))["card_shown"] == 0
        assert desk.kinds() == ["text", "photo"]

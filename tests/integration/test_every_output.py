"""Everything a finished task handed over reaches its customer: many tracks, files beside files, answers nobody can read."""

import json
from pathlib import Path
from typing import Any

import pytest

from photomat.alerts.incident import IncidentKind
from photomat.db.pool import transaction
from photomat.delivery.lock import turn_page
from photomat.jobs.settle import Success
from photomat.kernel.ids import MessageId
from photomat.kie.state_parser import Reading, parse_kie_state
from photomat.kie.unread_fields import MAX_OUTPUTS
from support.alerts import ANNA, tower_on
from support.delivery import Desk, delivery_desk
from support.jobs import a_running_job, row_of, settle_now
from support.telegram_media import picture

STEMS = ("vocal", "drums", "bass", "guitar", "piano", "keyboard", "strings", "synth", "fx", "brass", "organ")

ORDER = json.dumps({"callBackUrl": "https://bot.example/kie/callback/5.TOKEN"})


def answer(result: dict[str, Any]) -> Reading:
    return parse_kie_state({"code": 200, "data": {"taskId": "t", "state": "success", "resultJson": json.dumps(result)}})


async def settled(desk: Desk, reading: Reading) -> Any:
    job_id = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
    success = Success(
        urls=reading.urls,
        result_object=reading.result_object,
        details=reading.details,
        object_as_file=reading.object_as_file,
        unread=reading.unread,
    )
    await settle_now(desk.pool, job_id, success)
    await desk.deliver()
    return job_id


async def turned_to(desk: Desk, job_id: Any, page: int) -> dict[str, Any]:
    row = await row_of(desk.pool, job_id)
    message_id = MessageId(row["card_message_id"])
    async with transaction(desk.pool) as tx:
        assert await turn_page(tx, job_id=job_id, user_id=desk.user, message_id=message_id, page=page)
    await desk.deliver()
    return desk.seen()[-1]


async def test_a_song_in_many_parts_is_a_carousel_with_a_page_for_each(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        urls = [desk.files.add(f"{n}.png", picture(), "image/png") for n in range(24)]
        parts = [{"id": f"p{n}", "audio_url": url, "stem_type_group_name": f"Part {n}"} for n, url in enumerate(urls)]
        job_id = await settled(desk, answer({"resultObject": {"originData": parts}}))
        assert "1/24" in [text for text, _ in desk.buttons(desk.seen()[-1])]
        last = await turned_to(desk, job_id, 23)
        assert "24/24" in [text for text, _ in desk.buttons(last)]
        assert "Part 23" in last["caption"]
        assert await desk.pool.fetchval("SELECT count(*) FROM job_outputs WHERE track_id = 'p23'") == 1
        assert (await row_of(desk.pool, job_id))["unread_fields"] is None


async def test_an_unknown_part_is_shown_and_the_operator_is_told_its_field(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        tower = tower_on(desk.pool, IncidentKind.UNREAD_RESULTS)
        await tower.turns()
        stems = {f"{stem}_url": desk.files.add(f"{stem}.png", picture(), "image/png") for stem in STEMS}
        job_id = await settled(desk, answer({"resultObject": stems}))
        assert f"1/{len(STEMS)}" in [text for text, _ in desk.buttons(desk.seen()[-1])]
        assert (await row_of(desk.pool, job_id))["unread_fields"] == ["resultJson.resultObject.organ_url"]
        await tower.goes_round(20)
        await tower.tells()
        ((_, text),) = tower.messenger.sent
        assert tower.told(ANNA) == ["🔴 <b>Kie отвечает незнакомым образом</b>"]
        assert "resultJson.resultObject.organ_url" in text
        await tower.goes_round(86400 + 60)
        await tower.goes_round(120)
        assert [row["closed_at"] is not None for row in await tower.incidents()] == [True]


@pytest.mark.parametrize(
    ("result", "is_known"),
    [
        ({"planets": [{"name": "Марс", "param": ORDER}], "raw": ORDER}, False),
        ({"resultUrls": 1, "resultObject": {"timestamps": ["Марс"]}}, True),
    ],
    ids=["a structure nobody knows", "an object beside a file"],
)
async def test_what_cannot_be_a_file_of_kies_comes_as_a_file_of_json(
    database: str, tmp_path: Path, *, result: dict[str, Any], is_known: bool
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        if "resultUrls" in result:
            result = {**result, "resultUrls": [desk.files.add("cat.png", picture(), "image/png")]}
        job_id = await settled(desk, answer(result))
        row = await row_of(desk.pool, job_id)
        assert row["delivered_at"] is not None
        assert (row["unread_fields"] is None) is is_known
        message = await turned_to(desk, job_id, 1) if is_known else desk.seen()[-1]
        assert desk.kinds() == ["document"]
        shown = desk.shown_bytes(message).decode()
        assert "Марс" in shown
        assert "TOKEN" not in shown
        assert "TOKEN" not in str(dict(row))
        assert "Полный ответ модели" in message["caption"]
        assert all("photomat:" not in url for url in row["result_urls"])


async def test_more_urls_than_pages_are_all_in_the_file(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        cat = desk.files.add("cat.png", picture(), "image/png")
        every = [f"{cat}?n={n}" for n in range(3 * MAX_OUTPUTS)]
        job_id = await settled(desk, answer({"resultUrls": every}))
        message = await turned_to(desk, job_id, MAX_OUTPUTS)
        assert json.loads(desk.shown_bytes(message)) == {"resultUrls": every}
        assert (await row_of(desk.pool, job_id))["unread_fields"] == ["too-many-outputs"]

"""What stands beside a result may be junk: what was paid for is stored, shown and marked all the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from photomat.kie.state_parser import parse_kie_state
from photomat.media.measure import Measured
from support.delivery import Desk, delivery_desk
from support.media_bytes import mp3
from support.telegram_media import picture

WORDS = [{"text": "Привет.", "start": 10**400}, {"text": "Да.", "start": float("nan"), "speaker_id": "b"}]
ODD_TRACK = {"title": "\x00\ud800" + "<b>😀" * 900, "duration": "1e-9999", "id": "ы", "image_url": "https://[::1"}


async def settled(desk: Desk, data: dict[str, Any]) -> None:
    """A job that ends with what Kie says here, as it comes over the wire, and its card brought up to date."""
    reading = parse_kie_state(json.loads(json.dumps({"code": 200, "data": {"state": "success", **data}})))
    told = {"result_object": reading.result_object, "details": reading.details}
    await desk.done_job(*reading.urls, told=told)
    await desk.deliver()


async def assert_shown(desk: Desk) -> dict[str, Any]:
    assert await desk.pool.fetchval("SELECT delivered_at FROM generation_jobs") is not None
    (message,) = desk.seen()
    return message


async def test_a_text_with_numbers_nobody_can_mean_is_read(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await settled(desk, {"resultJson": {"resultObject": {"words": WORDS, "score": float("inf")}}})
        assert "Привет." in (await assert_shown(desk))["text"]


async def test_a_long_text_of_pictures_fits_its_card(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await settled(desk, {"resultJson": {"resultObject": {"text": "😀" * 5000}}})
        text = (await assert_shown(desk))["text"]
        assert text.count("😀") > 1000
        assert "весь текст" in text


async def test_a_track_with_an_odd_title_length_and_cover_is_heard(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        url = desk.files.add("song.mp3", mp3(), "audio/mpeg")
        await settled(desk, {"response": {"seed": {"a": []}, "sunoData": [{**ODD_TRACK, "audioUrl": url}]}})
        message = await assert_shown(desk)
        assert message["kind"] == "audio"
        assert message["media"]["title"].startswith("?<b>😀")


@pytest.mark.parametrize("trouble", [TypeError, RecursionError, MemoryError, AttributeError])
async def test_a_result_nobody_can_measure_is_shown(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: type[Exception]
) -> None:
    def fails(_: Path) -> Measured:
        raise trouble

    monkeypatch.setattr("photomat.delivery.archive.measure", fails)
    async with delivery_desk(database, tmp_path) as desk:
        await settled(desk, {"resultJson": {"resultUrls": [desk.files.add("a.png", picture(), "image/png")]}})
        assert (await assert_shown(desk))["kind"] == "photo"
        assert await desk.pool.fetchval("SELECT kept_as FROM job_outputs") == "1/0.png"

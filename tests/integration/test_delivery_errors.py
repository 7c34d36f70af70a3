"""Every error the Bot API has for a card, and what becomes of the card: one row for each row of Telegram's list."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from photomat.jobs.settle import Failure
from support.database import shift_clock
from support.delivery import Desk, delivery_desk
from support.jobs import a_running_job, row_of, seconds_until, settle_now
from support.telegram_media import picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """What becomes of a card whose edits were refused; `waits` is when the next try comes, at least and at most."""

    screen: tuple[str, ...]
    delivered: bool = True
    undeliverable: bool = False
    doubtful: bool = False
    attempts: int = 0
    waits: tuple[float, float] | None = None


SHOWN_ALREADY = Then(screen=("text",))
UPLOADED = Then(screen=("photo",))
DOCUMENT = Then(screen=("document",))
LINK = Then(screen=("text",))
NEW_SLOT = Then(screen=("text", "photo"))
NOBODY_THERE = Then(screen=("text",), delivered=False, undeliverable=True, attempts=1)
SOON = Then(screen=("text",), delivered=False, waits=(4, 7))
IN_A_MINUTE = Then(screen=("text",), delivered=False, waits=(55, 61))
COUNTED = Then(screen=("text",), delivered=False, attempts=1, waits=(0.5, 1.3))
UNKNOWN = Then(screen=("text",), delivered=False, doubtful=True, attempts=1, waits=(0.5, 1.3))

TABLE: list[tuple[int, str, int, Then]] = [
    (400, "message is not modified: specified new message content and reply markup are …", 1, SHOWN_ALREADY),
    (400, "message to edit not found", 1, NEW_SLOT),
    (400, "MESSAGE_ID_INVALID", 1, NEW_SLOT),
    (400, "message not found", 1, NEW_SLOT),
    (400, "message can't be edited", 1, NEW_SLOT),
    (400, "message media can't be edited", 1, NEW_SLOT),
    (400, "canceled by new edit message request", 1, UPLOADED),
    (400, "canceled by new editMessageMedia request", 2, COUNTED),
    (400, "failed to get HTTP URL content", 1, UPLOADED),
    (400, "WEBPAGE_CURL_FAILED", 1, UPLOADED),
    (400, "wrong type of the web page content", 1, UPLOADED),
    (400, "WEBPAGE_MEDIA_EMPTY", 1, UPLOADED),
    (400, "wrong HTTP URL specified", 1, UPLOADED),
    (400, "invalid file HTTP URL specified: Unsupported URL protocol", 1, UPLOADED),
    (400, "wrong file identifier/HTTP URL specified", 1, UPLOADED),
    (400, "MEDIA_EMPTY", 1, UPLOADED),
    (400, "wrong remote file identifier specified: can't unserialize it", 1, UPLOADED),
    (400, "can't use file of type Photo as Document", 1, UPLOADED),
    (400, "can't upload file by URL", 1, UPLOADED),
    (400, "file must be non-empty", 1, UPLOADED),
    (400, "PHOTO_INVALID_DIMENSIONS", 2, DOCUMENT),
    (400, "IMAGE_PROCESS_FAILED", 2, DOCUMENT),
    (400, "PHOTO_EXT_INVALID", 2, DOCUMENT),
    (400, "Photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png", 2, DOCUMENT),
    (400, "file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes", 2, DOCUMENT),
    (400, "PHOTO_SAVE_FILE_INVALID", 1, SOON),
    (413, "Request Entity Too Large", 3, LINK),
    (400, "message is too long", 1, UPLOADED),
    (400, "message caption is too long", 1, UPLOADED),
    (400, "MEDIA_CAPTION_TOO_LONG", 1, UPLOADED),
    (400, "message text is empty", 1, UPLOADED),
    (400, "can't parse entities: unclosed start tag", 1, UPLOADED),
    (400, "BUTTON_DATA_INVALID", 1, COUNTED),
    (400, "reply markup is too long", 1, COUNTED),
    (400, "there is no photo in the request", 1, COUNTED),
    (400, "chat not found", 1, NOBODY_THERE),
    (400, "private chat not found", 1, NOBODY_THERE),
    (400, "PEER_ID_INVALID", 1, NOBODY_THERE),
    (400, "USER_IS_BLOCKED", 1, NOBODY_THERE),
    (400, "not enough rights to send photos to the chat", 1, NOBODY_THERE),
    (403, "bot was blocked by the user", 1, NOBODY_THERE),
    (403, "user is deactivated", 1, NOBODY_THERE),
    (403, "bot can't initiate conversation with a user", 1, NOBODY_THERE),
    (403, "the bot can't send messages to the bot", 1, NOBODY_THERE),
    (403, "bot was kicked from the supergroup chat", 1, NOBODY_THERE),
    (403, "bot is not a member of the supergroup chat", 1, NOBODY_THERE),
    (403, "the group chat was deleted", 1, NOBODY_THERE),
    (401, "Unauthorized", 1, IN_A_MINUTE),
    (401, "Unauthorized: invalid token specified", 1, IN_A_MINUTE),
    (404, "Not Found", 1, IN_A_MINUTE),
    (421, "Misdirected Request: unallowed token specified", 1, IN_A_MINUTE),
    (409, "Conflict: terminated by other getUpdates request", 1, COUNTED),
    (500, "Internal Server Error: restart", 1, UNKNOWN),
    (500, "Internal Server Error: DC2 is on fire", 1, UNKNOWN),
]


async def what_became(desk: Desk, job_id: Any) -> tuple[Then, float]:
    """The card after one try, and how long until the next."""
    row = await row_of(desk.pool, job_id)
    assert (row["delivering_at"], row["delivering_by"], row["parked_at"]) == (None, None, None), (
        "the lock is given back"
    )
    then = Then(
        screen=tuple(desk.kinds()),
        delivered=row["delivered_at"] is not None,
        undeliverable=row["undeliverable_at"] is not None,
        doubtful=row["card_doubtful"],
        attempts=row["delivery_attempts"],
    )
    return then, await seconds_until(desk.pool, job_id, "deliver_at") or 0


@pytest.mark.parametrize(
    ("code", "words", "times", "expected"), TABLE, ids=[f"{row[0]} {row[1][:50]}" for row in TABLE]
)
async def test_each_error_does_what_it_should(  # noqa: PLR0917  a row of the table
    database: str, tmp_path: Path, code: int, words: str, times: int, expected: Then
) -> None:
    prefix = {400: "Bad Request: ", 403: "Forbidden: "}.get(code, "")
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", prefix + words, times=times, code=code)
        assert await desk.deliver() == 1
        then, waits = await what_became(desk, job_id)
        assert then == Then(
            screen=expected.screen,
            delivered=expected.delivered,
            undeliverable=expected.undeliverable,
            doubtful=expected.doubtful,
            attempts=expected.attempts,
        )
        if expected.waits is not None:
            least, most = expected.waits
            assert least <= waits <= most


async def test_a_gateways_page_leaves_the_outcome_unknown(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.telegram.faults.arm(
            world="telegram", method="editMessageMedia", action="error", status=504, text="Gateway Timeout", html=True
        )
        await desk.deliver()
        then, _ = await what_became(desk, job_id)
        assert then == Then(screen=("text",), delivered=False, doubtful=True, attempts=1)


async def test_no_text_to_edit_means_the_media_is_there_and_is_probed_by_its_buttons(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
        await settle_now(desk.pool, job_id, Failure(code="kie-500"))
        desk.refuse("editMessageText", "Bad Request: there is no text in the message to edit")
        await desk.deliver()
        row = await row_of(desk.pool, job_id)
        assert (row["card_shown"], row["delivering_at"]) == (row["card_wanted"], None)
        assert len(desk.calls("editMessageReplyMarkup")) == 1


async def test_a_text_telegram_cannot_read_is_shown_plain(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await desk.done_job(desk.files.add("cat.png", picture(), "image/png"), inputs={"prompt": "кот & пёс <b>"})
        desk.refuse("editMessageMedia", "Bad Request: can't parse entities: unclosed start tag")
        await desk.deliver()
        (message,) = desk.seen()
        assert (message["entities"], "кот & пёс <b>" in message["caption"]) == ([], True)


async def test_the_longest_order_still_fits_a_caption_with_a_reason(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        long = {"prompt": "о" * 5000, "negative_prompt": "н" * 5000, "seed": "7"}
        await desk.done_job(desk.files.add("cat.png", picture(width=9000, height=1200), "image/png"), inputs=long)
        await desk.deliver()
        (message,) = desk.seen()
        assert (message["kind"], len(message["caption"]) <= 1024, "документом" in message["caption"]) == (
            "document",
            True,
            True,
        )


async def test_the_wait_of_a_429_is_the_whole_chats_and_costs_no_card_a_try(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        jobs = [await desk.done_job(desk.files.add(f"{n}.png", picture(), "image/png")) for n in range(6)]
        calls = len(desk.calls("editMessageMedia"))
        desk.telegram.faults.arm(world="telegram", method="editMessageMedia", action="too_many", retry_after=30)
        await desk.deliver()
        assert len(desk.calls("editMessageMedia")) == calls, "refused by Telegram once, by our own pace afterwards"
        for job_id in jobs:
            row = await row_of(desk.pool, job_id)
            assert (row["delivery_attempts"], row["delivered_at"]) == (0, None)
            assert 20 < (await seconds_until(desk.pool, job_id, "deliver_at") or 0) <= 30
        assert await desk.deliver() == 0
        for _ in range(3):
            await shift_clock(desk.pool, 31)
            await desk.deliver()
        assert desk.kinds() == ["photo"] * 6

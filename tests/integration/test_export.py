"""/export: everything that is held about the user in one zip, sent at most once, once a day; nothing of it stays here."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from photomat.app.personal_data import TABLES
from photomat.db.pool import Pool, transaction
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.ids import ChatId, JobId, MessageId, UserId
from photomat.privacy.export import ExportTooLarge
from photomat.privacy.export_sender import LEASE, ask_for_export
from photomat.rewards import gifts
from photomat.telegram.client import TelegramMessenger
from photomat.telegram.limits import LOCAL, MIB, BotApiLimits
from photomat.telegram.port import Media, Sent
from support.conversation import Chat, conversation
from support.database import pool_of, shift_clock
from support.jobs import a_done_job, a_user
from support.money import rub
from support.privacy import export_builder, export_sender, send_exports
from support.rewards import book_all, invite, pays

PICTURE = b"picture " * 100


async def a_kept_result(pool: Pool, user: UserId, data_dir: Path, data: bytes = PICTURE) -> JobId:
    job_id = await a_done_job(pool, user)
    copy = data_dir / "results" / str(job_id) / "0.png"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(data)
    await pool.execute("UPDATE job_outputs SET kept_as = $2 WHERE job_id = $1", job_id, f"{job_id}/0.png")
    return job_id


async def test_a_user_gets_everything_in_one_file(database: str, tmp_path: Path) -> None:
    async with conversation(database, first_name="Анна", username="anna", results=tmp_path / "results") as chat:
        await chat.says("/start")
        user = UserId(chat.person.user_id)
        job_id = await a_kept_result(chat.pool, user, tmp_path)
        listed = await a_done_job(chat.pool, user)
        assert "Собираю" in await chat.says("/export")
        assert "раз в сутки" in await chat.says("/export")
        sender = export_sender(chat.pool, tmp_path, TelegramMessenger(chat.bot))
        assert await send_exports(sender) == 1
        assert "index.txt" in chat.screen()[-1]["caption"]
        made = opened(newest_file(chat))
        tables = {Path(name).stem: json.loads(made.read(name)) for name in made.namelist() if name.startswith("data/")}
        assert tables.keys() == {name for name, table in TABLES.items() if table.of_user}
        assert tables["users"][0]["first_name"] == "Анна"
        assert [job["inputs"]["prompt"] for job in tables["generation_jobs"]] == ["кот-космонавт"] * 2
        assert tables["generation_jobs"][0]["price"] > 0
        assert not {"cost", "quote", "credits_consumed"} & tables["generation_jobs"][0].keys(), "the shop's costs"
        assert made.read(f"results/{job_id}/0.png") == PICTURE
        index = made.read("index.txt").decode()
        assert f"{listed}/1: https://files.example/cat.png" in index
        assert list((tmp_path / "tmp").iterdir()) == []
        assert await chat.pool.fetchval("SELECT outcome FROM export_requests") == "sent"
        await shift_clock(chat.pool, 86_401)
        assert "Собираю" in await chat.says("/export")


def newest_file(chat: Chat) -> bytes:
    store = chat.telegram.world.files
    return store.read(store.files[max(store.files)])


def opened(data: bytes) -> ZipFile:
    return ZipFile(io.BytesIO(data))


async def test_what_does_not_fit_is_listed_with_a_link_of_ours(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        large, small = (
            await a_kept_result(pool, user, tmp_path, bytes(600_000)),
            await a_kept_result(pool, user, tmp_path),
        )
        file = io.BytesIO()
        found = await export_builder(pool, tmp_path).build(user, file, language="en", most_bytes=500_000)
        assert found.inside == [f"results/{small}/0.png"]
        assert [line.partition(".0.")[0] for line in found.listed] == [
            f"{large}/1: https://shop.example/result/{large}"
        ]
        assert len(file.getvalue()) < 500_000
        with pytest.raises(ExportTooLarge):
            await export_builder(pool, tmp_path).build(user, io.BytesIO(), language="en", most_bytes=1000)


async def test_nothing_of_another_user_is_inside(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user, other = await a_user(pool), await a_user(pool, user_id=5_999_999)
        await a_kept_result(pool, other, tmp_path)
        await a_done_job(pool, user)
        file = io.BytesIO()
        await export_builder(pool, tmp_path).build(user, file, language="ru")
        made = opened(file.getvalue())
        assert all(b"5999999" not in made.read(name) for name in made.namelist())
        assert not [name for name in made.namelist() if name.startswith("results/")]


async def test_friends_and_givers_are_inside_without_their_numbers(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user, friend = await a_user(pool), await a_user(pool, user_id=5_999_999, balance=0)
        async with transaction(pool) as tx:
            await invite(tx, user, friend)
            await pays(tx, friend, 10_000)
            gift = await gifts.give(tx, giver_id=friend, amount=rub(100), origin="update:1:1")
            await gifts.take(tx, code=gift.code, taker_id=user)
        await a_done_job(pool, friend)
        await book_all(pool)
        file = io.BytesIO()
        found = await export_builder(pool, tmp_path).build(user, file, language="ru")
        assert (found.rows["referrals"], found.rows["gifts"], found.rows["referral_shares"]) == (1, 1, 1)
        made = opened(file.getvalue())
        assert [name for name in made.namelist() if b"5999999" in made.read(name)] == []
        assert json.loads(made.read("data/gifts.json"))[0]["taker_id"] == user
        assert "data/gifts.json — подарки: 1" in made.read("index.txt").decode()


class Silent:
    """A messenger that counts what it is given and answers as it is told."""

    def __init__(self, answer: Sent | Exception) -> None:
        self.answer, self.sent, self.results = answer, 0, 0

    async def send_media(self, _chat_id: ChatId, media: Media, _caption: str, **_more: Any) -> Sent:
        self.sent += 1
        assert isinstance(media.source, Path)
        made = opened(media.source.read_bytes())
        assert made.testzip() is None
        self.results = sum(name.startswith("results/") for name in made.namelist())
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class DiesInside:
    def __getattr__(self, _name: str) -> Any:
        raise KeyboardInterrupt


async def test_an_export_leaves_at_most_once_and_is_built_again_after_a_death(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        async with transaction(pool) as tx:
            await ask_for_export(tx, user_id=user, chat_id=ChatId(user), language="ru", origin="update:1:1")
        messenger: Any = Silent(OutcomeUnknown("no answer"))
        sender = export_sender(pool, tmp_path, messenger)
        (first,) = await sender.claim(1)
        await shift_clock(pool, LEASE.total_seconds() + 1)
        (second,) = await sender.claim(1)
        await sender.deliver(first)
        assert messenger.sent == 0, "the claim was taken over"
        await sender.deliver(second)
        assert (messenger.sent, await pool.fetchval("SELECT outcome FROM export_requests")) == (1, "unknown")
        await shift_clock(pool, LEASE.total_seconds() + 1)
        assert await sender.claim(1) == []
        async with transaction(pool) as tx:
            again = await ask_for_export(tx, user_id=user, chat_id=ChatId(user), language="ru", origin="update:1:2")
        assert again.wait is not None, "it may have arrived"


async def test_who_asked_a_sender_that_died_need_not_wait_a_day(database: str, tmp_path: Path) -> None:
    """It died when the file was leaving: the file is never sent again by itself, and may not have arrived."""
    async with pool_of(database) as pool:
        user = await a_user(pool)
        async with transaction(pool) as tx:
            await ask_for_export(tx, user_id=user, chat_id=ChatId(user), language="ru", origin="update:1:1")
        dies: Any = DiesInside()
        sender = export_sender(pool, tmp_path, dies)
        (claimed,) = await sender.claim(1)
        with pytest.raises(KeyboardInterrupt):
            await sender.send(claimed)
        for waited_s, is_new in ((0, False), (LEASE.total_seconds() + 1, True)):
            await shift_clock(pool, waited_s)
            async with transaction(pool) as tx:
                again = await ask_for_export(tx, user_id=user, chat_id=ChatId(user), language="ru", origin="update:1:2")
            assert again.is_new == is_new
        assert await sender.claim(1) != []


async def test_a_server_of_our_own_takes_a_larger_file(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await a_kept_result(pool, user, tmp_path, bytes(2 * MIB))
        tight = BotApiLimits(download_bytes=MIB, upload_bytes=2 * MIB)
        for limits, inside in ((tight, 0), (LOCAL, 1)):
            messenger: Any = Silent(Sent(message_id=MessageId(1), file_id=None))
            async with transaction(pool) as tx:
                await ask_for_export(tx, user_id=user, chat_id=ChatId(user), language="ru", origin=f"update:{inside}:1")
            await send_exports(replace(export_sender(pool, tmp_path, messenger), limits=limits))
            assert messenger.results == inside
            await shift_clock(pool, 86_401)

"""The bot's profile at Telegram: set when it changed and only then, in every language; a refusal waits and stops nothing."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from aiogram import Bot
from PIL import Image

from photomat.bot.profile import ProfileTexts, WantedProfile, parts_of, read_picture, square_jpeg
from photomat.db.pool import Pool
from photomat.telegram.profile import PartRefused, keep_profile, unset_parts
from photomat.texts.load import load_texts
from support.database import pool_of
from support.telegram_media import picture
from support.telegram_sim import RunningTelegram, running_telegram

TEXTS: Final = load_texts()
DAY_S: Final = 86_000


@dataclass(slots=True, kw_only=True)
class Profile:
    telegram: RunningTelegram
    bot: Bot
    pool: Pool
    operators: list[int] = field(default_factory=list)

    async def keep(self, wanted: WantedProfile | None = None) -> list[str]:
        """A round of the duty; gives the calls it made."""
        seen = len(self.telegram.transcript.since(0))
        wanted = wanted or WantedProfile()
        file = await read_picture(wanted.picture)
        parts = parts_of(self.bot, wanted, TEXTS, operators=self.operators, picture=file)
        await keep_profile(self.pool, bot_id=self.bot.id, parts=parts)
        return [event.name for event in self.telegram.transcript.since(0)[seen:] if event.kind != "effect"]

    def shown(self, what: str) -> dict[str, str]:
        return self.telegram.world.names.get(what, {})


@asynccontextmanager
async def a_profile(database: str) -> AsyncIterator[Profile]:
    async with pool_of(database) as pool, running_telegram() as telegram, telegram.bot() as bot:
        yield Profile(telegram=telegram, bot=bot, pool=pool)


async def test_a_restart_makes_no_calls_and_a_change_makes_its_own(database: str, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(picture(width=600, height=400))
    wanted = WantedProfile(
        name=ProfileTexts(ru="Фотомат", en="Photomat"), description=ProfileTexts(ru="Рисую."), picture=path
    )
    async with a_profile(database) as profile:
        profile.operators.append(profile.telegram.person("Оператор").user_id)
        assert set(await profile.keep(wanted)) >= {
            "setMyName",
            "setMyDescription",
            "setMyCommands",
            "setMyProfilePhoto",
        }
        assert profile.shown("name") == {"": "Фотомат", "en": "Photomat"}
        assert profile.shown("description") == {"": "Рисую.", "en": ""}, "clients of all languages show it"
        assert profile.shown("short_description")[""] == TEXTS.say("ru", "profile-about")
        assert profile.shown("picture")
        assert await profile.keep(wanted) == []
        changed = WantedProfile(name=wanted.name, description=ProfileTexts(ru="Рисую и пою."), picture=path)
        assert set(await profile.keep(changed)) == {"setMyDescription"}
        operator = profile.telegram.world.people[profile.operators[0]]
        me = await profile.bot.get_me()
        assert me.first_name == "Фотомат"
        commands = [each for key, each in profile.telegram.world.commands.items() if str(operator.user_id) in key]
        assert len(commands) == 2
        assert all(each[0]["command"] == "admin" for each in commands)


async def test_what_was_written_at_botfather_stays(database: str) -> None:
    async with a_profile(database) as profile:
        await profile.bot.set_my_description("Своё описание")
        await profile.keep()
        assert profile.shown("description") == {"": "Своё описание"}
        assert profile.shown("short_description") == {
            "": TEXTS.say("ru", "profile-about"),
            "en": TEXTS.say("en", "profile-about"),
        }
        assert "name" not in profile.telegram.world.names, "the name is the operator's"
        assert await profile.keep() == []


async def test_a_flood_of_hours_is_kept_over_restarts_and_new_names_and_nothing_else_waits(database: str) -> None:
    async with a_profile(database) as profile:
        profile.telegram.faults.arm(world="telegram", method="setMyName", action="too_many", retry_after=DAY_S)
        calls = await profile.keep(WantedProfile(name=ProfileTexts(ru="Фотомат")))
        assert "setMyCommands" in calls
        (unset,) = await unset_parts(profile.pool)
        assert unset.part == "name"
        assert await profile.keep(WantedProfile(name=ProfileTexts(ru="Фотомат"))) == []
        assert await profile.keep(WantedProfile(name=ProfileTexts(ru="Другое имя"))) == []
        await profile.pool.execute("UPDATE clock_shift SET shift = make_interval(secs => $1)", DAY_S + 60)
        assert set(await profile.keep(WantedProfile(name=ProfileTexts(ru="Другое имя")))) == {"setMyName"}
        assert profile.shown("name")[""] == "Другое имя"
        assert await unset_parts(profile.pool) == []


async def test_a_refusal_is_said_and_a_corrected_value_is_tried_at_once(database: str, tmp_path: Path) -> None:
    path = tmp_path / "picture.jpg"
    path.write_bytes(b"no picture")
    wanted = WantedProfile(picture=path)
    async with a_profile(database) as profile:
        await profile.keep(wanted)
        (unset,) = await unset_parts(profile.pool)
        assert (unset.part, unset.error) == ("picture", "BOT_PICTURE is no JPEG or PNG")
        assert await profile.keep(wanted) == [], "not again before an hour"
        path.write_bytes(picture(width=300, height=300, form="JPEG"))
        assert await profile.keep(wanted) == ["setMyProfilePhoto"]
        assert await unset_parts(profile.pool) == []


async def test_another_bot_gets_its_own_profile(database: str) -> None:
    async with a_profile(database) as profile:
        await profile.keep()
        parts = parts_of(profile.bot, WantedProfile(), TEXTS, operators=(), picture=None)
        await keep_profile(profile.pool, bot_id=profile.bot.id + 1, parts=parts)
        applied = await profile.pool.fetchval("SELECT applied FROM bot_profile WHERE part = 'commands ru'")
        assert applied != next(each for each in parts if each.name == "commands ru").digest(profile.bot.id)


@pytest.mark.parametrize(("width", "height"), [(160, 160), (2000, 900), (500, 3000)])
def test_a_picture_becomes_a_square_jpeg(width: int, height: int) -> None:
    with Image.open(io.BytesIO(square_jpeg(picture(width=width, height=height)))) as made:
        assert made.format == "JPEG"
        assert made.width == made.height <= 1280


@pytest.mark.parametrize("data", [b"", b"GIF89a", picture(width=159, height=400), picture()[:300], bytes(11 * 2**20)])
def test_another_file_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(PartRefused, match="BOT_PICTURE"):
        square_jpeg(data)

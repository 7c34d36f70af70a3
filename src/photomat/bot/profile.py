"""What Telegram shows of the bot: name, description, line of its profile, commands, picture, each in every language.

Russian is the default, which clients of other languages see; English has texts of its own. A text the operator did not set is
ours, but only where the bot has none: what was written at @BotFather stays.
"""

import asyncio
import hashlib
import io
import json
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiogram import Bot
from aiogram.types import BotCommand, BotCommandScopeChat, BufferedInputFile, InputProfilePhotoStatic
from PIL import Image, UnidentifiedImageError

from photomat.bot.app import COMMANDS, OPERATORS_COMMANDS
from photomat.telegram.profile import PartRefused, ProfilePart
from photomat.texts.load import LANGUAGES, Texts
from photomat.users.user import DEFAULT_LANGUAGE

CALL_TIMEOUT_S: Final = 20
MAX_PICTURE_BYTES: Final = 10 * 2**20
MAX_PIXELS: Final = 50_000_000
LEAST_SIDE: Final = 160
"""Telegram refuses smaller pictures."""
SIDE: Final = 1280
QUALITY: Final = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileTexts:
    """A text in Russian, for all, and in English; empty ones are not set."""

    ru: str = ""
    en: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedProfile:
    """What the operator set."""

    name: ProfileTexts = ProfileTexts()
    description: ProfileTexts = ProfileTexts()
    about: ProfileTexts = ProfileTexts()
    picture: Path | None = None


def parts_of(
    bot: Bot, profile: WantedProfile, texts: Texts, *, operators: Collection[int], picture: bytes | None
) -> list[ProfilePart]:
    """Every part; `picture` is the file as it is now."""
    ours = ProfileTexts(ru=texts.say("ru", "profile-description"), en=texts.say("en", "profile-description"))
    line = ProfileTexts(ru=texts.say("ru", "profile-about"), en=texts.say("en", "profile-about"))
    parts = [
        *([_text_part("name", profile.name, _set_name(bot))] if profile.name.ru or profile.name.en else []),
        _described("description", profile.description, ours, _set_description(bot), _description_of(bot)),
        _described("about", profile.about, line, _set_about(bot), _about_of(bot)),
        *(_commands_part(bot, texts, language) for language in LANGUAGES),
        *(_commands_part(bot, texts, language, chat_id=chat) for chat in sorted(operators) for language in LANGUAGES),
    ]
    return parts if picture is None else [*parts, _picture_part(bot, picture)]


Setter = Callable[[str, str | None], Awaitable[object]]
Reader = Callable[[], Awaitable[str]]


def _text_part(name: str, wanted: ProfileTexts, change: Setter) -> ProfilePart:
    async def apply(_is_ours: bool) -> bool:  # noqa: FBT001  the part's own signature
        await _apply(change, wanted)
        return True

    return ProfilePart(name=name, value=f"{wanted.ru}\0{wanted.en}", apply=apply)


def _described(name: str, given: ProfileTexts, ours: ProfileTexts, change: Setter, read: Reader) -> ProfilePart:
    if given.ru or given.en:
        return _text_part(name, given, change)

    async def apply(is_ours: bool) -> bool:  # noqa: FBT001  the part's own signature
        if not is_ours and await read():
            return False
        await _apply(change, ours)
        return True

    return ProfilePart(name=name, value=f"ours\0{ours.ru}\0{ours.en}", apply=apply)


async def _apply(change: Setter, wanted: ProfileTexts) -> None:
    """Set both; without a text of its own English has none, and clients show the default."""
    await change(wanted.ru or wanted.en, None)
    await change(wanted.en if wanted.ru else "", "en")


def _set_name(bot: Bot) -> Setter:
    return lambda text, code: bot.set_my_name(text, language_code=code, request_timeout=CALL_TIMEOUT_S)


def _set_description(bot: Bot) -> Setter:
    return lambda text, code: bot.set_my_description(text, language_code=code, request_timeout=CALL_TIMEOUT_S)


def _set_about(bot: Bot) -> Setter:
    return lambda text, code: bot.set_my_short_description(text, language_code=code, request_timeout=CALL_TIMEOUT_S)


def _description_of(bot: Bot) -> Reader:
    async def read() -> str:
        return (await bot.get_my_description(request_timeout=CALL_TIMEOUT_S)).description

    return read


def _about_of(bot: Bot) -> Reader:
    async def read() -> str:
        return (await bot.get_my_short_description(request_timeout=CALL_TIMEOUT_S)).short_description

    return read


def _commands_part(bot: Bot, texts: Texts, language: str, *, chat_id: int | None = None) -> ProfilePart:
    """The command menu; operators' own chats have their commands first. Who has not started the bot has no chat yet."""
    names = COMMANDS if chat_id is None else (*OPERATORS_COMMANDS, *COMMANDS)
    commands = [BotCommand(command=name, description=texts.say(language, f"command-{name}")) for name in names]
    scope = {} if chat_id is None else {"scope": BotCommandScopeChat(chat_id=chat_id)}

    async def apply(_is_ours: bool) -> bool:  # noqa: FBT001  the part's own signature
        code = None if language == DEFAULT_LANGUAGE else language
        await bot.set_my_commands(commands, language_code=code, request_timeout=CALL_TIMEOUT_S, **scope)
        return True

    return ProfilePart(
        name=f"commands {language}" if chat_id is None else f"commands {language} of {chat_id}",
        value=json.dumps([[each.command, each.description] for each in commands], ensure_ascii=False),
        apply=apply,
    )


def _picture_part(bot: Bot, picture: bytes) -> ProfilePart:
    async def apply(_is_ours: bool) -> bool:  # noqa: FBT001  the part's own signature
        jpeg = await asyncio.to_thread(square_jpeg, picture)
        photo = InputProfilePhotoStatic(photo=BufferedInputFile(jpeg, filename="picture.jpg"))
        await bot.set_my_profile_photo(photo, request_timeout=CALL_TIMEOUT_S)
        return True

    return ProfilePart(name="picture", value=hashlib.sha256(picture).hexdigest(), apply=apply)


async def read_picture(path: Path | None) -> bytes | None:
    """The picture's file; what cannot be read is refused when it is applied, with the reason."""
    return None if path is None else await asyncio.to_thread(_read, path)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_PICTURE_BYTES + 1)
    except OSError:
        return b""


def square_jpeg(data: bytes) -> bytes:
    """The middle of a picture as a JPEG, as Telegram takes it; raises PartRefused with a sentence for the operator."""
    if not data:
        raise PartRefused("BOT_PICTURE cannot be read")
    if len(data) > MAX_PICTURE_BYTES:
        raise PartRefused(f"BOT_PICTURE is larger than {MAX_PICTURE_BYTES >> 20} MB")
    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "PNG")) as image:
            return _cropped(image)
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError, SyntaxError):
        raise PartRefused("BOT_PICTURE is no JPEG or PNG") from None


def _cropped(image: Image.Image) -> bytes:
    side = min(image.size)
    if side < LEAST_SIDE or image.width * image.height > MAX_PIXELS:
        raise PartRefused(
            f"BOT_PICTURE needs sides of {LEAST_SIDE} pixels and {MAX_PIXELS // 10**6} megapixels at most"
        )
    left, top = (image.width - side) // 2, (image.height - side) // 2
    square = image.convert("RGBA").crop((left, top, left + side, top + side))
    square.thumbnail((SIDE, SIDE))
    opaque = Image.new("RGB", square.size, "white")
    opaque.paste(square, mask=square.getchannel("A"))
    buffer = io.BytesIO()
    opaque.save(buffer, "JPEG", quality=QUALITY)
    return buffer.getvalue()

"""The bot's own page: name, descriptions, picture, commands by scope and language, the menu button."""

import io
import json
import re
from typing import Final

from PIL import Image, UnidentifiedImageError

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import JsonObject, bad_request
from photomat_sandbox.telegram.world import commands_for

COMMAND: Final = re.compile(r"[a-z0-9_]{1,32}")
MAX_COMMANDS: Final = 100
MAX_COMMAND_DESCRIPTION: Final = 256
LEAST_PICTURE_SIDE: Final = 160
LONGEST: Final = {"name": 64, "description": 512, "short_description": 120}


async def get_me(call: Call) -> JsonObject:
    return call.world.bot.as_me()


async def log_out(_call: Call) -> bool:
    """Accept; here it changes nothing."""
    return True


async def set_my_commands(call: Call) -> bool:
    commands = call.params.items("commands", "BotCommand")
    if commands is None:
        raise bad_request("parameter commands is required")
    if len(commands) > MAX_COMMANDS:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    call.world.commands[_scope_key(call)] = [_command(value) for value in commands]
    _show_commands(call)
    return True


async def get_my_commands(call: Call) -> list[JsonObject]:
    """Return the command list of exactly this scope and language."""
    return call.world.commands.get(_scope_key(call), [])


async def delete_my_commands(call: Call) -> bool:
    call.world.commands.pop(_scope_key(call), None)
    _show_commands(call)
    return True


async def set_my_name(call: Call) -> bool:
    """Rename the bot; without a language the new name is the default."""
    return _set_text(call, "name")


async def get_my_name(call: Call) -> JsonObject:
    return {"name": _get_text(call, "name") or call.world.bot.first_name}


async def set_my_description(call: Call) -> bool:
    """Set the text of the empty chat."""
    return _set_text(call, "description")


async def get_my_description(call: Call) -> JsonObject:
    return {"description": _get_text(call, "description")}


async def set_my_short_description(call: Call) -> bool:
    """Set the text of the profile page."""
    return _set_text(call, "short_description")


async def get_my_short_description(call: Call) -> JsonObject:
    return {"short_description": _get_text(call, "short_description")}


async def set_my_profile_photo(call: Call) -> bool:
    """Set the picture: an uploaded JPEG; none that Telegram has already can be used again."""
    photo = call.params.mapping("photo", "photo")
    if photo is None:
        raise bad_request("photo isn't specified")
    if str(photo.get("type")) not in {"static", "animated"}:
        raise bad_request("invalid profile photo type specified")
    upload = call.params.files.get(str(photo.get("photo", "")).removeprefix("attach://"))
    if upload is None or not isinstance(upload.data, bytes):
        raise bad_request("photo must be uploaded as a file")
    _check_picture(upload.data)
    file = call.world.files.add(upload.data, kind="photo", mime="image/jpeg")
    call.world.names["picture"] = {"": file.unique_id}
    call.world.note("setMyProfilePhoto", "the bot has a new picture")
    return True


async def remove_my_profile_photo(call: Call) -> bool:
    call.world.names.pop("picture", None)
    call.world.changed = True
    return True


def _check_picture(data: bytes) -> None:
    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.format != "JPEG":
                raise bad_request("PHOTO_EXT_INVALID")
            if min(image.size) < LEAST_PICTURE_SIDE:
                raise bad_request("PHOTO_CROP_SIZE_SMALL")
    except (UnidentifiedImageError, OSError) as error:
        raise bad_request("IMAGE_PROCESS_FAILED") from error


async def set_chat_menu_button(call: Call) -> bool:
    """Set the button beside the text field."""
    button = call.params.mapping("menu_button", "MenuButton") or {"type": "default"}
    if str(button.get("type")) not in {"default", "commands", "web_app"}:
        raise bad_request("can't parse menu button: MenuButton has unsupported type")
    call.world.menu_buttons[call.params.text("chat_id")] = button
    return True


async def get_chat_menu_button(call: Call) -> JsonObject:
    buttons = call.world.menu_buttons
    return buttons.get(call.params.text("chat_id")) or buttons.get("") or {"type": "default"}


def _show_commands(call: Call) -> None:
    call.world.changed = True
    for person in call.world.people.values():
        status = {"commands": commands_for(call.world, person)}
        call.world.stream.publish(person.user_id, "status", status)


def _scope_key(call: Call) -> str:
    scope = call.params.mapping("scope", "BotCommandScope") or {"type": "default"}
    return json.dumps([scope.get("type"), scope.get("chat_id"), call.params.text("language_code")])


def _command(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise bad_request("can't parse BotCommand: expected an Object")
    name = str(value.get("command", "")).removeprefix("/")
    description = str(value.get("description", ""))
    if not COMMAND.fullmatch(name):
        raise bad_request("BOT_COMMAND_INVALID")
    if not 1 <= len(description) <= MAX_COMMAND_DESCRIPTION:
        raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
    return {"command": name, "description": description}


def _set_text(call: Call, field: str) -> bool:
    text, language = call.params.text(field), call.params.text("language_code")
    if len(text) > LONGEST[field]:
        raise bad_request(f"bot {field.replace('_', ' ')} is too long")
    call.world.names.setdefault(field, {})[language] = text
    if field == "name" and text and not language:
        call.world.bot.first_name = text
    call.world.changed = True
    return True


def _get_text(call: Call, field: str) -> str:
    texts = call.world.names.get(field, {})
    return texts.get(call.params.text("language_code")) or texts.get("", "")

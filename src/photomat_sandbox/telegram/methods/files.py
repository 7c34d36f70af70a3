"""getFile: a path under which the bytes of a file can be fetched for an hour.

A server in local mode has downloaded the file before it answers, and the path is that of its own disk: below the working folder
in a folder of the bot, which is named like its token.
"""

import asyncio
from pathlib import Path
from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.file_on_disk import write_to
from photomat_sandbox.telegram.files import StoredFile, read_file_id
from photomat_sandbox.telegram.world import TelegramWorld

LINK_LIFE_S: Final = 3600.0
FOLDERS: Final = {
    "photo": "photos",
    "video": "videos",
    "audio": "music",
    "voice": "voice",
    "document": "documents",
    "animation": "animations",
}
EXTENSIONS: Final = {
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/webp": ".webp",
    "image/gif": ".gif",
    "video/mp4": ".mp4",
    "video/webm": ".webm",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".oga",
    "audio/mp4": ".m4a",
    "audio/x-wav": ".wav",
    "application/pdf": ".pdf",
    "application/zip": ".zip",
}


async def get_file(call: Call) -> JsonObject:
    file_id = call.params.text("file_id")
    if not file_id:
        raise bad_request("file_id not specified")
    try:
        found = read_file_id(file_id, bot_id=call.world.bot.user_id)
    except ApiError as error:
        raise bad_request("invalid file_id") from error
    file = call.world.files.files.get(found[1]) if found else None
    if file is None:
        raise bad_request("wrong file_id or the file is temporarily unavailable")
    limit = call.world.limits.download_bytes
    if limit is not None and file.size_bytes > limit:
        raise bad_request("file is too big")
    path = _path_of(file)
    if call.world.local_dir is not None:
        return _described(file_id, file, await _downloaded(call.world, file, call.world.local_dir))
    call.world.download_until[path] = call.world.clock() + LINK_LIFE_S
    return _described(file_id, file, path)


def _described(file_id: str, file: StoredFile, path: str) -> JsonObject:
    return {
        "file_id": file_id,
        "file_unique_id": file.unique_id,
        "file_size": file.size_bytes,
        "file_path": path,
    }


async def _downloaded(world: TelegramWorld, file: StoredFile, folder: Path) -> str:
    """The absolute path of the file in the server's own folder, where it is put now unless it is there."""
    path = folder / world.token / _path_of(file)
    if not path.exists():
        await asyncio.to_thread(write_to, path, world.files.content(file))
    return str(path)


def find_download(world: TelegramWorld, path: str) -> StoredFile | None:
    """Return the file behind a path that getFile gave out within the hour."""
    if world.download_until.get(path, 0.0) <= world.clock():
        return None
    number = path.rpartition("_")[2].partition(".")[0]
    return world.files.files.get(int(number)) if number.isdigit() else None


def _path_of(file: StoredFile) -> str:
    given = "." + file.name.rsplit(".", 1)[-1].lower() if "." in file.name else ""
    extension = EXTENSIONS.get(file.mime) or (given if given[1:].isalnum() and given.isascii() else "")
    return f"{FOLDERS[file.kind]}/file_{file.number}{extension}"

"""getFile: a path under which the bytes of a file can be fetched for an hour."""

from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.files import StoredFile, read_file_id
from photomat_sandbox.telegram.world import TelegramWorld

MAX_DOWNLOAD_BYTES: Final = 20 * 1024 * 1024
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
    if file.size_bytes > MAX_DOWNLOAD_BYTES:
        raise bad_request("file is too big")
    path = _path_of(file)
    call.world.download_until[path] = call.world.clock() + LINK_LIFE_S
    return {
        "file_id": file_id,
        "file_unique_id": file.unique_id,
        "file_size": file.size_bytes,
        "file_path": path,
    }


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

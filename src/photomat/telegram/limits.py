"""How large files may be at a Bot API server: the cloud's, or one of our own that runs with `--local`."""

from dataclasses import dataclass
from typing import Final

MIB: Final = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class BotApiLimits:
    """What one server gives out and takes. What Telegram itself fetches by URL, and photos, is the same for all servers."""

    download_bytes: int
    upload_bytes: int
    """Of all files in one call."""
    photo_bytes: int = 10 * MIB
    url_photo_bytes: int = 5 * MIB
    url_bytes: int = 20 * MIB


CLOUD: Final = BotApiLimits(download_bytes=20 * MIB, upload_bytes=50 * MIB)
LOCAL: Final = BotApiLimits(download_bytes=2000 * MIB, upload_bytes=2000 * MIB)
"""The server itself gives out files of any size; Telegram's users send up to 2000 MB."""

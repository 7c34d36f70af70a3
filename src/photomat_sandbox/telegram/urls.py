"""URLs that callers hand in: parsed, and fetched as Telegram does, with limits of size and type and a cache of failures too.

The data centre keeps the content of a URL "for a few days". A failed URL therefore stays failed until the cache
expires, whatever the web server answers by then; another URL (another query) is fetched again.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

import aiohttp

from photomat_sandbox.file_formats import sniff
from photomat_sandbox.telegram.errors import ApiError, bad_request

LOOPBACK: Final = {"127.0.0.1", "localhost", "::1"}
FETCH_TIMEOUT_S: Final = 20.0
MAX_URL_PHOTO_BYTES: Final = 5 * 1024 * 1024
MAX_URL_FILE_BYTES: Final = 20 * 1024 * 1024
MAX_URL_VOICE_BYTES: Final = 1024 * 1024
CACHE_S: Final = 3 * 86400.0
MAX_CACHED: Final = 2000
FAILED: Final = "failed to get HTTP URL content"
WRONG_TYPE: Final = "wrong type of the web page content"
ALLOWED_TYPES: Final = {
    "photo": ("image/jpeg", "image/png", "image/webp"),
    "video": ("video/mp4", "video/quicktime", "video/webm"),
    "animation": ("image/gif", "video/mp4"),
    "audio": ("audio/mpeg", "audio/mp3", "audio/mp4", "audio/x-m4a", "audio/m4a", "audio/aac"),
    "voice": ("audio/ogg",),
    "document": ("application/pdf", "application/zip", "image/gif"),
}


def split_url(url: str) -> SplitResult | None:
    """Parse a URL; None when it is invalid."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def is_loopback(url: str) -> bool:
    """Whether the URL is on this machine, where a self-signed certificate is accepted."""
    parts = split_url(url)
    return parts is not None and parts.hostname in LOOPBACK


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    data: bytes
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cached:
    until: float
    fetched: Fetched | None
    refusal: str


class UrlFetcher:
    """Fetches for one world; the cache expires by the world's clock."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._cache: dict[tuple[str, str], _Cached] = {}

    async def fetch(self, url: str, *, kind: str) -> Fetched:
        """Return the content of the URL, or refuse as Telegram does."""
        _check_url(url)
        cached = self._cache.get((url, kind))
        if cached is None or cached.until <= self._clock():
            cached = await self._fetch_anew(url, kind)
            self._cache[(url, kind)] = cached
            while len(self._cache) > MAX_CACHED:
                self._cache.pop(next(iter(self._cache)))
        if cached.fetched is None:
            raise bad_request(cached.refusal)
        return cached.fetched

    def cache_refusal(self, url: str, *, kind: str, refusal: str = FAILED) -> ApiError:
        """Remember that the content breaks a rule of its kind; return the refusal to raise."""
        self._cache[(url, kind)] = _Cached(until=self._clock() + CACHE_S, fetched=None, refusal=refusal)
        return bad_request(refusal)

    async def _fetch_anew(self, url: str, kind: str) -> _Cached:
        fetched, refusal = None, ""
        try:
            fetched = await _download(url, kind)
        except ApiError as error:
            refusal = error.description.removeprefix("Bad Request: ")
        except (aiohttp.ClientError, TimeoutError, asyncio.IncompleteReadError, OSError, ValueError):
            refusal = FAILED
        return _Cached(until=self._clock() + CACHE_S, fetched=fetched, refusal=refusal)


def _check_url(url: str) -> None:
    parts = split_url(url)
    if parts is None:
        raise bad_request("invalid file HTTP URL specified: Wrong URL")
    host = parts.hostname
    if not host:
        raise bad_request("invalid file HTTP URL specified: URL host is empty")
    if parts.scheme not in {"http", "https"}:
        raise bad_request("invalid file HTTP URL specified: Unsupported URL protocol")
    if "." not in host and ":" not in host and host not in LOOPBACK:
        raise bad_request("wrong HTTP URL specified")


async def _download(url: str, kind: str) -> Fetched:
    timeout = aiohttp.ClientTimeout(total=FETCH_TIMEOUT_S)
    # A self-signed certificate is fine on loopback only; everywhere else it is checked.
    ssl = not is_loopback(url)
    headers = {"User-Agent": "TelegramBot (like TwitterBot)"}
    async with (
        aiohttp.ClientSession(timeout=timeout, headers=headers) as session,
        session.get(url, ssl=ssl, max_redirects=5) as answer,
    ):
        if answer.status != 200:  # noqa: PLR2004 - the one status that carries the content
            raise bad_request(FAILED)
        data = await _read_bounded(answer, _limit(kind))
        _check_type(answer.content_type, data, kind=kind)
        return Fetched(data=data, name=unquote(urlsplit(url).path.rsplit("/", 1)[-1]))


async def _read_bounded(answer: aiohttp.ClientResponse, limit: int) -> bytes:
    chunks, size = [], 0
    async for chunk in answer.content.iter_chunked(65536):
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise bad_request(FAILED)
    return b"".join(chunks)


def _limit(kind: str) -> int:
    return {"photo": MAX_URL_PHOTO_BYTES, "voice": MAX_URL_VOICE_BYTES}.get(kind, MAX_URL_FILE_BYTES)


def _check_type(content_type: str, data: bytes, *, kind: str) -> None:
    allowed = ALLOWED_TYPES[kind]
    if content_type not in allowed or (kind == "photo" and sniff(data) not in allowed):
        raise bad_request(WRONG_TYPE)

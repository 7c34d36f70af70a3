"""Kie's upload host: a file is streamed there under a random name, and has an address that tasks can use.

A name of our making would overwrite an older file of the same name, and a cached old one may be served for a while; a random
one never does. What the errors say holds no address, for whoever knows it has the file.
"""

import secrets
from collections.abc import Mapping
from typing import BinaryIO, Final
from urllib.parse import urlsplit

import aiohttp

from photomat.kernel.errors import Transient
from photomat.kernel.http import USER_AGENT
from photomat.kie import wire
from photomat.kie.port import Busy, Paused, UploadRefused

PATH: Final = "/api/file-stream-upload"
FOLDER: Final = "photomat"
UPLOAD_TIMEOUT: Final = aiohttp.ClientTimeout(total=120, connect=5, sock_connect=5, sock_read=60)
LARGEST_ANSWER_BYTES: Final = 2**16
LONGEST_ADDRESS: Final = 2000


class KieUploads:
    """The upload port on Kie's HTTP API."""

    def __init__(self, *, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        self._own_host = urlsplit(base_url).hostname
        self._headers = {"User-Agent": USER_AGENT, "Authorization": f"Bearer {api_key}"}

    async def upload(self, file: BinaryIO, *, mime: str, extension: str) -> str:
        """Bring a file; see the port for what it raises."""
        name = f"{secrets.token_hex(16)}.{extension}"
        form = aiohttp.FormData({"uploadPath": FOLDER, "fileName": name})
        form.add_field("file", file, filename=name, content_type=mime)
        envelope = await self._post(form)
        if envelope is None:
            raise Transient("Kie's upload host answered something that is not an envelope")
        if envelope.code in wire.BUSY_CODES:
            raise Busy(f"Kie's upload host is busy: code {envelope.code}")
        if envelope.code in wire.PAUSED_CODES:
            raise Paused(f"Kie refuses every upload: {envelope.code} {envelope.message[:200]}", code=envelope.code)
        if envelope.code in wire.REFUSED_CODES:
            raise UploadRefused(envelope.code)
        address = self._address(envelope.data) if envelope.code == wire.OK else None
        if address is None:
            raise Transient(f"Kie's upload host answered code {envelope.code} without an address")
        return address

    async def _post(self, form: aiohttp.FormData) -> wire.Envelope | None:
        connector = aiohttp.TCPConnector(force_close=True)
        try:
            async with (
                aiohttp.ClientSession(headers=self._headers, connector=connector, timeout=UPLOAD_TIMEOUT) as session,
                session.post(f"{self._base_url}{PATH}", data=form, allow_redirects=False) as response,
            ):
                return wire.decode(await response.content.read(LARGEST_ANSWER_BYTES), response.status)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Transient(f"a file could not be brought to Kie: {type(error).__name__}") from None

    def _address(self, data: object) -> str | None:
        """The address in an answer, if tasks can use it: https, or on the upload host itself."""
        found = data.get("downloadUrl") if isinstance(data, Mapping) and data.get("success", True) is True else None
        if not isinstance(found, str) or len(found) > LONGEST_ADDRESS:
            return None
        parts = urlsplit(found)
        is_ours = parts.scheme == "http" and parts.hostname == self._own_host
        return found if parts.hostname and (parts.scheme == "https" or is_ours) else None

"""The upload host and the download host, and the bytes of result files.

Files are uploaded in three ways with the same answer; a file of the same path and name replaces the older one. Downloads are
plain GETs without a key. A result's bytes are rendered on the first download, in a thread, and cached.
"""

import asyncio
import base64
import binascii
import json
import mimetypes
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

import aiohttp
from aiohttp import hdrs, web
from PIL import Image

from photomat_sandbox.kie.derived import derive_picture, opened_picture, opened_video
from photomat_sandbox.kie.jobs import link_proof
from photomat_sandbox.kie.models import KieRefusal
from photomat_sandbox.kie.pictures import draw_picture, encode_picture, render_mask
from photomat_sandbox.kie.results import ResultFile
from photomat_sandbox.kie.routing import KieReply, KieRouter, base_url_of, body_of
from photomat_sandbox.kie.sound import mp3_frames, render_wav
from photomat_sandbox.kie.store import StoredUpload
from photomat_sandbox.kie.video import render_video
from photomat_sandbox.kie.world import KieWorld

ACCOUNT_FOLDER: Final = "kieai/1001"
FETCH_TIMEOUT_S: Final = 30
MAX_FILE_BYTES: Final = 100 * 2**20
ANY_TYPE: Final = "application/octet-stream"
STOCK_AGENTS: Final = ("python", "aiohttp")
KEPT_FILES: Final = 64
MAX_GENERATIONS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedFile:
    content: bytes
    folder: str
    name: str
    mime: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedFile:
    content: bytes
    mime: str


@dataclass(slots=True, kw_only=True)
class ResultRenderer:
    """Renders files, one at a time, and caches the latest."""

    world: KieWorld
    _kept: OrderedDict[str, RenderedFile] = field(default_factory=OrderedDict)
    _making: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def bytes_of(self, file: ResultFile) -> RenderedFile:
        async with self._making:
            return await self._rendered(file, MAX_GENERATIONS)

    async def _rendered(self, file: ResultFile, generations: int) -> RenderedFile:
        """Render a file after the results it is made from; what is older than so many generations is left out."""
        if file.name not in self._kept:
            sources = self.world.uploaded(file.sources)
            parents = [self.world.live_result(name.removeprefix("results/")) for name in file.sources]
            for parent in [found for found in parents if found is not None and generations]:
                sources.append((await self._rendered(parent, generations - 1)).content)
            side_px = self.world.settings.picture_side_px
            self._kept[file.name] = await asyncio.to_thread(render, file, side_px, sources)
        self._kept.move_to_end(file.name)
        while len(self._kept) > KEPT_FILES:
            self._kept.popitem(last=False)
        return self._kept[file.name]


def render(file: ResultFile, side_px: int, sources: Sequence[bytes] = ()) -> RenderedFile:
    """Render a file in the format its name promises, from its sources where they are of use."""
    suffix = file.name.rpartition(".")[2]
    source = opened_picture(sources)

    def drawn(side_px: int = side_px, moment: float = 0.0) -> Image.Image:
        if source is None:
            return draw_picture(file, side_px=side_px, moment=moment)
        return derive_picture(file, source, side_px=side_px, moment=moment)

    match suffix:
        case "mp4" if source is None and (same := opened_video(sources)) is not None:
            return RenderedFile(content=same, mime="video/mp4")
        case "mp4":
            return RenderedFile(content=render_video(file, drawn, side_px=side_px), mime="video/mp4")
        case "mov":
            return RenderedFile(content=render_video(file, drawn, side_px=side_px), mime="video/quicktime")
        case "wav":
            return RenderedFile(content=render_wav(file), mime="audio/wav")
        case "mp3":
            return RenderedFile(content=b"".join(mp3_frames(file)), mime="audio/mpeg")
        case _ if "-mask-" in file.name:
            return RenderedFile(content=render_mask(file, side_px=side_px), mime=f"image/{suffix}")
        case _:
            return RenderedFile(content=encode_picture(drawn(), file), mime=f"image/{suffix}")


@dataclass(slots=True, kw_only=True)
class UploadRoutes:
    """The handlers of the upload host; the session for fetching is set when the application starts."""

    world: KieWorld
    session: aiohttp.ClientSession | None = None

    def add_routes(self, app: web.Application, router: KieRouter) -> None:
        app.router.add_post("/api/file-stream-upload", router.route("upload", self.by_stream))
        app.router.add_post("/api/file-base64-upload", router.route("upload", self.by_base64))
        app.router.add_post("/api/file-url-upload", router.route("upload", self.by_url))

    async def by_stream(self, request: web.Request) -> KieReply:
        if not request.content_type.startswith("multipart/"):
            raise KieRefusal(400, "The request must be multipart/form-data")
        fields, found = await _read_form(request)
        if found is None:
            raise KieRefusal(400, "file is required")
        content, own_name, mime = found
        name = fields.get("fileName") or own_name
        return self._store(request, ReceivedFile(content=content, folder=_folder(fields), name=name, mime=mime))

    async def by_base64(self, request: web.Request) -> KieReply:
        """Accept base64 inside JSON, bare or as a data URL."""
        body = await body_of(request)
        text = str(body.get("base64Data") or "")
        if not text:
            raise KieRefusal(400, "base64Data is required")
        head, comma, rest = text.partition(",")
        mime = head.removeprefix("data:").partition(";")[0] if comma and head.startswith("data:") else ""
        try:
            content = base64.b64decode(rest if mime else text, validate=True)
        except binascii.Error as error:
            raise KieRefusal(400, "base64Data is not valid base64") from error
        name = str(body.get("fileName") or "")
        return self._store(request, ReceivedFile(content=content, folder=_folder(body), name=name, mime=mime))

    async def by_url(self, request: web.Request) -> KieReply:
        body = await body_of(request)
        url = str(body.get("fileUrl") or "")
        if not url.startswith(("http://", "https://")):
            raise KieRefusal(400, "fileUrl is required")
        folder = _folder(body)
        content, mime = await self._fetch(url)
        name = str(body.get("fileName") or unquote(urlsplit(url).path).rpartition("/")[2])
        return self._store(request, ReceivedFile(content=content, folder=folder, name=name, mime=mime))

    async def _fetch(self, url: str) -> tuple[bytes, str]:
        if self.session is None:
            raise KieRefusal(500, "the simulator is not running")
        try:
            async with asyncio.timeout(FETCH_TIMEOUT_S), self.session.get(url) as response:
                response.raise_for_status()
                content = await response.content.read(MAX_FILE_BYTES)
                return content, response.content_type
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            raise KieRefusal(400, "The file could not be fetched from fileUrl") from error

    def _store(self, request: web.Request, file: ReceivedFile) -> KieReply:
        mime = file.mime or mimetypes.guess_type(file.name)[0] or _sniffed(file.content)
        now = self.world.clock()
        name = file.name.replace("/", "_") or _made_up_name(now, mime)
        path = "/".join(part for part in (ACCOUNT_FOLDER, file.folder, name) if part)
        self.world.keep_upload(StoredUpload(path=path, content=file.content, mime=mime, uploaded_at=now))
        data = {
            "success": True,
            "fileName": name,
            "filePath": path,
            "downloadUrl": f"{base_url_of(request, self.world)}/files/{quote(path)}",
            "fileSize": len(file.content),
            "mimeType": mime,
            "uploadedAt": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        body = {"success": True, "code": 200, "msg": "File uploaded successfully", "data": data}
        response = web.Response(text=json.dumps(body, ensure_ascii=False), content_type="application/json")
        summary = f"upload of {name}, {len(file.content)} bytes, {mime}"
        return KieReply(response=response, summary=summary, detail={"path": path, "size_bytes": len(file.content)})


async def _read_form(request: web.Request) -> tuple[dict[str, str], tuple[bytes, str, str] | None]:
    form = await request.post()
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    file = form.get("file")
    if not isinstance(file, web.FileField):
        return fields, None
    mime = "" if file.content_type == ANY_TYPE else file.content_type
    return fields, (file.file.read(), file.filename, mime)


def _folder(fields: dict[str, Any]) -> str:
    folder = str(fields.get("uploadPath") or "").strip("/")
    if not folder:
        raise KieRefusal(400, "uploadPath is required")
    if ".." in folder.split("/"):
        raise KieRefusal(400, "uploadPath is not valid")
    return folder


def _made_up_name(now: float, mime: str) -> str:
    return f"{int(now * 1000)}-{secrets.token_hex(5)}{mimetypes.guess_extension(mime) or '.bin'}"


def _sniffed(content: bytes) -> str:
    known = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"OggS": "audio/ogg"}
    return next((mime for start, mime in known.items() if content.startswith(start)), ANY_TYPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadRoutes:
    world: KieWorld
    renderer: ResultRenderer

    def add_routes(self, app: web.Application, router: KieRouter) -> None:
        app.router.add_get("/results/{name}", router.route("download", self.result, needs_key=False))
        app.router.add_get("/files/{path:.+}", router.route("download", self.upload, needs_key=False))

    async def result(self, request: web.Request) -> KieReply:
        """Return a result's bytes: 404 when unknown or expired, 403 to stock agents where that is switched on."""
        name = request.match_info["name"]
        agent = request.headers.get(hdrs.USER_AGENT, "").lower()
        if self.world.settings.refuse_stock_agents and (not agent or agent.startswith(STOCK_AGENTS)):
            return _plain(403, f"download of {name} refused to agent {agent[:40]!r}")
        file = self.world.live_result(name)
        if file is None or not self._link_is_good(request, name):
            return _plain(404, f"download of {name}: not there")
        made = await self.renderer.bytes_of(file)
        response = web.Response(body=made.content, content_type=made.mime)
        return KieReply(response=response, summary=f"download of {name}, {len(made.content)} bytes")

    async def upload(self, request: web.Request) -> KieReply:
        path = request.match_info["path"]
        upload = self.world.live_upload(path)
        if upload is None:
            return _plain(404, f"download of {path}: not there")
        response = web.Response(body=upload.content, headers={hdrs.CONTENT_TYPE: upload.mime})
        return KieReply(response=response, summary=f"download of {path}, {len(upload.content)} bytes")

    def _link_is_good(self, request: web.Request, name: str) -> bool:
        """Check the expiry and proof of a short-lived link; a plain result URL has neither."""
        until = request.query.get("until")
        if until is None:
            return True
        right = until.isdecimal() and request.query.get("proof") == link_proof(name, int(until))
        return right and self.world.clock() < int(until)


def _plain(status: int, summary: str) -> KieReply:
    text = {403: "Forbidden", 404: "Not Found"}[status]
    return KieReply(response=web.Response(text=text, status=status), summary=summary, detail={"status": status})

"""An S3-speaking server in a process of its own (moto), and one that answers whatever a test wants."""

import asyncio
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
from aiohttp import web

from photomat.storage.address import FolderAddress, parse_address
from photomat.storage.places import ResultPlaces
from photomat.storage.store import BucketAccess, FileStore
from support.ports import free_ports_in_a_row
from support.telegram_sim import served

KEY_ID, SECRET = "AKIAZQKEYID000000001", "zqsecret/zqsecret+zqsecret0000000000000001"
PATIENCE_S = 30.0
BUCKET = "results"
NOT_PASSED_ON = ("transfer-encoding", "content-length")
FILE_ENDINGS = (".png", ".mp3", ".mp4")
PASSED_ON = ("content-range", "content-type", "etag", "last-modified")


@dataclass(slots=True, kw_only=True)
class RunningS3:
    url: str
    process: subprocess.Popen[bytes] = field(repr=False)

    def create_bucket(self, name: str = BUCKET) -> None:
        self.call("PUT", f"/{name}")

    def read(self, name: str) -> bytes | None:
        """An object as somebody with every right reads it; None when there is none."""
        try:
            return self.call("GET", f"/{BUCKET}/{name}")
        except urllib.error.HTTPError:
            return None

    def replace(self, name: str, data: bytes) -> None:
        """Put other bytes in the place of an object."""
        self.call("PUT", f"/{BUCKET}/{name}", data)

    def names(self) -> list[str]:
        """The names of all objects."""
        listing = self.call("GET", f"/{BUCKET}?list-type=2").decode()
        return [part.partition("</Key>")[0] for part in listing.split("<Key>")[1:]]

    def empty(self) -> None:
        """Forget everything; the bucket is there again, empty."""
        self.call("POST", "/moto-api/reset")
        self.create_bucket()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def call(self, method: str, path: str, data: bytes | None = None) -> bytes:
        signed = {
            "Authorization": f"AWS4-HMAC-SHA256 Credential={KEY_ID}/20260101/us-east-1/s3/aws4_request",
            "Content-Type": "application/octet-stream",
        }
        request = urllib.request.Request(f"{self.url}{path}", data=data, method=method, headers=signed)  # noqa: S310  loopback
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
            return bytes(answer.read())


@contextmanager
def running_s3(port: int | None = None) -> Iterator[RunningS3]:
    """Start the server with an empty bucket; it keeps nothing when it is killed."""
    port = port or free_ports_in_a_row(1)
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = RunningS3(url=f"http://127.0.0.1:{port}", process=process)
    try:
        _wait_for(server)
        server.create_bucket()
        yield server
    finally:
        server.kill()


def _wait_for(server: RunningS3) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            server.call("GET", "/")
        except OSError:
            assert server.process.poll() is None, "the S3 server ended"
            assert time.monotonic() < deadline, "the S3 server does not answer"
            time.sleep(0.05)
        else:
            return


def places_of(url: str, folder: Path, *, address: str = f"s3://{BUCKET}/shop") -> ResultPlaces:
    """The places of one instance whose disk is `folder`."""
    access = BucketAccess(endpoint=url, key_id=KEY_ID, secret=SECRET)
    return ResultPlaces(
        current=FileStore(parse_address(address), access=access),
        folder=FileStore(FolderAddress(folder / "results")),
        tmp=folder / "tmp",
        access=access,
    )


def environment_of(url: str, *, address: str = f"s3://{BUCKET}/shop") -> dict[str, str]:
    """The same as settings."""
    return {
        "RESULTS_STORE": address,
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": KEY_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET,
    }


@asynccontextmanager
async def answering(status: int, code: str, *, after_s: float = 0) -> AsyncIterator[str]:
    """A server that answers every request like this, and quotes the key as AWS does."""
    quoted = f"<AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId><StringToSign>{SECRET}</StringToSign>"

    async def answer(_request: web.Request) -> web.Response:
        await asyncio.sleep(after_s)
        text = f"<Error><Code>{code}</Code>{quoted}</Error>"
        return web.Response(status=status, text=text, content_type="application/xml")

    app = web.Application()
    app.router.add_route("*", "/{anything:.*}", answer)
    async with served(app) as url:
        yield url


@asynccontextmanager
async def spoiled_way(s3: RunningS3, spoil: Callable[[bytes], bytes], *, method: str = "GET") -> AsyncIterator[str]:
    """A way to the server that once changes the bytes of a file that is read, or written with PUT."""
    left = [True]

    def passed_on(request: web.Request, body: bytes) -> bytes:
        is_file = request.method == method and request.path.endswith(FILE_ENDINGS)
        return spoil(body) if is_file and left and left.pop() else body

    async def forward(request: web.Request) -> web.Response:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in NOT_PASSED_ON}
        body = await request.read()
        sent = passed_on(request, body) if method == "PUT" else body
        async with (
            aiohttp.ClientSession(auto_decompress=False) as session,
            session.request(request.method, f"{s3.url}{request.path_qs}", data=sent, headers=headers) as answer,
        ):
            body = await answer.read()
            body = passed_on(request, body) if method == "GET" else body
            kept = {name: value for name, value in answer.headers.items() if name.lower() in PASSED_ON}
            if request.method == "HEAD":
                return web.Response(
                    status=answer.status, headers={**kept, "Content-Length": answer.headers["Content-Length"]}
                )
            return web.Response(status=answer.status, body=body, headers=kept)

    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_route("*", "/{anything:.*}", forward)
    async with served(app) as url:
        yield url

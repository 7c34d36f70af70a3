"""The store of results: a file can be written, read back and deleted, and is not public."""

import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Final

import aiohttp

from photomat.app.result_store import result_places
from photomat.checks.context import CheckContext
from photomat.checks.findings import Finding, failure, ok, verify, warning
from photomat.delivery.outputs import store_owner
from photomat.kernel.errors import Transient
from photomat.kernel.private_files import make_private
from photomat.storage.errors import IN_WORDS, StoreTrouble, StoreUnavailable
from photomat.storage.places import ResultPlaces
from photomat.storage.store import FileStore

MIN_FREE_BYTES: Final = 1 << 30
PUBLIC_WITHIN: Final = aiohttp.ClientTimeout(total=10)
READABLE: Final = 200
ADVICE: Final = {
    StoreTrouble.NO_BUCKET: "create the bucket, or correct RESULTS_STORE.",
    StoreTrouble.WRONG_KEYS: "correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    StoreTrouble.NOT_ALLOWED: "let the key read, write, list and delete objects of this bucket.",
    StoreTrouble.WRONG_REGION: "set AWS_REGION to the region of the bucket.",
    StoreTrouble.UNREACHABLE: "correct AWS_ENDPOINT_URL, and see whether this machine may reach it.",
    StoreTrouble.SERVER_ERROR: "look at the status page of your provider, and check again.",
    StoreTrouble.NO_ROOM: "make room.",
    StoreTrouble.FOREIGN: "use a bucket, a prefix or a folder of its own for each installation.",
}


async def results_store(context: CheckContext) -> list[Finding]:
    places = result_places(context.settings)
    folder = places.current.folder
    if folder is not None:
        if await _is_foreign(context, places):
            return [_refused(places, StoreTrouble.FOREIGN)]
        return _folder(folder, "DATA_DIR" if places.current is places.folder else "RESULTS_STORE")
    return [*await _bucket(context, places), *_local_disk(context.settings.data_dir)]


async def _is_foreign(context: CheckContext, places: ResultPlaces) -> bool:
    try:
        return await places.is_foreign(places.current, owner=await store_owner(context.pool))
    except StoreUnavailable:
        return False


def _refused(places: ResultPlaces, trouble: StoreTrouble) -> Finding:
    return failure(
        f"Copies of results cannot be kept in {places.current.address}: {IN_WORDS[trouble]}.", ADVICE[trouble]
    )


def _folder(results: Path, setting: str) -> list[Finding]:
    try:
        make_private(results)
        with tempfile.TemporaryFile(dir=results) as file:
            file.write(b"photomat check")
    except OSError as error:
        return [
            failure(f"Copies of results cannot be kept in {setting}: {error.strerror}.", f"make {setting} writable.")
        ]
    return [ok(f"Copies of results can be kept in {setting}."), *_little_room(results, setting)]


def _local_disk(data_dir: Path) -> list[Finding]:
    return _little_room(data_dir, "DATA_DIR") if data_dir.is_dir() else []


def _little_room(folder: Path, setting: str) -> list[Finding]:
    free = shutil.disk_usage(folder).free
    if free >= MIN_FREE_BYTES:
        return []
    return [warning(f"Only {free >> 20} MiB are free in {setting}.", "make room before customers notice.")]


async def _bucket(context: CheckContext, places: ResultPlaces) -> list[Finding]:
    """Write, read back and delete a small file; the words of a failure hold no key and no answer of the server."""
    store, name, data = places.current, f"check/{secrets.token_hex(8)}.txt", secrets.token_bytes(64)
    try:
        await places.require_ours(store, owner=await store_owner(context.pool))
        await store.put_bytes(name, data, mime="text/plain")
        read = await store.read_small(name, most_bytes=len(data))
        finding = await _privacy(store, name)
        await store.delete([name])
        is_gone = await store.find(name) is None
    except StoreUnavailable as error:
        return [_refused(places, error.trouble)]
    except Transient as error:
        return [failure(f"The store {store.address} lost a file at once: {error}.", "use another provider.")]
    kept = verify(
        read == data and is_gone,
        f"Copies of results can be written to {store.address}, read back and deleted.",
        "the server does not do what S3 does: use another provider.",
    )
    return [kept, finding]


async def _privacy(store: FileStore, name: str) -> Finding:
    """Whether a client without a key can read a file."""
    try:
        url = await store.plain_url(name)
        async with (
            aiohttp.ClientSession(timeout=PUBLIC_WITHIN) as session,
            session.get(url, allow_redirects=False) as answer,
        ):
            is_public = answer.status == READABLE
    except (TimeoutError, aiohttp.ClientError):
        is_public = False
    if is_public:
        return failure(
            "Anybody can read the files of the bucket without a key.", "make the bucket private: block public access."
        )
    return ok("Nobody reads the files of the bucket without a key.")

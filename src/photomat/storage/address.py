"""Where a store is, as RESULTS_STORE names it: a folder, or `s3://bucket/prefix`. Keys never stand in an address."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

BUCKET: Final = "s3"
FOLDER: Final = "file"
BUCKET_NAME: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
PREFIX: Final = re.compile(r"[A-Za-z0-9!_.*'()-]+(/[A-Za-z0-9!_.*'()-]+)*")
NO_KEYS: Final = "must hold no keys and no parameters: keys go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


@dataclass(frozen=True, slots=True)
class FolderAddress:
    path: Path

    def __str__(self) -> str:
        return self.path.absolute().as_uri()


@dataclass(frozen=True, slots=True)
class BucketAddress:
    bucket: str
    prefix: str = ""

    def __str__(self) -> str:
        return f"{BUCKET}://{self.bucket}/{self.prefix}".rstrip("/")


StoreAddress: TypeAlias = FolderAddress | BucketAddress


def folder_address(path: Path) -> FolderAddress:
    """The address of a folder in one spelling: absolute, and without `..`, which follows symbolic links."""
    path = Path("/", *path.absolute().parts[1:])
    return FolderAddress(path.resolve() if ".." in path.parts else path)


def parse_address(text: str) -> StoreAddress:
    """The address; raises ValueError in words that quote nothing of it, because it may hold a key."""
    scheme, separator, _ = text.partition("://")
    if not separator:
        return folder_address(Path(text))
    if scheme == FOLDER:
        return folder_address(Path(unquote(urlsplit(text).path)))
    if scheme != BUCKET:
        raise ValueError("must be a folder, or s3://bucket/prefix")
    return _bucket(text)


def _bucket(text: str) -> BucketAddress:
    if "@" in text or "?" in text or "#" in text:
        raise ValueError(NO_KEYS)
    bucket, _, prefix = text.removeprefix(f"{BUCKET}://").partition("/")
    prefix = prefix.strip("/")
    if BUCKET_NAME.fullmatch(bucket) is None:
        raise ValueError("must name a bucket: s3://bucket/prefix, with small letters, digits, dots and hyphens")
    if prefix and (PREFIX.fullmatch(prefix) is None or {".", ".."} & set(prefix.split("/"))):
        raise ValueError("must have a plain prefix: letters, digits, - _ . and /")
    return BucketAddress(bucket, prefix)

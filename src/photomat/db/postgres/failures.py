"""Failures of the embedded server's start as `Startup` errors: one sentence that says what to do."""

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
def as_startup_errors(data_dir: Path) -> Iterator[None]:
    """Translate errors of the file system, and a program of PostgreSQL that does not finish."""
    try:
        yield
    except subprocess.TimeoutExpired as error:
        raise Startup(
            f"PostgreSQL did not finish its work in {data_dir} within {error.timeout:.0f} s; "
            "look whether the disk still answers, and start again."
        ) from error
    except OSError as error:
        raise _file_error(data_dir, error) from error


def explain(data_dir: Path, output: str) -> Startup:
    """Find the reason in the output of a failed program of PostgreSQL."""
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
    reason = " / ".join(output.strip().splitlines()[-LAST_LINES:]) or "without any output"
    return Startup(f"The embedded PostgreSQL in {data_dir} does not start ({reason}); see {data_dir}/postgres.log.")


def _out_of_reach(programs: Path) -> Startup:
    return Startup(
        f"PostgreSQL does not run as root, and here the user it runs as instead cannot reach its programs in {programs} "
        "(passing closed folders takes the capability CAP_SETPCAP); start Photomat as an ordinary user, or install it "
        "below a folder open to everyone (for example /opt/photomat), or set DATABASE_URL."
    )


def _file_error(data_dir: Path, error: OSError) -> Startup:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return _no_space(data_dir)
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return Startup(
            f"{error.filename or data_dir} is not ours to write ({error.strerror}); "
            "correct its owner or set DATA_DIR to a folder that is."
        )
    return Startup(f"DATA_DIR {data_dir} cannot be used: {error.strerror or error}.")


def _no_space(data_dir: Path) -> Startup:
    return Startup(f"There is no space left on the disk of {data_dir}; free some and start again, the data is safe.")


def _is_full(data_dir: Path) -> bool:
    disk = os.statvfs(data_dir)
    return disk.f_bavail * disk.f_frsize < FREE_BYTES_NEEDED

"""Temporary files without a name below DATA_DIR: nothing is left of them, whatever happens."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from photomat.kernel.errors import Transient
from photomat.kernel.private import make_private


class OwnDisk(Transient):
    """Our own disk is in trouble: nothing is said of the file."""


@contextmanager
def temporary_file(folder: Path) -> Iterator[BinaryIO]:
    """An empty file, open for reading and writing; gone after the block. Raises OwnDisk."""
    try:
        make_private(folder)
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  closed below; only what opening raises is translated
    except OSError as error:
        raise OwnDisk(f"the disk takes no temporary file: {type(error).__name__}") from None
    with file:
        yield file

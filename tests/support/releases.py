"""Versions that operators may go back to: `tests/releases` holds the package of each, as it was released."""

import tarfile
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "releases"


def unpack_previous_version(folder: Path) -> Path:
    """Unpack the newest released version; what is given can be started as `program`."""
    (newest,) = sorted(FOLDER.glob("photomat-*.tar.xz"))[-1:]
    with tarfile.open(newest) as archive:
        archive.extractall(folder, filter="data")
    return folder

"""Versions that operators may go back to: `tests/releases` holds the package of each, as it was released."""

import zipfile
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "releases"


def unpack_previous_version(folder: Path) -> Path:
    """Unpack the newest released version; what is given can be started as `program`."""
    (newest,) = sorted(FOLDER.glob("photomat-*.zip"))[-1:]
    with zipfile.ZipFile(newest) as archive:
        archive.extractall(folder)
    return folder

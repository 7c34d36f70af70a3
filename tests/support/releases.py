"""Versions that operators may go back to: `tests/releases` holds the package of each, as it was released."""

import zipfile
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "releases"


def unpack_previous_version(folder: Path) -> Path:
    """Unpack the newest released version; what is given can be started as `program`."""
    return _unpack(max(FOLDER.glob("photomat-*.zip"), key=version_of), folder)


def unpack_first_version(folder: Path) -> Path:
    """Unpack the oldest released version, likewise."""
    return _unpack(min(FOLDER.glob("photomat-*.zip"), key=version_of), folder)


def version_of(package: Path) -> tuple[int, ...]:
    """The version in a package's name, as numbers: 0.10 comes after 0.9."""
    return tuple(int(part) for part in package.stem.removeprefix("photomat-").split("."))


def _unpack(package: Path, folder: Path) -> Path:
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder)
    return folder

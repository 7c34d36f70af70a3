"""The commands as an operator starts them: a real process to its end, with these settings and no others."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from photomat.settings import Settings

PHOTOMAT = Path(sys.executable).with_name("photomat")
PATIENCE_S = 60


def photomat(*arguments: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with these settings and no others."""
    ours = {name.upper() for name in Settings.model_fields} | {"RENDER"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [PHOTOMAT, *arguments],
        env=environment | {"DATA_DIR": str(folder / "var")} | settings,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def answer(*arguments: str, folder: Path, database: str) -> Any:
    """The JSON a command prints for machines."""
    ended = photomat(*arguments, "--json", folder=folder, DATABASE_URL=database)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)

"""Many commands in one process of its own: loading the program and its catalogue once makes a command cost milliseconds.

Run as a module it reads command lines as JSON and prints how each of them ended.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

TESTS: Final = Path(__file__).parents[1]
LIMIT_S: Final = 600


def run_all(lines: Sequence[str], *, folder: Path, **settings: str) -> list[dict[str, Any]]:
    """The exit code and the output of each command, in order; all see one folder, and these settings alone."""
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    ended = subprocess.run(
        [sys.executable, "-m", "support.many_commands"],
        input=json.dumps(lines),
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(paths), "DATA_DIR": str(folder), **settings},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert ended.returncode == 0, ended.stderr
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found


def _run(line: str) -> dict[str, Any]:
    from support.contract import main  # noqa: PLC0415  the parent has no use for the program

    said, code = io.StringIO(), 0
    sys.argv = ["photomat", *line.split()]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return {"line": line, "code": code, "said": said.getvalue()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps([_run(line) for line in json.load(sys.stdin)]))

"""As root, the whole installation may lie below a folder that is closed to everyone else, as root's home is."""

import shutil
import stat
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from photomat.db.postgres.binaries import INSTALL, WHEEL
from support.owner import ROOT_OF_A_CONTAINER, as_root, needs_setpriv, owner_of, remember, remembered, server_pid
from support.source import ROOT

WITHOUT_SETPCAP: Final = ("setpriv", "--bounding-set=-setpcap")
OPEN_FILES, CLOSED_FILES = "umask 022", "umask 077"
DAC_OVERRIDE: Final = 1 << 1
DAC_READ_SEARCH: Final = 1 << 2

pytestmark = [as_root, needs_setpriv]


@pytest.fixture
def python(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A virtual environment with our package and PostgreSQL, below a folder of mode 0700 that belongs to root.

    After `umask 077` (the test's parameter) every file of it is closed to others as well. What neither PostgreSQL nor its
    launcher touches is not copied.
    """
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    environment = home / "checkout" / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, timeout=600)
    packages = Path(next((environment / "lib").iterdir()), "site-packages")
    for file in metadata.files(WHEEL) or ():
        if file.parts[0] != "..":
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file.locate(), target)
    shutil.copytree(ROOT / "src" / "photomat", home / "checkout" / "src" / "photomat")
    elsewhere = {
        str(Path(str(file.locate())).parents[1])
        for file in metadata.files("asyncpg") or ()
        if file.match("asyncpg/__init__.py")
    }
    (packages / "test.pth").write_text("\n".join([str(home / "checkout" / "src"), *elsewhere]))
    if request.param == CLOSED_FILES:
        subprocess.run(["/bin/chmod", "-R", "go-rwx", str(home)], check=True, timeout=600)
    return environment / "bin" / "python"


@pytest.mark.parametrize(
    ("python", "prefix"),
    [(OPEN_FILES, ()), (CLOSED_FILES, ROOT_OF_A_CONTAINER)],
    ids=["root", "root in a container, files closed too"],
    indirect=["python"],
)
async def test_it_starts_in_roots_home_and_nobody_else_gets_in(python: Path, prefix: tuple[str, ...]) -> None:
    checkout = python.parents[2]
    data = checkout / "var"
    with owner_of(data, prefix=prefix, python=python) as owner:
        dsn = owner.line()
        assert dsn.startswith("postgresql://"), dsn
        await remember(dsn, "reached")
        assert await remembered(dsn) == ["reached"]
        program, status = _process(server_pid(data))
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(dsn.replace((data / "postgres.password").read_text(), "guess"), timeout=120)
        assert _mode(data / "socket") == 0o700
        owner.stop()
    assert program.is_relative_to(checkout), "the server of this installation was started"
    assert f"{INSTALL}/bin/postgres" in str(program)
    assert "\nUid:\t0" not in status
    assert _capabilities(status) in {DAC_OVERRIDE, DAC_READ_SEARCH}, "one capability, to pass the folders"
    assert _mode(checkout.parent) == 0o700, "no permission of a folder above was changed"


@pytest.mark.parametrize("python", [OPEN_FILES], indirect=True)
def test_where_the_kernel_forbids_it_one_sentence_says_what_to_do(python: Path) -> None:
    with owner_of(python.parents[2] / "var", prefix=WITHOUT_SETPCAP, python=python) as owner:
        said = owner.line()
    assert said.startswith("refused: PostgreSQL does not run as root")
    assert str(python.parents[1].resolve()) in said, "it names the place that is closed"
    assert "/opt" in said
    assert "DATABASE_URL" in said


def _process(pid: int) -> tuple[Path, str]:
    """Which program a process runs, and what the kernel says about it."""
    folder = Path("/proc", str(pid))
    return (folder / "exe").readlink(), (folder / "status").read_text()


def _capabilities(status: str) -> int:
    return int(status.partition("CapEff:\t")[2].split()[0], 16)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)

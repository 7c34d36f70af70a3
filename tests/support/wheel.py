"""The built wheel, installed as a stranger would: with the dependencies it declares, and nothing else of ours."""

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.source import ROOT

THIS_VERSION: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
OTHER_PYTHONS: Final = Path(sys.prefix) / "pythons"
"""Environments with the locked dependencies for other versions, made by `make prove`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A virtual environment whose packages we may use."""

    version: str
    prefix: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.prefix / "bin" / "python"

    @property
    def packages(self) -> Path:
        """Its site-packages."""
        return self.prefix / "lib" / f"python{self.version}" / "site-packages"


def environment_of(version: str) -> Environment | None:
    """The environment that holds the locked dependencies for this version of Python, if there is one."""
    prefix = Path(sys.prefix) if version == THIS_VERSION else OTHER_PYTHONS / version
    return Environment(version=version, prefix=prefix) if prefix.is_dir() else None


def build_wheel(folder: Path) -> Path:
    """Build it from the working tree with the locked back end."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=6000, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, prefix: Path, *, from_: Environment) -> Environment:
    """Make an environment with the wheel; its declared dependencies are links to those of another environment."""
    subprocess.run(
        [str(from_.python), "-m", "venv", "--without-pip", "--symlinks", str(prefix)], check=True, timeout=600
    )
    made = Environment(version=from_.version, prefix=prefix)
    uv = [str(Path(sys.prefix) / "bin" / "uv"), "pip", "install", "--quiet", "--offline", "--no-deps", "--no-index"]
    subprocess.run([*uv, "--python", str(made.python), str(wheel)], check=True, timeout=600)
    (ours,) = distributions(name="photomat", path=[str(made.packages)])
    for distribution in _needed_by(ours, from_):
        for top in {file.parts[0] for file in distribution.files or ()} - {".."}:
            if top != "__pycache__" and not (made.packages / top).exists():
                (made.packages / top).symlink_to(from_.packages / top)
    return made


def _needed_by(ours: Distribution, place: Environment) -> list[Distribution]:
    """What the wheel declares, without its extras, and what that needs in turn."""
    found = {canonicalize_name(one.name): one for one in distributions(path=[str(place.packages)])}
    needed: dict[str, Distribution] = {}
    waiting = [Requirement(line) for line in ours.requires or ()]
    while waiting:
        requirement = waiting.pop()
        markers = {"extra": "", "python_version": place.version, "python_full_version": f"{place.version}.0"}
        name = canonicalize_name(requirement.name)
        if name in needed or (requirement.marker is not None and not requirement.marker.evaluate(markers)):
            continue
        assert name in found, f"{name} is declared and not locked for Python {place.version}"
        needed[name] = found[name]
        waiting += [Requirement(line) for line in found[name].requires or ()]
    return list(needed.values())

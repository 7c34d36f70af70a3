"""The deploy files, parsed: instructions that exist, files that are there, settings that are settings, promises kept."""

import configparser
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from photomat.app.settings import Settings
from support.pages import prose
from support.source import ROOT

SETTINGS = {name.upper() for name in Settings.model_fields}
INSTRUCTIONS = {
    *("FROM", "RUN", "CMD", "LABEL", "EXPOSE", "ENV", "ADD", "COPY", "ENTRYPOINT", "VOLUME", "USER", "WORKDIR", "ARG"),
    *("ONBUILD", "STOPSIGNAL", "HEALTHCHECK", "SHELL"),
}
OF_TOOLS = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"} | {
    *("UV_SYSTEM_CERTS", "UV_LINK_MODE", "UV_COMPILE_BYTECODE", "UV_NO_CACHE")
}
"""Variables of an image that are not ours."""


def dockerfile() -> list[tuple[str, str]]:
    """(instruction, the rest), continued lines joined, comments left out."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", lines)
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def of(instruction: str) -> list[str]:
    """What follows each use of an instruction."""
    return [rest for word, rest in dockerfile() if word == instruction]


def environment(assignments: str) -> dict[str, str]:
    """`A=1 B=2` as a mapping."""
    return dict(word.split("=", 1) for word in shlex.split(assignments))


def document(name: str) -> Mapping[str, Any]:
    """A YAML file."""
    loaded: Mapping[str, Any] = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    return loaded


def test_every_instruction_of_the_dockerfile_exists() -> None:
    words = [word for word, _ in dockerfile()]
    assert words[0] == "FROM"
    assert set(words) <= INSTRUCTIONS


def test_what_the_dockerfile_copies_is_there_and_not_ignored() -> None:
    kept = {line[1:] for line in _ignore_lines() if line.startswith("!")}
    assert _ignore_lines()[0] == "*", "everything is left out but what is named"
    for source in _copied():
        assert (ROOT / source).exists(), source
        assert any(source == name or source.startswith(f"{name}/") for name in kept), f"{source} is in .dockerignore"
    assert all((ROOT / name).exists() for name in kept)


def test_the_image_is_built_from_the_locks_with_their_hashes() -> None:
    installs = [
        step for run in of("RUN") for step in run.split("&&") if " install " in step and "requirements/" in step
    ]
    assert {word for step in installs for word in step.split() if word.startswith("requirements/")} == {
        "requirements/bootstrap.txt",
        "requirements/run.txt",
        "requirements/audio.txt",
    }
    assert all("--require-hashes" in step for step in installs)
    ours = [step for run in of("RUN") for step in run.split("&&") if step.split()[-1] == "."]
    assert len(ours) == 1
    assert {"--no-deps", "--no-build-isolation"} <= set(ours[0].split())


def test_the_image_runs_the_program_as_an_ordinary_user() -> None:
    last_stage = dockerfile()[max(place for place, (word, _) in enumerate(dockerfile()) if word == "FROM") :]
    user = next(rest for word, rest in last_stage if word == "USER")
    assert user not in {"root", "0"}
    assert any("useradd" in run and user in run.split() for run in of("RUN"))
    assert of("CMD") == ['["photomat", "run"]'], "a list, so that SIGTERM reaches the program and no shell"
    assert user.isdecimal(), "by number: Kubernetes can tell that it is not root only then"
    assert of("FROM")[-1].partition("@")[0] == "python:3.11-slim"


def test_the_image_is_asked_for_its_health_where_it_listens() -> None:
    (check,) = of("HEALTHCHECK")
    settings = _image_environment()
    assert "/health" in check
    assert "os.environ['PORT']" in check
    assert of("EXPOSE") == [settings["PORT"]]
    code = re.search(r'"-c", "(.+)"\]', check)
    assert code is not None
    compile(code[1], "HEALTHCHECK", "exec")


def test_the_image_makes_no_nameless_volume() -> None:
    """Docker would mount it silently, the program would believe in it, and the next container would find nothing."""
    assert of("VOLUME") == []
    assert _image_environment()["DATA_DIR"] == "/data"


def test_variables_of_the_image_are_settings_or_known_tools() -> None:
    assert set(_image_environment()) | {name for line in of("ENV") for name in environment(line)} <= SETTINGS | OF_TOOLS


def test_compose_starts_the_bot_after_a_healthy_database_that_is_kept() -> None:
    services = document("compose.yaml")["services"]
    bot, postgres = services["bot"], services["postgres"]
    assert bot["depends_on"]["postgres"]["condition"] == "service_healthy"
    assert postgres["image"].partition("@")[0] == "postgres:17"
    assert "pg_isready" in " ".join(postgres["healthcheck"]["test"])
    assert "/health" in " ".join(bot["healthcheck"]["test"])
    named = set(document("compose.yaml")["volumes"])
    mounted = {line.partition(":")[0] for service in services.values() for line in service["volumes"]}
    assert mounted == named
    assert _seconds(bot["stop_grace_period"]) > 10


def test_compose_hands_the_bot_its_settings_and_no_others() -> None:
    services = document("compose.yaml")["services"]
    given = services["bot"]["environment"]
    assert set(given) <= SETTINGS
    postgres = services["postgres"]["environment"]
    password = re.escape(postgres["POSTGRES_PASSWORD"])
    user, name = postgres["POSTGRES_USER"], postgres["POSTGRES_DB"]
    assert re.fullmatch(rf"postgresql://{user}:{password}@postgres:5432/{name}", given["DATABASE_URL"])
    assert any(line.endswith(f":{given['DATA_DIR']}") for line in services["bot"]["volumes"])
    assert any(line.endswith(f":{given['PORT']}") for line in services["bot"]["ports"])


def test_compose_gives_the_bot_no_privilege_and_nothing_to_write_but_its_data() -> None:
    bot = document("compose.yaml")["services"]["bot"]
    assert (bot["read_only"], bot["tmpfs"], bot["cap_drop"]) == (True, ["/tmp"], ["ALL"])  # noqa: S108  the container's
    assert bot["security_opt"] == ["no-new-privileges:true"]


def test_render_runs_one_docker_service_with_its_database() -> None:
    blueprint = document("render.yaml")
    (service,), (database,) = blueprint["services"], blueprint["databases"]
    assert (service["type"], service["runtime"], service["numInstances"]) == ("web", "docker", 1)
    assert service["healthCheckPath"] == "/health"
    assert (ROOT / service["dockerfilePath"]).is_file()
    assert service["maxShutdownDelaySeconds"] > 10
    assert service["region"] == database["region"], "the private network does not cross regions"
    assert int(database["postgresMajorVersion"]) >= 15


def test_render_sets_only_settings_and_no_secret() -> None:
    blueprint = document("render.yaml")
    variables = {one["key"]: one for one in blueprint["services"][0]["envVars"]}
    assert set(variables) <= SETTINGS
    assert {"BOT_TOKEN", "KIE_API_KEY", "DATABASE_URL"} <= set(variables)
    assert variables["DATABASE_URL"]["fromDatabase"] == {
        "name": blueprint["databases"][0]["name"],
        "property": "connectionString",
    }
    for name in ("BOT_TOKEN", "KIE_API_KEY", "KIE_WEBHOOK_KEY"):
        assert variables[name]["sync"] is False
        assert "value" not in variables[name]
    assert "PUBLIC_URL" not in variables, "Render tells its own address"
    assert "RENDER_EXTERNAL_URL" in SETTINGS


def test_render_sets_values_the_program_accepts() -> None:
    variables = document("render.yaml")["services"][0]["envVars"]
    values = {one["key"].lower(): one["value"] for one in variables if "value" in one}
    assert all(isinstance(value, str) for value in values.values()), "YAML numbers would lose their form"
    Settings.model_validate(values)


def test_systemd_tells_the_bot_alone_to_stop() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's names keep their capitals
    unit.read_string((ROOT / "deploy" / "photomat.service").read_text(encoding="utf-8"))
    service = unit["Service"]
    assert service["KillMode"] == "mixed"
    assert service["KillSignal"] == "SIGTERM"
    assert int(service["TimeoutStopSec"]) >= 45, "the bot's ten seconds and then its database's thirty"
    assert service["ExecStart"].endswith(".venv/bin/photomat run")
    assert service["User"] not in {"", "root"}
    name, _, folder = service["Environment"].partition("=")
    assert name in SETTINGS
    assert folder == f"/var/lib/{service['StateDirectory']}"


def test_systemd_knows_every_line_of_the_unit_and_finds_it_closed(tmp_path: Path) -> None:
    """Asked of systemd itself, where it is installed: an option it does not know would be ignored without a word."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "photomat.service"
    text = (ROOT / "deploy" / "photomat.service").read_text(encoding="utf-8")
    unit.write_text(re.sub(r"^ExecStart=.*$", "ExecStart=/bin/true", text, flags=re.MULTILINE), encoding="utf-8")
    verified = _systemd_analyze("verify", str(unit))
    assert (verified.returncode, verified.stderr) == (0, "")
    judged = _systemd_analyze("security", "--offline=true", "--threshold=20", str(unit))
    assert judged.returncode == 0, judged.stdout.splitlines()[-1]


def test_the_page_about_deploying_speaks_of_settings_that_exist() -> None:
    spoken = set(re.findall(r"`([A-Z][A-Z_]{3,})(?:=[^`]*)?`", prose(ROOT / "docs" / "deploy.md")))
    tags = {"STARTED", "MARK_DELIVERED", "RING"}
    assert spoken - tags - {"VOLUME"} <= SETTINGS
    assert {"BOT_TOKEN", "KIE_API_KEY", "PUBLIC_URL", "DATABASE_URL", "EMBEDDED_OK"} <= spoken


def _systemd_analyze(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/usr/bin/env", "systemd-analyze", *words], capture_output=True, text=True, check=False, timeout=300
    )


def _ignore_lines() -> list[str]:
    text = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _copied() -> Iterator[str]:
    for rest in of("COPY"):
        words = shlex.split(rest)
        if not any(word.startswith("--from=") for word in words):
            yield from (word for word in words[:-1] if not word.startswith("--"))


def _image_environment() -> dict[str, str]:
    return environment(of("ENV")[-1])


def _seconds(span: str) -> int:
    return int(span.removesuffix("s"))

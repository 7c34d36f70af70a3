"""docs/first-customer.md, followed: the installation on a stand-in of a server in the gate, the whole page in the long form."""

import asyncio
import re
import shlex
import signal
import stat
from pathlib import Path
from typing import Final

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from photomat.cli.main import app
from support.customer import Customer
from support.first_customer import PAGES, Server, blocks, clone_for, commands
from support.kie_sim import running_kie
from support.patience import until
from support.ports import free_ports_in_a_row
from support.purse import opens_a_bill, pays
from support.system import TOKEN
from support.telegram_sim import running_telegram

INSTALL: Final = "sudo /opt/photomat/deploy/install bot.example.org"
KEY: Final = "kie-key-of-the-test"
OPERATOR: Final = 4_900_001
TYPED: Final = f"{TOKEN}\n{KEY}\n{OPERATOR}\n"
"""What the page has the reader paste: token, key, their own id."""


def values(server: Server) -> dict[str, str]:
    """The settings that are set in .env."""
    text = (server.program / ".env").read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE))


def test_both_languages_have_the_same_commands() -> None:
    assert blocks(PAGES[0]) == blocks(PAGES[1])
    assert [len(re.findall(r"^## ", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in PAGES] == [15, 15]
    assert INSTALL in commands(PAGES[0])


@pytest.mark.parametrize("line", [line for line in commands(PAGES[0]) if line.startswith("sudo photomat ")])
def test_every_command_of_the_page_is_one_the_program_understands(line: str) -> None:
    command = get_command(app)
    words = shlex.split(line)[2:]
    while isinstance(command, TyperGroup) and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    command.make_context(line, words)


def test_one_command_installs_and_keeps_the_keys_to_the_bots_user(tmp_path: Path) -> None:
    server = Server.make(tmp_path)
    clone_for(server)
    done = server.types(INSTALL, answers=TYPED)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("Photomat runs. Now: sudo photomat check\n")
    assert values(server) == {
        "BOT_TOKEN": TOKEN,
        "KIE_API_KEY": KEY,
        "ADMIN_IDS": str(OPERATOR),
        "PUBLIC_URL": "https://bot.example.org",
        "HOST": "127.0.0.1",
        "DATA_DIR": str(tmp_path / "var" / "lib" / "photomat"),
    }
    assert stat.S_IMODE((server.program / ".env").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "var" / "lib" / "photomat").stat().st_mode) == 0o700
    assert TOKEN not in done.stdout + done.stderr
    assert f"chown photomat: {server.program}/.env" in server.asked
    assert [line for line in server.asked if line.startswith("systemctl")] == [
        "systemctl reload-or-restart caddy",
        "systemctl daemon-reload",
        "systemctl enable --quiet photomat",
        "systemctl restart photomat",
    ]


def test_the_installed_files_lead_to_this_clone_and_this_name(tmp_path: Path) -> None:
    server = Server.make(tmp_path)
    clone_for(server)
    assert server.types(INSTALL, answers=TYPED).returncode == 0
    unit = (tmp_path / "etc" / "systemd" / "system" / "photomat.service").read_text(encoding="utf-8")
    assert f"ExecStart={server.program}/.venv/bin/photomat run" in unit
    assert "/opt/photomat" not in unit.replace(str(server.program), "")
    proxy = (tmp_path / "etc" / "caddy" / "photomat.caddy").read_text(encoding="utf-8")
    assert proxy.startswith("bot.example.org {\n")
    assert "reverse_proxy 127.0.0.1:8080" in proxy
    assert (tmp_path / "etc" / "caddy" / "Caddyfile").read_text(encoding="utf-8").split() == [
        "import",
        "photomat.caddy",
    ]


def test_installing_again_changes_no_setting_and_asks_nothing(tmp_path: Path) -> None:
    server = Server.make(tmp_path)
    clone_for(server)
    assert server.types(INSTALL, answers=TYPED).returncode == 0
    own = (server.program / ".env").read_text(encoding="utf-8").replace("HOST=127.0.0.1", "HOST=10.0.0.5")
    (server.program / ".env").write_text(own, encoding="utf-8")
    again = server.types(INSTALL.replace("bot.", "shop."))
    assert again.returncode == 0, again.stderr
    assert (server.program / ".env").read_text(encoding="utf-8") == own
    assert (tmp_path / "etc" / "caddy" / "Caddyfile").read_text(encoding="utf-8").count("import") == 1


def test_a_name_may_come_later(tmp_path: Path) -> None:
    server = Server.make(tmp_path)
    clone_for(server)
    assert server.types(INSTALL.removesuffix(" bot.example.org"), answers=TYPED).returncode == 0
    assert "PUBLIC_URL" not in values(server)
    assert not (tmp_path / "etc" / "caddy").exists()
    assert server.types(INSTALL).returncode == 0
    assert values(server)["PUBLIC_URL"] == "https://bot.example.org"


@pytest.mark.parametrize(
    ("typed", "answers", "settings", "said"),
    [
        (INSTALL, f"{TOKEN}\n\n\n", {}, "Both keys are needed"),
        (INSTALL, TYPED, {"TEST_UID": "1000"}, "Run it as root"),
        (INSTALL.replace("bot.", "https://bot."), TYPED, {}, "without https://"),
    ],
    ids=["no key", "not root", "a URL for a name"],
)
def test_what_keeps_it_from_installing_is_one_sentence(
    tmp_path: Path, typed: str, answers: str, settings: dict[str, str], said: str
) -> None:
    server = Server.make(tmp_path)
    clone_for(server)
    done = server.types(typed, answers=answers, **settings)
    assert done.returncode == 1
    assert said in done.stderr.splitlines()[-1]
    assert "systemctl restart photomat" not in server.asked


@pytest.mark.prove
async def test_the_page_is_followed_to_a_paying_customer(tmp_path: Path) -> None:
    """Every command of the page in its order, on a fresh clone; Telegram and Kie are simulated, root's tools stand in."""
    async with running_telegram(token=TOKEN) as telegram, running_kie(seconds_to_success=0.3, key=KEY) as kie:
        port = free_ports_in_a_row(1)
        server = Server.make(
            tmp_path / "server",
            TELEGRAM_API_URL=telegram.url,
            KIE_API_URL=kie.url,
            KIE_UPLOAD_URL=kie.url,
            PORT=str(port),
            PUBLIC_URL=f"http://127.0.0.1:{port}",
            EMBEDDED_OK="1",
        )
        log = tmp_path / "log"
        people = [
            Customer(telegram=telegram, database="", person=person, story=log.read_text)
            for person in (telegram.person("Хозяин", user_id=OPERATOR), telegram.person("Анна"))
        ]
        service, said = None, {}
        try:
            for mark, block in blocks(PAGES[0]):
                if mark != "run":
                    continue
                if "payments list" in block:
                    await _pays_and_gets_a_picture(people[1])
                done = await asyncio.to_thread(server.types, block, answers=TYPED)
                said[block.split("\n")[0]] = done.stdout
                assert done.returncode == 0, (
                    f"{block}\n{done.stdout}{done.stderr}\n{log.read_text() if log.exists() else ''}"
                )
                if "deploy/install" in block:
                    service = await server.starts_the_service(log)
                    await until(lambda: "Photomat is running" in log.read_text(), about=log.read_text)
                if block.startswith("sudo photomat check"):
                    people[0].says("/start")
                    await people[0].finds("🖼 Создать картинку")
                if "wallet credit" in block:
                    await _orders(people[0])
        finally:
            if service is not None and service.returncode is None:
                service.send_signal(signal.SIGTERM)
                await service.wait()
    assert service is not None
    assert service.returncode == 0
    assert "✗" not in said["sudo photomat check"]
    assert "/console/" in said["sudo photomat console link"]
    assert len(list((tmp_path / "server" / "var" / "backups" / "photomat").iterdir())) == 1
    assert "stars" in said["sudo photomat payments list"].lower()
    assert list((tmp_path / "server" / "home").iterdir()) == [], "nothing is left in anybody's home"


async def _orders(customer: Customer) -> None:
    customer.says("кот-космонавт")
    await customer.taps("✅ Создать")
    await customer.gets_a_picture()
    await customer.is_rung(1)


async def _pays_and_gets_a_picture(customer: Customer) -> None:
    customer.says("/start")
    await pays(customer, await opens_a_bill(customer))
    await customer.sees("💰 Зачислено")
    await _orders(customer)

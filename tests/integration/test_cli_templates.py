"""`photomat templates` and `photomat examples` as an operator runs them."""

import asyncio
import json
import subprocess
from pathlib import Path

from support.command import photomat
from support.database import pool_of
from support.kie_sim import KEY, running_kie
from support.updates import BOT_ID

OWN = """
[[template]]
id = "my-own"
group = "picture"
title = { ru = "Моя идея", en = "My idea" }
models = ["z-image"]
prompt = { ru = "Кот и {what}", en = "A cat and {what}" }
slot = [{ name = "what", ask = "Что?", examples = { ru = ["дом"], en = ["home"] } }]
"""


def test_templates_are_added_hidden_and_listed(database: str, tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return photomat(*arguments, folder=tmp_path, DATABASE_URL=database)

    (tmp_path / "own.toml").write_text(OWN, encoding="utf-8")
    (tmp_path / "wrong.toml").write_text(OWN.replace("{what}", "{who}"), encoding="utf-8")
    assert run("templates", "add", "own.toml", "--reason", "ours").returncode == 0
    refused = run("templates", "add", "wrong.toml", "--reason", "ours")
    assert refused.returncode == 2
    assert "my-own: prompt.ru" in " ".join(refused.stderr.replace("│", "").split())
    assert run("templates", "hide", "portrait", "--reason", "x").returncode == 0
    assert run("templates", "hide", "wealth", "--reason", "x").returncode == 1
    listed = {each["id"]: each for each in json.loads(run("templates", "list", "--json").stdout)}
    assert len(listed) == 31
    assert (listed["my-own"]["added"], listed["portrait"]["hidden"]) == (True, True)
    assert run("templates", "unhide", "portrait", "--reason", "x").returncode == 0
    assert "hidden" not in run("templates", "show", "portrait").stdout


async def test_examples_are_priced_first_and_made_once(database: str, tmp_path: Path) -> None:
    async with running_kie() as kie, pool_of(database) as pool:
        keys = {"DATABASE_URL": database, "BOT_TOKEN": f"{BOT_ID}:token", "KIE_API_KEY": KEY}
        keys |= {"KIE_API_URL": kie.url, "KIE_UPLOAD_URL": kie.url}

        async def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return await asyncio.to_thread(photomat, "examples", *arguments, folder=tmp_path, **keys)

        asked = await run("make", "--only", "enhance")
        assert asked.returncode == 1, "nobody said yes"
        assert "2 examples to make, for about 1.3 Kie credits" in asked.stdout
        assert not kie.world.tasks
        made = await run("make", "--only", "enhance", "--yes", "--json")
        assert json.loads(made.stdout) == [
            {"example": "template:portrait", "outcome": "made"},
            {"example": "template:enhance", "outcome": "made"},
        ]
        assert "0 examples to make" in (await run("make", "--only", "enhance", "--yes")).stdout
        assert len(kie.world.tasks) == 2
        assert await pool.fetchval("SELECT outcome FROM operator_journal") == "2 made"
        assert (tmp_path / "var" / "examples" / "template-portrait.jpg").exists()
        listed = json.loads((await run("list", "--json")).stdout)
        assert [each["state"] for each in listed] == ["done", "done"]
        assert (await run("make", "--only", "wealth", "--yes")).returncode == 2

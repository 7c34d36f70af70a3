"""How models are sold, from the terminal: real processes, their words, their exit codes."""

import json
from pathlib import Path
from typing import Any

from support.command import answer, photomat


def listed(folder: Path, database: str) -> dict[str, Any]:
    return {each["id"]: each for each in answer("catalog", "list", folder=folder, database=database)}


async def test_a_model_is_hidden_featured_renamed_and_sold_and_the_list_tells_it(database: str, tmp_path: Path) -> None:
    def catalog(*arguments: str, code: int = 0) -> Any:
        ended = photomat("catalog", *arguments, "--json", folder=tmp_path, DATABASE_URL=database)
        assert ended.returncode == code, ended.stderr
        return json.loads(ended.stdout)

    assert catalog("hide", "z-image", "--reason", "too slow")["done"]
    assert not catalog("hide", "z-image", "--reason", "again", code=1)["done"]
    assert catalog("feature", "runway", "--reason", "sale")["done"]
    assert catalog("rename", "runway", "--ru", "Взлёт", "--reason", "brand")["done"]
    assert catalog("sell", "elevenlabs/speech-to-text", "--reason", "tried it")["done"]
    found = listed(tmp_path, database)
    assert (found["z-image"]["hidden"], found["z-image"]["sellable"]) == (True, False)
    assert (found["runway"]["featured"], found["runway"]["title"]) == (True, "Взлёт")
    assert (found["elevenlabs/speech-to-text"]["sold_though_off"], found["elevenlabs/speech-to-text"]["sellable"]) == (
        True,
        True,
    )
    shown = catalog("show", "runway")
    assert shown["set_by_operators"] == {
        "hidden": False,
        "featured": True,
        "sold": False,
        "title_ru": "Взлёт",
        "title_en": None,
    }
    assert shown["start"] == "model_runway"
    told = photomat("catalog", "show", "runway", folder=tmp_path, DATABASE_URL=database).stdout
    assert "set by operators: featured, renamed" in told
    for opposite in (["unhide", "z-image"], ["unfeature", "runway"], ["unsell", "elevenlabs/speech-to-text"]):
        assert catalog(*opposite, "--reason", "over")["done"]
    assert catalog("rename", "runway", "--back", "--reason", "over")["done"]
    again = listed(tmp_path, database)
    assert (again["z-image"]["sellable"], again["runway"]["title"]) == (True, "Runway")
    assert not again["elevenlabs/speech-to-text"]["sellable"]


async def test_a_change_needs_a_reason_and_a_model_that_is_known(database: str, tmp_path: Path) -> None:
    def refused(*arguments: str) -> str:
        ended = photomat("catalog", *arguments, folder=tmp_path, DATABASE_URL=database)
        assert ended.returncode == 2
        return " ".join(ended.stderr.split())

    assert "--reason" in refused("hide", "z-image")
    assert "is not in the catalogue" in refused("hide", "no-such-model", "--reason", "x")
    assert "choose --ru, --en or both" in refused("rename", "z-image", "--reason", "x")
    assert "choose --ru, --en or both" in refused("rename", "z-image", "--back", "--en", "Fast", "--reason", "x")

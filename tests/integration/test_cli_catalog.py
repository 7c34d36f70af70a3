"""The catalogue from the terminal: real processes, their words, their exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.command import photomat
from support.kie_list import kie_list


def asked(folder: Path, *arguments: str) -> Any:
    ended = photomat("catalog", *arguments, "--json", folder=folder)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_every_model_is_listed_with_what_it_costs_at_least(tmp_path: Path) -> None:
    listed = {each["id"]: each for each in asked(tmp_path, "list")}
    assert len(listed) == 223
    facts = ("category", "output", "status", "sellable", "price_from")
    assert [listed["z-image"][fact] for fact in facts] == ["text-to-image", "image", "current", True, 64]
    assert [listed["kling-3.0/video"][fact] for fact in facts] == ["text-to-video", "video", "current", True, 3360]
    assert [listed["sora-2-text-to-video"][fact] for fact in facts] == [
        "text-to-video",
        "video",
        "retired",
        False,
        None,
    ]
    assert sum(each["sellable"] for each in listed.values()) == 201


def test_the_check_counts_and_says_what_is_off_and_why(tmp_path: Path) -> None:
    report = asked(tmp_path, "check")
    assert (report["models"], report["statuses"]["current"], report["sellable"]) == (223, 184, 201)
    assert report["prices"] > 1000
    assert report["off"]["wan/2-6-flash-image-to-video"] == "its price is not known"
    assert "measured" in report["doubts"]["veo-3-1"]
    told = photomat("catalog", "check", folder=tmp_path).stdout
    assert "223 models" in told
    assert "mj/generate: Kie no longer sells it" in told


def test_a_model_is_shown_with_its_limits_and_a_price_for_every_choice(tmp_path: Path) -> None:
    shown = asked(tmp_path, "show", "hailuo/2-3-image-to-video-pro")
    prices = {(row["inputs"]["resolution"], row["inputs"]["duration"]): row["price"] for row in shown["prices"]}
    assert prices == {("768P", "6"): 3600, ("768P", "10"): 7200, ("1080P", "6"): 6400}
    assert [each["name"] for each in shown["inputs"]] == ["image_url", "prompt", "duration", "resolution"]
    told = photomat("catalog", "show", "hailuo/2-3-image-to-video-pro", folder=tmp_path).stdout
    assert "Hailuo 2.3 Pro" in told
    assert "768P | 1080P" in told


@pytest.mark.parametrize(
    ("model", "endpoint", "credits_", "price"),
    [
        ("kling-3.0/video", "/api/v1/jobs/createTask", "90", 7200),
        ("veo3_fast", "/api/v1/veo/generate", "60", 4800),
        ("wan/2-6-flash-image-to-video", "/api/v1/jobs/createTask", None, None),
    ],
)
def test_an_example_is_what_would_be_sent_with_its_price(
    tmp_path: Path, model: str, endpoint: str, credits_: str | None, price: int | None
) -> None:
    example = asked(tmp_path, "example", model)
    assert (example["model"], example["endpoint"]) == (model, endpoint)
    assert (example["credits"], example["price"], example["currency"]) == (credits_, price, "RUB")
    assert example["input"]["prompt"]
    if endpoint.endswith("createTask"):
        assert example["body"] == {"model": model, "input": example["input"]}


def test_what_cannot_be_ordered_or_is_not_known_is_refused_in_words(tmp_path: Path) -> None:
    gone = photomat("catalog", "example", "mj/generate", folder=tmp_path)
    assert (gone.returncode, "no longer sells it" in " ".join(gone.stderr.split())) == (2, True)
    unknown = photomat("catalog", "show", "no-such-model", folder=tmp_path)
    assert (unknown.returncode, "is not in the catalogue" in " ".join(unknown.stderr.split())) == (2, True)
    unpriced = photomat("catalog", "price", "wan/2-6-flash-image-to-video", folder=tmp_path)
    assert (unpriced.returncode, "no known price" in " ".join(unpriced.stderr.split())) == (2, True)


def test_a_list_of_kie_with_a_change_ends_with_exit_code_1(tmp_path: Path) -> None:
    listed = kie_list()
    next(entry for entry in listed if entry["id"] == "z-image")["price"]["credits"] = 1
    file = tmp_path / "models.json"
    file.write_text(json.dumps(listed), encoding="utf-8")
    ended = photomat("catalog", "diff", str(file), folder=tmp_path)
    assert ended.returncode == 1
    assert "z-image: price by default: 0.8 → 1" in ended.stdout
    found = json.loads(photomat("catalog", "diff", str(file), "--json", folder=tmp_path).stdout)
    assert {"model": "z-image", "change": "price by default: 0.8 → 1"} in found
    file.write_text("[1]", encoding="utf-8")
    assert photomat("catalog", "diff", str(file), folder=tmp_path).returncode == 2

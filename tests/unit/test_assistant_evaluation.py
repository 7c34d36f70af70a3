"""How well the rules understand requests they were not written for: the half that is held out is only scored."""

import asyncio
import json
from functools import cache

from typer.testing import CliRunner

from photomat.assistant.evaluate import HALVES, Half, Labelled, Report, evaluate, judged, labelled_requests
from photomat.assistant.plan import Request
from photomat.assistant.rules import plan
from photomat.catalog.load import load_catalog
from photomat.catalog.storefront import storefront_of
from photomat.cli.assistant import by_rules
from photomat.cli.main import app

SHOP = storefront_of(load_catalog(), {}, accepts_callbacks=True)
MIN_RIGHT = 0.85
MIN_FILLED = 0.80


@cache
def scored(half: Half) -> Report:
    requests = [each for each in labelled_requests() if each.half == half]
    return asyncio.run(evaluate(by_rules(SHOP), requests, SHOP))


def test_requests_that_were_held_out_are_understood() -> None:
    score = scored("held-out").overall
    assert score.right_share >= MIN_RIGHT
    assert score.filled_share >= MIN_FILLED
    assert score.most_questions <= 1


def test_requests_the_rules_were_written_on_are_understood() -> None:
    score = scored("dev").overall
    assert score.right_share >= 0.95
    assert score.filled_share >= 0.95
    assert score.most_questions <= 1


def verdict(words: str, *, wish: str, inputs: dict[str, object] | None = None, prompt: str = "") -> tuple[bool, bool]:
    request = Request(words=words, language="ru")
    labelled = Labelled(request=request, wish=wish, half="dev", inputs=inputs or {}, prompt=tuple(prompt.split()))
    found = judged(labelled, plan(request, SHOP), SHOP)
    return found.right, found.filled


def test_a_plan_is_filled_when_settings_and_description_are_what_was_said() -> None:
    assert verdict("кот, вертикально", wish="picture", inputs={"format": "9:16"}, prompt="кот") == (True, True)
    assert verdict("кот, вертикально", wish="picture", inputs={"format": "16:9"}) == (True, False)
    assert verdict("кот, вертикально", wish="picture", prompt="кот собака") == (True, False)
    assert verdict("кот", wish="video") == (False, False)
    assert verdict("хочу песню", wish="music") == (True, False)


def test_no_plan_is_right_only_where_nothing_is_sold() -> None:
    assert verdict("расшифруй аудио", wish="transcribe") == (True, True)
    assert verdict("привет", wish="picture") == (False, False)


def test_the_command_prints_scores_and_no_texts() -> None:
    shown = CliRunner().invoke(app, ["assistant", "evaluate", "--half", "all", "--json"])
    assert shown.exit_code == 0
    assert json.loads(shown.stdout)["overall"]["requests"] == len(labelled_requests())
    assert set(json.loads(shown.stdout)["by_half"]) == set(HALVES)
    table = CliRunner().invoke(app, ["assistant", "evaluate"])
    long = [each.request.words for each in labelled_requests() if len(each.request.words.split()) > 2]
    assert not any(words in table.stdout + shown.stdout for words in long)

"""A short fuzz: hostile callbacks, webhooks and answers break nothing and move no money. Long: `photomat chaos fuzz`."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from photomat.bot.worker import Unreadable, read_update
from photomat.inbox.update import body_of, lane_of
from photomat.kie import protocol
from photomat.kie.state_parser import extract_task_id, parse_kie_state
from photomat_chaos.fuzz.kie import callback_body, record_answer
from photomat_chaos.fuzz.payloads import Targets, dressed, hostile_update
from photomat_chaos.fuzz.rounds import FuzzPlan, figures_of, offences_of, read_notes, run
from support.doors import SECRET, address, house
from support.updates import keeping_bot

SHORT = FuzzPlan(seed=7, count=500, round_size=500)
AIMS = Targets(attackers=[66], victims=[77], drafts=[1], jobs=[1], cards=[5])
QUICK = settings(
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.sampled_from(["data", "taskId"]), inner, max_size=4)
    ),
    max_leaves=12,
)
KIE_KEYS = st.sampled_from(
    [
        "taskId",
        "task_id",
        "state",
        "status",
        "successFlag",
        "resultJson",
        "response",
        "info",
        "data",
        "resultUrls",
        "failCode",
    ]
)
RECORDS = st.dictionaries(KIE_KEYS, JSON | st.dictionaries(KIE_KEYS, JSON, max_size=4), max_size=6)


@pytest.mark.time_limit(1800)
async def test_a_short_fuzz_breaks_nothing_and_moves_no_money(tmp_path: Path) -> None:
    reports = await run(SHORT, tmp_path, notes=tmp_path / "notes.jsonl", tell=lambda _report: None)
    assert offences_of(reports) == []
    figures = figures_of(reports)
    for what in ("callback 200", "callback 400", "callback 401", "webhook 200", "webhook 400", "webhook 401"):
        assert figures[what] >= 5, figures
    assert figures["answer record"] >= 25, figures
    assert figures["followed jobs done"] >= 1, "a Kie that never says yes tempts nobody"
    assert figures["followed jobs failed"] >= 5, figures
    again = await run(SHORT, tmp_path, notes=tmp_path / "notes.jsonl", tell=lambda _report: None)
    assert again == reports == read_notes(tmp_path / "notes.jsonl", SHORT), "what is written down is not done again"


def test_the_shards_together_are_every_case_once() -> None:
    shards = [FuzzPlan(count=23_456, shard=part, shards=3).rounds() for part in (1, 2, 3)]
    cases = [case for rounds in shards for _, numbers in rounds for case in numbers]
    assert sorted(cases) == list(range(23_456))


def test_the_same_seed_and_number_is_the_same_case() -> None:
    def case(number: int) -> tuple[bytes, bytes, Any]:
        chance = random.Random(f"1:{number}")  # noqa: S311  repeatable on purpose
        body, answer = callback_body(chance, "t", 80), record_answer(chance, "t", 80)
        return body, answer.body, dressed(chance, hostile_update(chance, number, AIMS))

    assert [case(number) for number in range(200)] == [case(number) for number in range(200)]


def test_a_victim_is_never_the_sender() -> None:
    chance = random.Random(3)  # noqa: S311  repeatable on purpose
    for number in range(3000):
        update = hostile_update(chance, number, AIMS)
        contents = [one for one in update.values() if isinstance(one, dict)] if isinstance(update, dict) else []
        senders = [one["from"].get("id") for one in contents if isinstance(one.get("from"), dict)]
        assert 77 not in senders


@pytest.mark.time_limit(1800)
def test_whatever_is_posted_no_door_fails(database: str) -> None:
    bodies = st.binary(max_size=200) | JSON.map(json.dumps).map(str.encode)
    callbacks = RECORDS.map(lambda data: json.dumps({"code": 200, "data": {"taskId": "t"} | data}).encode())
    contents = st.dictionaries(st.sampled_from(["message", "callback_query", "x"]), JSON, max_size=2)
    updates = st.builds(
        lambda number, update: json.dumps({"update_id": number} | update).encode(), st.integers(0, 2**63), contents
    )
    with asyncio.Runner() as runner:
        context = house(database)
        doors = runner.run(context.__aenter__())

        @settings(QUICK, max_examples=150)
        @given(body=bodies | callbacks | updates)
        def knock(body: bytes) -> None:
            answers = [runner.run(doors.update(body, secret=SECRET)), runner.run(doors.post(address(1), body))[0]]
            assert max(answers) < 500, answers

        try:
            knock()
        finally:
            runner.run(context.__aexit__(None, None, None))


@settings(QUICK, max_examples=150)
@example(body=b'{"code": 433, "msg": "\\u0000"}', status=418)
@example(body=b'{"code": 402, "msg": "\\ud800"}', status=200)
@given(body=st.binary() | JSON.map(json.dumps).map(str.encode), status=st.integers(200, 599))
def test_whatever_kie_answers_it_is_an_envelope_or_none(body: bytes, status: int) -> None:
    envelope = protocol.decode(body, status)
    assert envelope is None or isinstance(envelope.code, int)
    assert envelope is None or "\x00" not in envelope.message
    assert envelope is None or envelope.message.encode() is not None


@settings(QUICK, max_examples=150)
@given(payload=JSON | st.fixed_dictionaries({"data": RECORDS}))
def test_whatever_a_record_says_it_is_read_as_something_that_can_be_stored(payload: object) -> None:
    reading = parse_kie_state(payload)
    task_id = extract_task_id(payload)
    for text in (*reading.urls, reading.error or "", reading.fail_code or "", task_id or ""):
        assert "\x00" not in text
        text.encode()
    assert len(reading.urls) <= 12


@settings(QUICK, max_examples=150)
@given(update=st.dictionaries(st.sampled_from(["message", "callback_query", "poll", "x"]), JSON, max_size=2))
def test_whatever_an_update_carries_it_has_a_lane_a_body_and_a_reading_or_a_refusal(update: dict[str, Any]) -> None:
    numbered = {"update_id": 1, **update}
    assert len(lane_of(numbered)) <= 21
    assert json.loads(body_of(numbered))["update_id"] == 1
    try:
        read_update(numbered, keeping_bot()[0])
    except Unreadable:
        return

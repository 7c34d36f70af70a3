"""The benchmark's arithmetic: medians, targets, and which changes count."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from photomat.cli.completion import BENCH
from photomat_bench.cli import app
from photomat_bench.figures import Better, Figure, changes, lines_of, read_lines, target_results, unmet
from photomat_bench.flow_run import percentiles
from photomat_bench.flows import button_data
from photomat_bench.report import caveats, markdown_of
from photomat_bench.suite import MEASUREMENTS, PEERS
from photomat_bench.vendors import fields_of
from support.source import ROOT


def figure(name: str, *values: float, better: Better = "more") -> Figure:
    return Figure(name=name, unit="", better=better, values=values)


def test_a_figure_is_the_median_of_its_runs_with_their_spread() -> None:
    flows = figure("one instance: flows/s", 30.0, 24.0, 27.0)
    assert flows.median == 27.0
    assert flows.spread == pytest.approx(6 / 27)


def test_targets_are_ratios_within_one_run_and_say_when_they_were_not_measured() -> None:
    found = {
        result.name: result
        for result in target_results(
            [
                figure("one instance: flows/s", 120.0),
                figure("one instance by the menu: flows/s", 120.0),
                figure("previous release: flows/s", 30.0),
                figure("floor: flows/s", 400.0),
                figure("one instance: commits per flow", 12.5),
            ]
        )
    }
    assert found["flows/s by the menu / the previous release"].met is True
    assert found["flows/s of one instance / the floor (aim)"].value == 0.3
    assert found["flows/s of one instance / the floor (aim)"].met is False
    assert found["commits per flow"].met is False
    assert found["commits/s when idle"].met is None


@pytest.mark.parametrize(
    ("one_busy", "two_busy", "two", "met", "beyond"),
    [
        (0.7, 0.7, 40.0, False, ""),
        (0.95, 0.8, 40.0, False, ""),
        (0.7, 0.95, 40.0, None, "two instances fill all cores (95% busy) at 40 flows/s"),
        (0.7, 0.95, 60.0, True, "two instances fill all cores (95% busy) at 60 flows/s"),
    ],
)
def test_two_instances_need_not_be_faster_than_the_cores_are(
    one_busy: float, two_busy: float, two: float, *, met: bool | None, beyond: str
) -> None:
    figures = [
        figure("one instance: flows/s", 30.0),
        figure("one instance: cores busy", one_busy),
        figure("two instances: cores busy", two_busy),
        figure("two instances: flows/s", two),
    ]
    found = next(result for result in target_results(figures) if result.name == "two instances / one")
    assert found.value == pytest.approx(two / 30.0, abs=0.001)
    assert (found.met, found.beyond) == (met, beyond)


@pytest.mark.parametrize(
    ("before", "now", "better", "verdict"),
    [
        ((100.0, 101.0, 102.0), (111.0, 110.0), "more", "same"),
        ((100.0, 101.0, 102.0), (115.0, 114.0), "more", "better"),
        ((100.0,), (119.0,), "more", "same"),
        ((100.0, 101.0, 102.0), (85.0,), "more", "same"),
        ((100.0,), (125.0,), "more", "better"),
        ((100.0,), (75.0,), "more", "worse"),
        ((100.0,), (75.0,), "less", "better"),
        ((100.0,), (130.0,), "less", "worse"),
        ((90.0, 100.0, 130.0), (130.0,), "more", "same"),
        ((100.0,), (100.0, 130.0, 170.0), "more", "same"),
        ((0.0,), (5.0,), "less", "same"),
    ],
)
def test_a_change_counts_beyond_a_tenth_or_a_fifth_of_single_values_and_the_spread_of_both_runs(
    before: tuple[float, ...], now: tuple[float, ...], better: Better, verdict: str
) -> None:
    (change,) = changes([figure("f", *before, better=better)], [figure("f", *now, better=better)])
    assert change.verdict == verdict


def test_a_comparison_says_what_makes_it_less_sure() -> None:
    once, twice = figure("f", 1.0), figure("f", 1.0, 1.0)
    whole, short = {"cores": 2, "short": False}, {"cores": 4, "short": True}
    assert caveats(whole, whole, [twice], [twice]) == []
    single, seconds, cores = caveats(whole, short, [twice], [once])
    assert "below 20%" in single
    assert "short form" in seconds
    assert cores == "The committed figures had another cores: 2, now 4."


def test_a_run_that_was_written_is_read_again(tmp_path: Path) -> None:
    figures = [figure("echo: per s", 1.0, 3.0, 2.0), figure("idle: commits/s", 2.5, better="less")]
    file = tmp_path / "figures.jsonl"
    file.write_text(lines_of({"cores": 2}, figures, target_results(figures)), encoding="utf-8")
    machine, read = read_lines(file)
    assert machine["cores"] == 2
    assert read == figures
    assert read_lines(tmp_path / "none.jsonl") == ({}, [])


def test_percentiles_of_few_and_of_no_values() -> None:
    assert percentiles([]) == {"p50": 0.0, "p95": 0.0, "p99": 0.0}
    assert percentiles([float(number) for number in range(1, 101)]) == {"p50": 50.5, "p95": 96.0, "p99": 100.0}


def test_the_vendors_read_every_encoding_of_a_call() -> None:
    multipart = b'--b\r\nContent-Disposition: form-data; name="chat_id"\r\n\r\n7\r\n--b\r\n--b--\r\n'
    for body in (b'{"chat_id": 7}', b"chat_id=7", multipart):
        assert fields_of(body) == {"chat_id": "7"}
    keyboard = '{"inline_keyboard": [[{"text": "x"}], [{"text": "\\u2705 Go", "callback_data": "d:1"}]]}'
    assert button_data(keyboard, "✅") == "d:1"
    assert button_data("", "✅") is None


def test_an_unknown_measurement_is_refused_with_the_known_ones() -> None:
    refused = CliRunner().invoke(app, ["--only", "speed"])
    assert refused.exit_code == 2
    assert "start and idle" in " ".join(refused.output.replace("│", " ").split())
    assert set(PEERS) < set(MEASUREMENTS)


def test_a_required_target_is_one_that_exists_and_is_missed_where_it_was_not_measured() -> None:
    refused = CliRunner().invoke(app, ["--only", "echo", "--require", "speed"])
    assert refused.exit_code == 2
    assert "commits per flow" in " ".join(refused.output.replace("│", " ").split())
    results = target_results([figure("one instance: commits per flow", 11.0), figure("idle: commits/s", 4.0)])
    assert unmet(["commits per flow"], results) == []
    assert unmet(["commits/s when idle", "CPU ms per flow"], results) == ["commits/s when idle", "CPU ms per flow"]


def test_rate_and_max_exclude_each_other() -> None:
    assert CliRunner().invoke(app, ["flows", "--rate", "1", "--max"]).exit_code == 2


def test_the_page_shows_the_committed_figures() -> None:
    machine, figures = read_lines(ROOT / "bench" / "figures.jsonl")
    shown = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert markdown_of(machine, figures, target_results(figures)) in shown, "photomat bench table prints it"


def test_a_target_that_is_just_missed_does_not_read_as_met() -> None:
    machine, _ = read_lines(ROOT / "bench" / "figures.jsonl")
    figures = [figure("one instance by the menu: flows/s", 79.96), figure("previous release: flows/s", 20.0)]
    assert "| 3.998 | ≥ 4 | ✗ not met |" in markdown_of(machine, figures, target_results(figures))


def test_completion_offers_the_commands_there_are() -> None:
    assert set(BENCH) == {command.name for command in app.registered_commands}

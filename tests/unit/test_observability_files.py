"""The alert rules, the dashboard and the page about them name only what the program measures, in valid PromQL."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
import yaml

from photomat.kernel.metrics import REGISTRY
from support.exposition import (
    DASHBOARD,
    MADE_BY_PROMETHEUS,
    ROOT,
    RULES,
    SUFFIXES,
    grouped_by,
    panels,
    queries,
    rules,
    selectors,
)

PAGE: Final = ROOT / "docs" / "operations" / "observability.md"
ALERTS: Final = ROOT / "docs" / "operations" / "alerts.md"
ADDED_BY_PROMETHEUS: Final = {"instance", "job", "le"}
PROMTOOL: Final = shutil.which("promtool")
WIDTH: Final = 24
NO_LABEL: Final = re.compile(r"user|chat|job_id|url|path|prompt|token|corr", re.IGNORECASE)


def labels_of(name: str) -> set[str] | None:
    """The labels of a metric of ours, by any name of a sample; None if there is none."""
    families = {family.name for family in REGISTRY.collect()}
    for suffix in ("", *SUFFIXES):
        base = name.removesuffix(suffix) if suffix else name
        if base in families:
            collector = REGISTRY._names_to_collectors.get(base)  # noqa: SLF001  prometheus gives no other way
            return set(getattr(collector, "_labelnames", ()))
    return None


def test_every_query_reads_what_is_measured() -> None:
    for where, query in queries():
        reads_what_is_measured(where, query)


def reads_what_is_measured(where: str, query: str) -> None:
    found = selectors(query)
    assert found, f"{where}: {query} reads nothing"
    known: set[str] = set()
    for name, labels in found:
        if name in MADE_BY_PROMETHEUS:
            continue
        own = labels_of(name)
        assert own is not None, f"{where}: {name} is not measured"
        assert labels <= own | ADDED_BY_PROMETHEUS, f"{where}: {name} has no label {labels - own}"
        known |= own
    assert grouped_by(query) <= known | ADDED_BY_PROMETHEUS, f"{where}: {query} groups by a label that is not there"


def test_no_label_can_hold_a_person_a_job_or_a_url() -> None:
    named = {
        f"{family.name}.{label}"
        for family in REGISTRY.collect()
        for label in labels_of(family.name) or ()
        if NO_LABEL.search(label)
    }
    assert named == set()


def test_every_alert_says_what_it_means_and_where_to_read_on() -> None:
    headings = {line[4:].strip().lower() for line in ALERTS.read_text().splitlines() if line.startswith("### ")}
    for rule in rules():
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert ROOT / page == ALERTS
        assert anchor in headings, f"{rule['alert']} has no section in {page}"
        assert anchor == rule["alert"].lower()


def test_the_dashboard_fits_and_asks_the_chosen_data_source() -> None:
    ids = [panel["id"] for panel in panels()]
    assert len(ids) == len(set(ids))
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        cells = {(place["x"] + right, place["y"] + down) for right in range(place["w"]) for down in range(place["h"])}
        assert place["x"] + place["w"] <= WIDTH
        assert not cells & taken, f"{panel['title']} lies on another panel"
        taken |= cells
        references = [target["refId"] for target in panel.get("targets", ())]
        assert len(references) == len(set(references))
        assert {target["datasource"]["uid"] for target in panel.get("targets", ())} <= {"${datasource}"}
        assert panel["type"] in {"row", "stat", "timeseries"}


def test_the_page_lists_exactly_the_metrics_there_are() -> None:
    listed = set(re.findall(r"^\| `(photomat_\w+|process_\w+)`", PAGE.read_text(), re.MULTILINE))
    measured = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in REGISTRY.collect()
        if family.name.startswith("photomat_")
    }
    assert listed == measured


def test_the_example_reads_the_rules_and_the_token() -> None:
    example = yaml.safe_load((RULES.parent / "prometheus.yml").read_text())
    assert example["rule_files"] == [RULES.name]
    (scrape,) = example["scrape_configs"]
    assert scrape["job_name"] == "photomat"
    assert scrape["authorization"]["credentials_file"]
    assert DASHBOARD.is_file()


@pytest.mark.skipif(PROMTOOL is None, reason="no promtool on the PATH (Debian: apt-get install prometheus)")
def test_promtool_accepts_the_rules_and_their_own_tests() -> None:
    assert PROMTOOL is not None
    for command in (["check", "rules", RULES.name], ["test", "rules", Path(RULES).stem + ".test.yml"]):
        done = subprocess.run([PROMTOOL, *command], cwd=RULES.parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

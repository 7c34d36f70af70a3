"""A scrape of /metrics, read by Prometheus's own parser; and the metrics that queries name."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import promql_parser
import yaml
from prometheus_client.parser import text_string_to_metric_families

ROOT: Final = Path(__file__).parents[2]
RULES: Final = ROOT / "deploy" / "prometheus" / "photomat.rules.yml"
DASHBOARD: Final = ROOT / "deploy" / "grafana" / "photomat.json"
MADE_BY_PROMETHEUS: Final = {"up"}
SUFFIXES: Final = ("_bucket", "_count", "_sum", "_total")


def values_of(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample of a scrape."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(text: str, name: str, **labels: str) -> float | None:
    return values_of(text).get((name, frozenset(labels.items())))


def names_of(text: str) -> set[str]:
    """The names of a scrape that a query may use, also of those without a sample yet."""
    found = set()
    for family in text_string_to_metric_families(text):
        suffixes = {"histogram": ("_bucket", "_count", "_sum"), "counter": ("_total",)}.get(family.type, ("",))
        found |= {f"{family.name}{suffix}" for suffix in suffixes}
    return found


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    return list(json.loads(DASHBOARD.read_text())["panels"])


def queries() -> Iterator[tuple[str, str]]:
    """Where each query of the rules and of the dashboard stands, and the query with Grafana's variables filled in."""
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for panel in panels():
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")


def selectors(query: str) -> list[tuple[str, set[str]]]:
    """The metrics a query reads, each with the labels it is selected by; raises if it is no PromQL."""
    promql_parser.parse(query)
    found = re.findall(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{([^}]*)\}|\b((?:photomat|process)_[a-z0-9_]+|up)\b(?!\{)", query)
    return [(name or bare, set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", labels))) for name, labels, bare in found]


def grouped_by(query: str) -> set[str]:
    """The labels that a query groups by."""
    return {label for group in re.findall(r"\bby \(([^)]*)\)", query) for label in re.split(r",\s*", group)}

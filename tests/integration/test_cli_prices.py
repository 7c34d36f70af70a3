"""Prices from the terminal: real processes, their words, their exit codes."""

import json
from pathlib import Path
from typing import Any

from photomat.catalog.pricing import quote
from support.command import answer, photomat
from support.database import pool_of
from support.jobs import CAT, a_done_job, a_user
from support.prices import Z_IMAGE
from support.shop import RATES


async def test_a_price_is_set_shown_and_cleared_from_the_terminal_and_guarded(database: str, tmp_path: Path) -> None:
    def price(*options: str) -> Any:
        ended = photomat("catalog", "price", "z-image", *options, "--json", folder=tmp_path, DATABASE_URL=database)
        return json.loads(ended.stdout) if ended.stdout else ended

    assert price()["price"] == 64
    assert "--reason" in price("--set", "1").stderr
    assert "choose one" in price("--set", "1", "--free", "--reason", "x").stderr
    refused = price("--set", "0.10", "--reason", "cheap")
    assert (refused["done"], "below the cost of 0.32" in refused["sentence"]) == (False, True)
    assert price("--set", "0.10", "--reason", "cheap", "--confirm")["done"]
    assert price("--discount", "50", "--until", "2999-01-01T00:00", "--reason", "sale", "--confirm")["done"]
    shown = price()
    assert (shown["price"], shown["rule"]) == (5, "fixed")
    assert [rule["override"]["kind"] for rule in shown["rules"]] == ["discount", "fixed"]
    listed = answer("catalog", "list", folder=tmp_path, database=database)
    assert [(one["price"], one["rule"]) for one in listed if one["model"] == "z-image"] == [(5, "fixed")]
    assert price("--clear", "--reason", "over", "--confirm")["done"]
    assert price()["price"] == 64


async def test_margins_and_the_money_of_a_job_are_shown(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool, user_id=77), quote=quote(Z_IMAGE, CAT, RATES))
        await pool.execute("UPDATE generation_jobs SET credits_consumed = 0.8, cost = 32")
    (report,) = answer("catalog", "margins", folder=tmp_path, database=database)
    assert (report["income"], report["cost"], report["margin"], report["unknown"]) == (64, 32, 32, 0)
    shown = photomat("jobs", "show", str(job_id), folder=tmp_path, DATABASE_URL=database).stdout
    assert "cost 0.32" in " ".join(shown.split())
    assert "margin 0.32" in " ".join(shown.split())
    assert answer("jobs", "show", str(job_id), folder=tmp_path, database=database)["quote"]["rule"] == "formula"

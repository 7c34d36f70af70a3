"""Promo codes from the terminal: real processes, their words, their exit codes."""

import json
from pathlib import Path
from typing import Any

from photomat.operators.actions import journal_of_user
from support.command import answer, photomat
from support.database import pool_of
from support.jobs import a_user, money_of
from support.rewards import uses


async def test_a_code_is_made_used_shown_and_stopped(database: str, tmp_path: Path) -> None:
    def promo(*options: str) -> Any:
        ended = photomat("promo", *options, "--json", folder=tmp_path, DATABASE_URL=database)
        return json.loads(ended.stdout) if ended.stdout else ended.stderr

    made = promo("create", "spring", "--sum", "50", "--uses", "3", "--until", "2999-01-01T00:00", "--reason", "sale")
    assert made["done"], made
    assert made["sentence"].startswith("SPRING: 50")
    assert not promo("create", "Spring", "--percent", "10", "--reason", "again")["done"]
    assert "3 to 32" in promo("create", "no", "--sum", "1", "--reason", "short")["sentence"]
    async with pool_of(database) as pool:
        anna = await a_user(pool, user_id=77, balance=0)
        await uses(pool, anna, "spring")
        assert await money_of(pool, anna) == (5000, 0)
    shown = promo("show", "spring")
    assert (shown["kind"], shown["amount"], shown["used"], shown["is_over"]) == ("sum", 5000, 1, False)
    assert [(use["user_id"], use["credited"]) for use in shown["uses"]] == [(77, 5000)]
    assert "1 use," in promo("create", "once", "--sum", "1", "--uses", "1", "--reason", "sale")["sentence"]
    async with pool_of(database) as pool:
        await uses(pool, anna, "once")
    assert promo("show", "once")["is_over"], "used as often as it may be"
    assert promo("stop", "spring", "--reason", "over")["done"]
    assert not promo("stop", "spring", "--reason", "over")["done"]
    _, listed = answer("promo", "list", folder=tmp_path, database=database)
    assert (listed["code"], listed["is_over"]) == ("SPRING", True)
    async with pool_of(database) as pool:
        journal = await pool.fetch("SELECT action, done, reason FROM operator_journal ORDER BY entry_id")
        assert [tuple(row) for row in journal] == [
            ("promo", True, "sale"),
            ("promo", False, "again"),
            ("promo", False, "short"),
            ("promo", True, "sale"),
            ("stop promo", True, "over"),
            ("stop promo", False, "over"),
        ]
        assert await journal_of_user(pool, anna) == []


async def test_the_three_kinds_and_what_each_needs(database: str, tmp_path: Path) -> None:
    def words(*options: str) -> str:
        ended = photomat("promo", "create", *options, "--reason", "test", folder=tmp_path, DATABASE_URL=database)
        return " ".join((ended.stdout + ended.stderr).split())

    assert "20 % of the next top-up, 500" in words("PERCENT", "--percent", "20", "--most", "500")
    assert "2 free generations of up to 10" in words("FREE", "--free", "2", "--most", "10", "--only-new")
    assert "needs --most" in words("FREE2", "--free", "2")
    assert "choose one" in words("BOTH", "--free", "2", "--sum", "5", "--most", "1")
    assert "more than nothing" in words("ZERO", "--sum", "0")
    shown = photomat("promo", "list", folder=tmp_path, DATABASE_URL=database).stdout
    assert "PERCENT" in shown
    assert "new users only" in " ".join(shown.split())
    assert photomat("promo", "show", "NONE", folder=tmp_path, DATABASE_URL=database).returncode == 1

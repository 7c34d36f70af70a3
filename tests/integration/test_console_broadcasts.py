"""The broadcast pages over HTTP: what a form refuses, what each role may do, what a spreadsheet gets."""

from pathlib import Path
from typing import Any

import pytest

from photomat.broadcasts.broadcast import BroadcastState
from photomat.operators.access import Role
from support.broadcasts import a_ready_broadcast, a_started_broadcast, found
from support.console import running_console

NEW = "/console/broadcasts/new"
GOOD: dict[str, Any] = {"text_ru": "Скидка", "language": "en", "balance_from": "10"}


async def test_a_draft_is_saved_changed_and_shown_as_written(database: str, tmp_path: Path) -> None:
    async with running_console(database, folder=tmp_path) as console, console.signed_in(Role.OPERATOR) as operator:
        saved = await operator.act("/console/broadcasts", on=NEW, **GOOD)
        assert saved.path == "/console/broadcasts/1"
        one = await found(console.pool, 1)
        assert (one.segment.language, one.segment.balance_from) == ("en", 1000)
        edit = await operator.get("/console/broadcasts/1/edit")
        assert 'value="10"' in edit.text
        changed = await operator.act("/console/broadcasts/1", on=NEW, **{**GOOD, "text_ru": "<b>Другое</b>"})
        assert changed.path == "/console/broadcasts/1"
        assert "<b>Другое</b>" in changed.text


@pytest.mark.parametrize(
    "fields",
    [
        {**GOOD, "text_ru": "<b>x"},
        {**GOOD, "ordered_within_days": "many"},
        {**GOOD, "never_ordered": "yes", "kind": "image"},
        {**GOOD, "button_ru": "x", "button_target": "javascript:alert(1)"},
        {**GOOD, "reason": ""},
        {**GOOD, "user_ids": "1, two"},
        {**GOOD, "user_ids": "9" * 25},
        {**GOOD, "user_ids": "-5"},
        {**GOOD, "ordered_within_days": "9" * 30},
    ],
)
async def test_what_cannot_be_sent_is_refused_and_nothing_typed_is_lost(
    database: str, tmp_path: Path, fields: dict[str, Any]
) -> None:
    async with running_console(database, folder=tmp_path) as console, console.signed_in(Role.OPERATOR) as operator:
        refused = await operator.act("/console/broadcasts", on=NEW, **fields)
        assert refused.status == 422
        assert 'class="notice bad"' in refused.text
        assert 'value="10"' in refused.text
        assert await console.pool.fetchval("SELECT count(*) FROM broadcasts") == 0


@pytest.mark.parametrize("verb", ["start", "stop", "resume", "delete", "preview"])
async def test_a_viewer_sees_everything_and_changes_nothing(database: str, tmp_path: Path, verb: str) -> None:
    async with running_console(database, folder=tmp_path) as console, console.signed_in(Role.VIEWER) as viewer:
        await console.pool.execute("INSERT INTO users (user_id) VALUES (1)")
        made = await a_ready_broadcast(console.pool)
        page = await viewer.get(f"/console/broadcasts/{made}")
        assert page.status == 200
        assert f"/{verb}" not in page.text
        refused = await viewer.act(f"/console/broadcasts/{made}/{verb}", reach="1", chat="1")
        assert refused.status == 403
        assert (await found(console.pool, made)).state is BroadcastState.READY


async def test_another_sites_form_and_a_number_that_is_none_are_refused(database: str, tmp_path: Path) -> None:
    async with running_console(database, folder=tmp_path) as console, console.signed_in() as owner:
        await console.pool.execute("INSERT INTO users (user_id) VALUES (1)")
        made = await a_started_broadcast(console.pool)
        forged = await owner.post(f"/console/broadcasts/{made}/stop", {"csrf": "x", "reason": "y"})
        assert forged.status == 403
        assert (await found(console.pool, made)).state is BroadcastState.SENDING
        for path in ("999", "0x1", "-1", "9" * 30, "1/../2"):
            assert (await owner.get(f"/console/broadcasts/{path}")).status == 404
        elsewhere = await owner.act(f"/console/broadcasts/{made}/preview", chat="12345")
        assert await console.pool.fetchval("SELECT preview_to FROM broadcasts") is None
        assert "Nobody to show it to" in (elsewhere.flash or "")


async def test_the_lists_are_exported_and_no_spreadsheet_runs_them(database: str, tmp_path: Path) -> None:
    async with running_console(database, folder=tmp_path) as console, console.signed_in(Role.VIEWER) as viewer:
        await console.pool.execute("INSERT INTO users (user_id, first_name) VALUES (1, '=cmd()'), (2, 'Anna')")
        made = await a_started_broadcast(console.pool)
        await console.pool.execute(
            "INSERT INTO broadcast_sends (broadcast_id, user_id, due_at, left_at, outcome, error)"
            " SELECT $1, user_id, NULL, photomat_now(), 'unknown', '@no answer' FROM users",
            made,
        )
        listed = await viewer.get(f"/console/broadcasts/{made}?outcome=unknown&format=csv")
        assert "1,'=cmd()," in listed.text
        assert "'@no answer" in listed.text
        assert len(listed.text.splitlines()) == 3
        assert "broadcast_id,state" in (await viewer.get("/console/broadcasts?format=csv")).text

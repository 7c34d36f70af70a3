"""An update handled again: the same draft, the same job, one correlation id, and nothing paid twice."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import structlog

from photomat.db.rows import require_row
from photomat.kernel import logs
from photomat_sandbox.faults import Action
from support.conversation import Chat, conversation
from support.database import connection_of, shift_clock


@contextmanager
def log_lines() -> Iterator[list[str]]:
    """What was logged inside, as an operator reads it."""
    stream = io.StringIO()
    lines: list[str] = []
    logs.configure("text", stream)
    try:
        yield lines
    finally:
        structlog.reset_defaults()
        lines.extend(stream.getvalue().splitlines())


async def handle_after_a_fault(chat: Chat, database: str, *, method: str, action: Action, label: str) -> None:
    """Tap, let the call fail, let time pass, and handle the tap again."""
    chat.telegram.faults.arm(world="telegram", method=method, action=action, retry_after=9)
    await chat.taps(label)
    assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 1
    async with connection_of(database) as clock:
        await shift_clock(clock, 10)
    await chat.handle_all()
    waiting, attempts = await require_row(
        chat.pool, "SELECT count(*) FILTER (WHERE handled_at IS NULL), max(attempts) FROM inbox"
    )
    assert (waiting, attempts) == (0, 1)


async def test_a_card_whose_answer_was_lost_is_shown_again_for_the_same_draft(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        await chat.says("кот")
        await handle_after_a_fault(chat, database, method="editMessageText", action="drop_after", label="1:1")
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 1
        assert await chat.pool.fetchval("SELECT revision FROM drafts") == 1
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1


async def test_a_change_handled_again_raises_the_revision_once(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        await handle_after_a_fault(chat, database, method="editMessageText", action="drop_after", label="✏️ Изменить")
        assert await chat.pool.fetchval("SELECT revision FROM drafts") == 2


async def test_a_429_after_the_purchase_buys_nothing_twice(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        await handle_after_a_fault(chat, database, method="answerCallbackQuery", action="too_many", label="✅ Создать")
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1
        assert await chat.pool.fetchval("SELECT held FROM wallets") == 64
        assert "уже принят" in chat.answers[-1]


async def test_the_tap_and_its_job_share_one_correlation_id_even_when_handled_again(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        with log_lines() as lines:
            await handle_after_a_fault(
                chat, database, method="answerCallbackQuery", action="too_many", label="✅ Создать"
            )
        corr = await chat.pool.fetchval("SELECT corr FROM generation_jobs")
        assert [f"[{corr}] [{tag}]" in line for tag in ("JOB_CREATED", "UPDATE_RETRY") for line in lines].count(
            True
        ) == 2
        assert f"[{corr}] [UPDATE_HANDLED] kind=callback_query" in lines[-1]


async def test_what_people_write_is_not_logged(database: str) -> None:
    with log_lines() as lines:
        async with conversation(database, first_name="Секретова") as chat:
            await chat.orders_a_cat()
            await chat.taps("✅ Создать")
    assert len(lines) > 5
    assert not any("кот" in line or "Секретова" in line for line in lines)


HIDDEN = "INSERT INTO model_settings (model, hidden) VALUES ('z-image', true)"
LONGER_THAN_IT_MAY_BE = "UPDATE drafts SET inputs = inputs || jsonb_build_object('prompt', repeat('x', 2000))"


@pytest.mark.parametrize("meanwhile", [HIDDEN, LONGER_THAN_IT_MAY_BE])
async def test_a_tap_handled_again_finds_its_job_though_it_could_not_be_bought_any_more(
    database: str, meanwhile: str
) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        chat.telegram.faults.arm(world="telegram", method="answerCallbackQuery", action="too_many", retry_after=9)
        await chat.taps("✅ Создать")
        async with connection_of(database) as clock:
            await clock.execute(meanwhile)
            await shift_clock(clock, 10)
        await chat.handle_all()
        assert "уже принят" in chat.answers[-1]
        await chat.taps("✅ Создать")
        assert "уже принят" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1


async def test_a_draft_of_a_hidden_model_that_was_not_bought_is_told_so(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        await chat.pool.execute(HIDDEN)
        await chat.taps("✅ Создать")
        assert "устарел" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0

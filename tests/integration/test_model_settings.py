"""What operators do to models: done once, refused with a sentence, journaled either way; and how long a model usually takes."""

import asyncio
from datetime import timedelta

from photomat.catalog.load import load_catalog
from photomat.catalog.overrides import setting_of, settings_of_models
from photomat.catalog.storefront import AS_IN_ITS_FILE, ModelSetting
from photomat.db.pool import Pool
from photomat.jobs.history import NEWEST, usual_seconds
from photomat.operators.actions import ActionResult
from photomat.operators.catalog import MAX_TITLE_LENGTH, ModelSwitch, NewTitle, rename_model, switch_model
from support.database import pool_of
from support.jobs import a_done_job, a_user

CATALOG = load_catalog()
ME = "cli:anna@desk"


async def turn(pool: Pool, model: str, wanted: ModelSwitch) -> ActionResult:
    return await switch_model(pool, CATALOG.get(model), wanted, operator=ME, reason="a test")


async def rename(pool: Pool, model: str, new: NewTitle) -> ActionResult:
    return await rename_model(pool, CATALOG.get(model), new, operator=ME, reason="a test")


async def test_what_is_set_is_read_back_and_journaled(database: str) -> None:
    async with pool_of(database) as pool:
        assert await setting_of(pool, "z-image") == AS_IN_ITS_FILE
        assert (await turn(pool, "z-image", "hide")).done
        assert (await turn(pool, "z-image", "feature")).done
        assert (await rename(pool, "z-image", NewTitle(ru=" Быстрая "))).done
        expected = ModelSetting(hidden=True, featured=True, title_ru="Быстрая")
        assert await setting_of(pool, "z-image") == expected
        assert await settings_of_models(pool) == {"z-image": expected}
        journal = await pool.fetch(
            "SELECT action, reason, done, reference, operator FROM operator_journal ORDER BY entry_id"
        )
        assert [row["action"] for row in journal] == ["hide model", "feature model", "rename model"]
        assert {tuple(row)[1:] for row in journal} == {("a test", True, "model:z-image", ME)}


async def test_each_turn_has_its_opposite_and_what_is_so_already_is_refused(database: str) -> None:
    async with pool_of(database) as pool:
        model = "elevenlabs/speech-to-text"
        pairs: list[tuple[ModelSwitch, ModelSwitch]] = [
            ("hide", "unhide"),
            ("feature", "unfeature"),
            ("sell", "unsell"),
        ]
        for on, off in pairs:
            assert not (await turn(pool, model, off)).done
            assert (await turn(pool, model, on)).done
            assert not (await turn(pool, model, on)).done
            assert (await turn(pool, model, off)).done
        assert await setting_of(pool, model) == AS_IN_ITS_FILE
        assert await pool.fetchval("SELECT count(*) FROM operator_journal WHERE NOT done") == 6


async def test_only_what_can_be_ordered_at_a_known_price_is_sold_on_an_operators_word(database: str) -> None:
    async with pool_of(database) as pool:
        refusals = {
            "z-image": "nothing to turn on",
            "wan/2-6-flash-image-to-video": "its price is not known",
            "sora-2-pro-storyboard": "no longer sells it",
            "suno/persona": "answers at once",
        }
        for model, why in refusals.items():
            answer = await turn(pool, model, "sell")
            assert (answer.done, why in answer.sentence) == (False, True), answer.sentence
            assert not (await setting_of(pool, model)).sold


async def test_a_name_is_one_line_and_goes_back_to_the_catalogues(database: str) -> None:
    async with pool_of(database) as pool:
        for bad in ("", "  ", "x" * (MAX_TITLE_LENGTH + 1), "two\nlines"):
            assert not (await rename(pool, "z-image", NewTitle(en=bad))).done
        assert not (await rename(pool, "z-image", NewTitle())).done
        assert (await rename(pool, "z-image", NewTitle(ru="Быстрая"))).done
        answer = await rename(pool, "z-image", NewTitle(en="Fast"))
        assert "“Быстрая” in Russian and “Fast” in English" in answer.sentence
        assert "“Z-Image” in Russian" in (await rename(pool, "z-image", NewTitle(back=True))).sentence
        assert await setting_of(pool, "z-image") == AS_IN_ITS_FILE


async def test_two_operators_at_once_lose_nothing_of_each_other(database: str) -> None:
    async with pool_of(database) as pool:
        answers = await asyncio.gather(
            turn(pool, "z-image", "hide"),
            turn(pool, "z-image", "feature"),
            rename(pool, "z-image", NewTitle(en="Fast")),
            turn(pool, "z-image", "hide"),
        )
        assert sum(answer.done for answer in answers) == 3
        assert await setting_of(pool, "z-image") == ModelSetting(hidden=True, featured=True, title_en="Fast")


async def test_the_usual_time_is_the_median_of_the_newest_results(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        assert await usual_seconds(pool, "z-image") is None
        for seconds in (600, 20, 10):
            await settled_after(pool, await a_done_job(pool, user), seconds)
        assert await usual_seconds(pool, "z-image") == 20
        assert await usual_seconds(pool, "runway") is None


async def settled_after(pool: Pool, job_id: int, seconds: int) -> None:
    span = timedelta(seconds=seconds)
    await pool.execute(
        "UPDATE generation_jobs SET created_at = settled_at - $2::interval WHERE job_id = $1", job_id, span
    )


async def test_older_results_than_the_newest_count_no_more(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool, balance=100_000)
        for number in range(NEWEST + 1):
            await settled_after(pool, await a_done_job(pool, user), 20 if number <= NEWEST // 2 else 10)
        assert await usual_seconds(pool, "z-image") == 15


async def test_the_usual_time_is_read_by_index_and_looks_at_few(database: str) -> None:
    async with pool_of(database) as pool, pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL enable_seqscan = off")
        plan = await connection.fetch(
            "EXPLAIN SELECT settled_at FROM generation_jobs WHERE model = 'z-image' AND status = 'done'"
            " ORDER BY settled_at DESC LIMIT 50"
        )
        assert any("generation_jobs_done_of_model" in row[0] for row in plan)

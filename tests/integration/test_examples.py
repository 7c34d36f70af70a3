"""Examples are made once each at Kie: what was lost is never asked for again, what was not ready is fetched later."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import pytest
from PIL import Image

from photomat.app.settings import Settings
from photomat.catalog.load import load_catalog
from photomat.cli.drawn_examples import draw_examples
from photomat.db.pool import Pool, transaction
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import TaskId
from photomat.kie.client import KieClient, KieUploads
from photomat.kie.port import Busy, Provider, TaskRefused
from photomat.kie.state_parser import KieState, Reading
from photomat.operators.templates import add_template, forget_example, hide_template
from photomat.templates.examples import Examples, add_drawn, of_template
from photomat.templates.load import shipped_templates
from photomat.templates.make import ExampleMaker, wanted_examples, wanted_voices
from photomat.templates.stored import Templates
from support.database import pool_of
from support.jobs import ToldProvider
from support.kie_sim import KEY, RunningKie, running_kie
from support.prices import ME
from support.shelves import shelf

TEMPLATES = shipped_templates(load_catalog())
PORTRAIT = of_template("portrait")
TASK = TaskId("task-1")
FAILED = Reading(state=KieState.FAIL, urls=(), error="no luck")
STILL_RUNNING = Reading(state=KieState.RUNNING, urls=(), error=None)


class NoUploads:
    async def upload(self, file: BinaryIO, *, mime: str, extension: str) -> str:
        raise AssertionError(f"{file} {mime} {extension} was uploaded")


def wanted(*only: str) -> list[Any]:
    return wanted_examples(TEMPLATES.values(), shelf(), only=only)


def maker(pool: Pool, provider: Provider, folder: Path, **changes: Any) -> ExampleMaker:
    options: dict[str, Any] = {
        "uploads": NoUploads(),
        "fetcher": Fetcher(trusted_host="127.0.0.1"),
        "patience": timedelta(seconds=0.05),
        "look_every_s": 0.01,
        "callback_url": "https://photomat.example/kie/callback",
    }
    return ExampleMaker(pool=pool, provider=provider, folder=folder, **options | changes)


@asynccontextmanager
async def at_kie(pool: Pool, kie: RunningKie, folder: Path) -> AsyncIterator[ExampleMaker]:
    client = KieClient(base_url=kie.url, api_key=KEY)
    try:
        yield maker(
            pool,
            client,
            folder,
            uploads=KieUploads(base_url=kie.url, api_key=KEY),
            fetcher=Fetcher(trusted_host=urlsplit(kie.url).hostname or ""),
            patience=timedelta(seconds=60),
        )
    finally:
        await client.close()


def test_every_template_has_an_example_with_a_price() -> None:
    found = wanted()
    assert [each.subject for each in found] == [of_template(name) for name in TEMPLATES]
    assert all(each.credits > 0 for each in found)
    assert [each.subject for each in wanted("restore")] == [PORTRAIT, of_template("restore")]
    assert len({each.subject for each in wanted_voices(shelf())}) > 60


async def test_pictures_and_sounds_are_made_and_stand_in_for_a_customers_files(database: str, tmp_path: Path) -> None:
    names = ("portrait", "restore", "voice-over", "talking-photo", "shop-background")
    async with pool_of(database) as pool, running_kie() as kie, at_kie(pool, kie, tmp_path) as making:
        every = wanted(*names)
        assert set((await making.make(every)).values()) == {"made"}
        ready = await Examples(pool=pool, folder=tmp_path).ready()
        kinds = {name: ready[of_template(name)].media for name in names}
        assert kinds == dict(zip(names, ("image", "image", "audio", "video", "image"), strict=True))
        with Image.open(ready[PORTRAIT].path) as picture:
            assert picture.format == "JPEG"
        assert not any(each.drawn for each in ready.values())
        tasks = len(kie.world.tasks)
        assert tasks == len(every)
        assert set((await making.make(every)).values()) == {"made"}
        assert len(kie.world.tasks) == tasks, "nothing is made twice"


async def test_a_lost_answer_is_never_asked_for_again(database: str, tmp_path: Path) -> None:
    provider = ToldProvider(creates=[OutcomeUnknown("no answer")], readings=[None])
    async with pool_of(database) as pool:
        making = maker(pool, provider, tmp_path)
        for _ in range(2):
            assert await making.make(wanted("portrait")) == {PORTRAIT: "unknown"}
        assert len(provider.created) == 1
        assert (await making.make(wanted("restore")))[of_template("restore")] == "waits"
        answer = await forget_example(pool, PORTRAIT, operator=ME, reason="I pay twice")
        assert answer.done
        assert not (await forget_example(pool, PORTRAIT, operator=ME, reason="again")).done
        await making.make(wanted("portrait"))
        assert len(provider.created) == 2
        acts = await pool.fetch("SELECT action, reference, done FROM operator_journal ORDER BY entry_id")
        assert [tuple(row) for row in acts] == [
            ("forget example", f"example:{PORTRAIT}", True),
            ("forget example", f"example:{PORTRAIT}", False),
        ]


async def test_two_runs_at_once_ask_once(database: str, tmp_path: Path) -> None:
    provider = ToldProvider(creates=[TASK], readings=[STILL_RUNNING])
    async with pool_of(database) as pool:
        first, second = maker(pool, provider, tmp_path), maker(pool, provider, tmp_path)
        await first.make([*wanted("portrait"), *wanted("portrait")])
        await second.make(wanted("portrait"))
        assert len(provider.created) == 1


@pytest.mark.parametrize("refusal", [TaskRefused("422", "not this prompt"), Busy("too frequent")])
async def test_what_surely_failed_may_be_tried_again(database: str, tmp_path: Path, refusal: Exception) -> None:
    provider = ToldProvider(creates=[refusal, TASK], readings=[FAILED])
    async with pool_of(database) as pool:
        making = maker(pool, provider, tmp_path)
        assert await making.make(wanted("portrait")) == {PORTRAIT: "failed"}
        assert await making.make(wanted("portrait")) == {PORTRAIT: "failed"}
        assert len(provider.created) == 2
        assert (await Examples(pool=pool, folder=tmp_path).all())[PORTRAIT].problem == "no luck"


async def test_a_task_that_was_not_ready_is_fetched_by_the_next_run(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, running_kie() as kie, at_kie(pool, kie, tmp_path) as making:
        client = KieClient(base_url=kie.url, api_key=KEY)
        task_id = await client.create_task(
            model="z-image", inputs={"prompt": "x", "aspect_ratio": "1:1"}, callback_url=None
        )
        await client.close()
        provider = ToldProvider(creates=[task_id], readings=[STILL_RUNNING])
        assert await maker(pool, provider, tmp_path).make(wanted("portrait")) == {PORTRAIT: "running"}
        assert await making.make(wanted("portrait")) == {PORTRAIT: "made"}
        assert len(kie.world.tasks) == 1


async def test_the_sandbox_draws_a_tune_for_every_voice_that_can_have_a_sample(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, running_kie() as kie:
        settings = Settings(_env_file=None, bot_token="1:token", data_dir=tmp_path, kie_api_url=kie.url)
        async with transaction(pool) as tx:
            for name in TEMPLATES:
                await add_drawn(tx, of_template(name), file="there.jpg", media="image")
        await draw_examples(settings, database)
        ready = await Examples(pool=pool, folder=settings.examples_folder).ready()
        voices = [ready[each.subject] for each in wanted_voices(shelf())]
        assert all(each.drawn and each.media == "audio" and each.path.is_file() for each in voices)
        assert len({each.path.read_bytes() for each in voices}) > len(voices) // 2, "voices differ"


async def test_operators_hide_and_add_templates_with_a_row_in_the_journal(database: str) -> None:
    async with pool_of(database) as pool:
        templates = Templates(pool=pool, catalog=load_catalog(), shipped=TEMPLATES)
        assert not (await hide_template(templates, "wealth", hidden=True, operator=ME, reason="x")).done
        assert (await hide_template(templates, "portrait", hidden=True, operator=ME, reason="x")).done
        assert not (await hide_template(templates, "portrait", hidden=True, operator=ME, reason="x")).done
        own = {
            "id": "portrait",
            "group": "picture",
            "title": {"ru": "Мой портрет", "en": "My portrait"},
            "models": ["z-image"],
            "prompt": {"ru": "Портрет: {who}", "en": "Portrait of {who}"},
            "slot": [{"name": "who", "ask": "Кого?", "examples": {"ru": ["Анна"], "en": ["Anna"]}}],
        }
        assert (await add_template(templates, "portrait", own, operator=ME, reason="ours")).done
        known = (await templates.known())["portrait"]
        assert (known.template.title.en, known.hidden, known.added) == ("My portrait", True, True)
        assert (await hide_template(templates, "portrait", hidden=False, operator=ME, reason="x")).done
        assert "portrait" in {each.id for each in await templates.shown(shelf())}
        async with transaction(pool) as tx:
            assert await tx.fetchval("SELECT count(*) FROM operator_journal WHERE reference LIKE 'template:%'") == 5

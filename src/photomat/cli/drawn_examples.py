"""Examples for the sandbox alone: the simulated Kie draws them, and their rows say so. A real bot never comes here.

Killed anywhere: what is missing is drawn at the next start.
"""

import asyncio
from typing import Final

import aiohttp

from photomat.app.settings import Settings
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Catalog
from photomat.db.pool import Pool, connect_pool, transaction
from photomat.kernel.error_report import describe
from photomat.kernel.http import HttpClient
from photomat.kernel.logs import get_logger
from photomat.templates.examples import Examples, add_drawn, of_template, of_voice
from photomat.templates.load import shipped_templates
from photomat.templates.make import LANGUAGE, VOICE_MODELS, write_example
from photomat.templates.template import Template

SQUARE: Final = "1:1"
DRAWN_WITHIN: Final = aiohttp.ClientTimeout(total=30)
log = get_logger()


async def draw_examples(settings: Settings, dsn: str) -> None:
    """Draw an example of every template and voice that has none; what goes wrong costs the sandbox nothing else."""
    client = HttpClient(name="the simulated Kie", headers={})
    try:
        pool = await connect_pool(dsn, name="drawn examples", size=1, bot_id=settings.bot_id)
        try:
            await _draw_missing(pool, client, settings)
        finally:
            await pool.close()
    except Exception as error:  # noqa: BLE001  no drawing is worth an outage
        log.warning("EXAMPLE_NOT_SHOWN", subject="sandbox", reason=describe(error))
    finally:
        await client.close()


async def _draw_missing(pool: Pool, client: HttpClient, settings: Settings) -> None:
    catalog = load_catalog()
    folder = settings.examples_folder
    known = await Examples(pool=pool, folder=folder).all()
    templates = shipped_templates(catalog).values()
    drawings = {of_template(each.id): _wanted(each, catalog) for each in templates} | _wanted_voices(catalog)
    for subject, wanted in drawings.items():
        if subject in known:
            continue
        url = f"{settings.kie_api_url}/sandbox/drawing"
        answer = await client.get(url, within=DRAWN_WITHIN, query=wanted)
        file, media = await asyncio.to_thread(write_example, folder, subject, answer.body)
        async with transaction(pool) as tx:
            await add_drawn(tx, subject, file=file, media=media)


def _wanted_voices(catalog: Catalog) -> dict[str, dict[str, str]]:
    """A tune of its own for each voice of which an operator can have samples made."""
    asked = catalog.get(VOICE_MODELS[0]).input_for("voice")
    options = asked.options if asked else ()
    return {of_voice(each): {"prompt": each, "output": "audio"} for each in options}


def _wanted(template: Template, catalog: Catalog) -> dict[str, str]:
    model = catalog.get(template.models[0])
    words = template.prompt.of(LANGUAGE).format_map(template.example(LANGUAGE)) if template.prompt else ""
    return {
        "prompt": words or template.title.of(LANGUAGE),
        "ratio": str(template.inputs.get("format", SQUARE)),
        "model": model.title_in(LANGUAGE),
        "output": model.kind,
    }

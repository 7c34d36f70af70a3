"""Photos and voice notes as phones make them are taken by models that do not take their formats: Kie gets JPEG and MP3."""

import io
from pathlib import Path

from PIL import Image

from photomat.catalog.load import load_catalog
from photomat.media.measure import measure
from support.every_model import Market, Shopper, open_market
from support.full_orders import any_value
from support.phone_files import unconverted_files
from support.wanted import Wanted, only_what_is_needed

EDIT = "google/nano-banana-edit"
AVATAR = "kling/ai-avatar-standard"
VOICE = ("wan/2-7-r2v", "reference_voice")
"""A model that takes sound as WAV and MP3 alone."""


async def test_an_edit_of_a_heic_and_an_avatar_with_a_voice_note_are_bought(database: str, tmp_path: Path) -> None:
    async with open_market(database, tmp_path, by_search=True, files=unconverted_files()) as market:
        anna = await Shopper.new(market, "Анна")
        models = load_catalog().models
        await anna.buys(only_what_is_needed(models[EDIT]))
        assert formats_at_kie(market) == ["jpg"]
        assert photo_at_kie(market).size == (320, 480), "turned as the phone was held"
        assert not photo_at_kie(market).getexif(), "no place and no name of a camera"

        await anna.buys(only_what_is_needed(models[AVATAR]))
        assert sorted(formats_at_kie(market)[1:]) == ["jpg", "ogg"], "this model takes voice notes as they are"

        name, field = VOICE
        needed, asked = only_what_is_needed(models[name]), models[name].input(field)
        assert asked is not None
        await anna.buys(Wanted(model=models[name], inputs={**needed.inputs, field: any_value(asked)}))
        assert "mp3" in formats_at_kie(market)[3:]
        await anna.leaves()


def formats_at_kie(market: Market) -> list[str]:
    """What was uploaded, by content, oldest first."""
    uploads = market.system.kie.world.uploads.values()
    return [measure(io.BytesIO(upload.content)).facts.format for upload in uploads]


def photo_at_kie(market: Market) -> Image.Image:
    first = next(iter(market.system.kie.world.uploads.values()))
    return Image.open(io.BytesIO(first.content))

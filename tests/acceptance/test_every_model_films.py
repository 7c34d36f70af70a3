"""Every model that makes films is bought in the chat: with what it needs, and with everything it can take."""

from pathlib import Path

import pytest

from support.every_model import SOLD, buy_all

FILMS = [model for model in SOLD if model.output == "video"]


@pytest.mark.prove
@pytest.mark.parametrize("all_inputs", [False, True], ids=["only what is needed", "everything"])
async def test_every_film_is_bought_and_shown(database: str, tmp_path: Path, *, all_inputs: bool) -> None:
    await buy_all(database, tmp_path, FILMS, all_inputs=all_inputs)

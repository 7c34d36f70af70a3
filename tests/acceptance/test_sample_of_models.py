"""A sample of the models is bought in the chat, one for every feature a model can have; `make prove` buys them all."""

from pathlib import Path

import pytest

from support.every_model import SOLD, buy_all, sample


@pytest.mark.parametrize("all_inputs", [False, True], ids=["only what is needed", "everything"])
async def test_the_sample_is_bought_and_shown(database: str, tmp_path: Path, *, all_inputs: bool) -> None:
    await buy_all(database, tmp_path, sample(), all_inputs=all_inputs)


def test_nothing_that_is_sold_is_left_out() -> None:
    assert len(SOLD) == 178
    assert {model.output for model in SOLD} == {"image", "video", "audio", "json"}

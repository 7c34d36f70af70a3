"""Sensible values for what an order needs and its customer did not say. Pure.

A picture or a video decides the format, where the model lets choose it. A required choice gets its first option. What only the
customer knows (words, files, earlier results, a moment of a song) stays open: a form asks for it.
"""

from collections.abc import Mapping
from math import log
from typing import Any

from photomat.catalog.answers import FileFacts
from photomat.catalog.formula import is_given
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.options import FROM_FILES, values
from photomat.catalog.order import check_order, missing, relevant, settled
from photomat.catalog.reference import FileRef, files_in
from photomat.catalog.roles import AUTO, RATIO, common_value, own_value


def with_defaults(
    model: Model, inputs: Mapping[str, Any], facts: Mapping[FileRef, FileFacts] | None = None
) -> dict[str, Any]:
    """The inputs with everything required that can be filled in sensibly; `facts` are those of the order's files."""
    filled = with_format_of_files(model, settled(model, inputs), facts or {})
    for _ in model.inputs:  # a value may make another input apply
        lacking = next((each for each in missing(model, filled) if each.type in {"choice", "switch"}), None)
        if lacking is None:
            break
        filled = settled(model, {**filled, lacking.name: values(lacking)[0]})
    return filled


def with_format_of_files(model: Model, inputs: Mapping[str, Any], facts: Mapping[FileRef, FileFacts]) -> dict[str, Any]:
    """The inputs with the format nearest to the picture or video they start from, unless one was chosen."""
    asked, before = model.input_for("format"), dict(inputs)
    if asked is None or is_given(inputs.get(asked.name)) or asked not in relevant(model, inputs):
        return before
    file = _source(model, inputs, facts)
    wanted = nearest_format(asked, file) if file is not None else None
    if wanted is None or wanted == model.filled(inputs).get(asked.name):
        return before
    after = settled(model, {**inputs, asked.name: wanted})
    known = check_order(model, before)
    return after if all(each in known for each in check_order(model, after)) else before


def nearest_format(asked: Input, file: FileFacts) -> str | None:
    """The option that fits a picture: as the source is, where that is offered, else the nearest ratio."""
    if not file.width or not file.height:
        return None
    if (as_source := own_value(asked, AUTO)) is not None:
        return as_source
    ratios = {
        found: _shape(found) for option in asked.options if RATIO.fullmatch(found := str(common_value(asked, option)))
    }
    own = log(file.width / file.height)
    nearest = min(ratios, key=lambda ratio: abs(ratios[ratio] - own), default=None)
    return None if nearest is None else own_value(asked, nearest)


def _source(model: Model, inputs: Mapping[str, Any], facts: Mapping[FileRef, FileFacts]) -> FileFacts | None:
    """The first picture or video the order starts from, as far as it is measured."""
    asked = (model.input_for(role) for role in FROM_FILES)
    files = (ref for each in asked if each is not None for ref in files_in(inputs.get(each.name)))
    return next((facts[ref] for ref in files if ref in facts), None)


def _shape(ratio: str) -> float:
    width, _, height = ratio.partition(":")
    return log(int(width) / int(height))

"""Catalogue files for tests: the part of a model that a test speaks of, with the rest of what a model needs around it."""

from pathlib import Path

AROUND = """
[[model]]
id = "{id}"
title = "{id}"
purpose = {{ ru = "Для проверки", en = "For a test" }}
category = "text-to-image"
output = "image"
protocol = "at-once"
off = "it is here to be counted, not to be sold"
{body}
"""


def counted(model_id: str, body: str) -> str:
    """A model of which only inputs and price matter."""
    return AROUND.format(id=model_id, body=body)


def written(folder: Path, content: str, name: str = "image.toml") -> Path:
    """The folder with this file in it."""
    (folder / name).write_text(content, encoding="utf-8")
    return folder

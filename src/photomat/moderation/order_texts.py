"""What a customer wrote for an order, as far as it becomes input of a model. Pure.

Captions and spoken words become inputs before this is asked. What is picked from options, numbers and links are not written
words. A negative prompt names what must not be seen, so rules do not read it; an external checker does.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.reference import references

NEGATIVE = "negative"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderText:
    """One text of an order; `name` is the input it is in."""

    name: str
    text: str
    is_negative: bool


def texts_of(model: Model, inputs: Mapping[str, Any]) -> list[OrderText]:
    return [text for each in model.inputs for text in _texts(each, inputs.get(each.name), name=each.name)]


def _texts(asked: Input, value: Any, *, name: str) -> Iterator[OrderText]:
    if asked.type == "text" and isinstance(value, str) and value.strip():
        is_negative = asked.role == "negative_prompt" or asked.name.lower().startswith(NEGATIVE)
        yield OrderText(name=name, text=value, is_negative=is_negative)
    elif asked.type == "list" and isinstance(value, list):
        for line in value:
            for field in asked.fields:
                yield from _texts(field, line.get(field.name) if isinstance(line, Mapping) else line, name=name)


def wished(texts: list[OrderText]) -> list[str]:
    """The texts rules read."""
    return [each.text for each in texts if not each.is_negative]


def text_hash(texts: list[str]) -> bytes:
    """Names a text without holding it."""
    return hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).digest()


def checked_hash(texts: list[OrderText], inputs: Mapping[str, Any]) -> bytes:
    """Names what an external checker judges: every text, the negative ones too, and the files and results beside them."""
    parts = [[each.name, each.text] for each in texts] + [ref.as_json() for ref in references(inputs)]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).digest()


def order_hash(model: str, inputs: Mapping[str, Any]) -> bytes:
    """Names everything an order consists of."""
    return hashlib.sha256(json.dumps([model, inputs], ensure_ascii=False, sort_keys=True).encode()).digest()

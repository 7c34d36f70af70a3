"""The order under its result: what was bought, in the customer's words, escaped and within what a caption holds. Pure.

Of everything in it the prompt alone may be long, so the prompt gives way. Room is left for a last paragraph: why a file is not
what it should be, and the way to it.
"""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from photomat.catalog.model import Model
from photomat.catalog.order_words import OrderWords, order_in_words
from photomat.jobs.job import ANSWER_TITLE
from photomat.kernel.text import cut, units_of
from photomat.kie.tracks import STEM_TITLES
from photomat.texts.load import Say

LONGEST_CAPTION: Final = 1024
ROOM_FOR_A_REASON: Final = 224
LONGEST_PROMPT: Final = 600
LONGEST_VALUES: Final = 240
LONGEST_TITLE: Final = 80
LONGEST_SEED: Final = 24
TAG: Final = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """What was bought, as its row has it, and what its model is now, if anybody knows it still."""

    title: str | None
    model_id: str
    inputs: Mapping[str, Any]
    result_object: Mapping[str, Any] | None
    model: Model | None

    def name(self, language: str) -> str:
        """What the model was called when it was bought; in older rows, what it is called now."""
        return cut(self.title or self._name_now(language), LONGEST_TITLE)

    def _name_now(self, language: str) -> str:
        if self.model is None:
            return self.model_id
        return self.model.titles.of(language) if self.model.titles else self.model.title


def captioned(sentence: Callable[[str], str], bought: Bought, *, part: str | None, language: str, say: Say) -> str:
    """The sentence with the order in it; `part` is what the shown output is called."""
    order = order_in_words(bought.model, bought.inputs, language=language, say=say)
    lines = _lines(bought, order, say)
    longest = LONGEST_PROMPT
    for _ in range(2):
        prompt = cut(order.prompt, longest)
        text = sentence(_written(part, prompt, lines))
        over = seen_length(text) - (LONGEST_CAPTION - ROOM_FOR_A_REASON)
        if over <= 0:
            break
        longest = max(0, units_of(prompt) - over - 1)
    return text


def part_in_words(title: str | None, say: Say) -> str | None:
    """What one output is called: a part of a track and the file with the answer in words, anything else by its title."""
    return say(title) if title in {*STEM_TITLES, ANSWER_TITLE} else title


def seen_length(text: str) -> int:
    """How long a text is for Telegram: without its markup, in the units it counts."""
    return units_of(unmarked(text))


def unmarked(text: str) -> str:
    """The text alone."""
    return html.unescape(TAG.sub("", text))


def _lines(bought: Bought, order: OrderWords, say: Say) -> list[str]:
    """What was chosen, and the seed where Kie tells one that nobody gave."""
    named = bought.model is not None
    values = [f"{value.title}: {value.text}" if named else value.text for value in order.values]
    seed = (bought.result_object or {}).get("seed")
    is_seed = isinstance(seed, int | str) and not isinstance(seed, bool)
    if is_seed and "seed" not in bought.inputs:
        values.append(say("caption-seed", seed=cut(str(seed), LONGEST_SEED)))
    return [cut(" · ".join(values), LONGEST_VALUES)] if values else []


def _written(part: str | None, prompt: str, lines: Sequence[str]) -> str:
    titled = [f"<b>{html.escape(cut(part, LONGEST_TITLE))}</b>"] if part else []
    described = [f"<i>{html.escape(prompt)}</i>"] if prompt else []
    return "\n".join([*titled, *described, *map(html.escape, lines)])

"""An order made of what was said: what it starts from, what else the same words or file can become, what it lacks. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat.assistant.follow_up import changed_words
from photomat.assistant.plan import Plan, Request
from photomat.assistant.rules import plan
from photomat.catalog.carry import carried, choices, files_of, words_of
from photomat.catalog.defaults import with_defaults
from photomat.catalog.input import FILE_KINDS, FileKind, Input
from photomat.catalog.model import Model
from photomat.catalog.order import missing
from photomat.catalog.storefront import Storefront, menu_category_of
from photomat.catalog.wishes import (
    Start,
    Wish,
    model_for,
    source_input,
    wish_served_by,
    wishes,
    wishes_from,
    with_file,
    with_words,
)

FROM_WORDS: Final = ("picture", "video", "music")
"""What the same words are offered for."""
MAX_OFFERED: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOrder:
    """A model with the inputs made of what was said, before it is a draft."""

    model: Model
    inputs: Mapping[str, Any]


def start_of(model: Model, inputs: Mapping[str, Any]) -> Start | None:
    """What an order starts from: the kind of its first file; None for words alone."""
    return next((kind for kind in FILE_KINDS if files_of(model, inputs, kind)), None)


def other_wishes(model: Model, inputs: Mapping[str, Any], storefront: Storefront) -> list[Wish]:
    """What else can be made of the same words or file."""
    start = start_of(model, inputs)
    current = wish_served_by(model, start)
    known = wishes_from(start) if start else [wishes()[each] for each in FROM_WORDS]
    return [each for each in known if each is not current and model_for(each, storefront)][:MAX_OFFERED]


def order_for(wish: Wish, model: Model, *, old: Model, inputs: Mapping[str, Any], language: str) -> SaidOrder:
    """The order of another wish with the same words and files; a wish's own words stand in where there are none."""
    words = words_of(old, inputs)
    said = "" if is_stock(words) else words
    taken = {name: value for name, value in carried(old, model, inputs).items() if name not in with_words(model, words)}
    told = said or (wish.prompt.of(language) if wish.prompt else "")
    return SaidOrder(model=model, inputs={**taken, **with_words(model, told)})


def with_remark(found: Plan, model: Model, inputs: Mapping[str, Any]) -> tuple[SaidOrder, str]:
    """The order after a remark about it, and the customer's own words it replaces."""
    before = words_of(model, inputs)
    own = "" if is_stock(before) else before
    after = changed_words(own, found.words) or before
    changed = {**inputs, **choices(found.model, model, found.inputs), **with_words(model, after)}
    return SaidOrder(model=model, inputs=changed), own


def with_wish(found: Plan, *, old: Model, inputs: Mapping[str, Any]) -> SaidOrder:
    """The order of another wish, as the words say it, for the same files."""
    return SaidOrder(model=found.model, inputs={**carried(old, found.model, inputs), **found.inputs})


def models_for(model: Model, inputs: Mapping[str, Any], others: Iterable[Model]) -> Iterator[Model]:
    """The other models that can make the same of the same words and files, asking for nothing more."""
    wish = wish_served_by(model, start_of(model, inputs))
    category = wish.category if wish is not None else menu_category_of(model)
    lacking = lacks(model, inputs)
    for each in others:
        if each.id == model.id or not category.includes(each):
            continue
        if _needs_no_more(each, carried(model, each, inputs), lacking):
            yield each


def _needs_no_more(model: Model, inputs: Mapping[str, Any], lacking: Input | None) -> bool:
    now = lacks(model, with_defaults(model, inputs))
    return now is None or (lacking is not None and now.role == lacking.role)


def order_apart(
    model: Model, inputs: Mapping[str, Any], before: Mapping[str, Any], *, language: str, storefront: Storefront
) -> SaidOrder:
    """What the last message alone would have become: its words, or its file."""
    for kind in FILE_KINDS:
        added = [each for each in files_of(model, inputs, kind) if each not in files_of(model, before, kind)]
        first = next(iter(offered_for(kind, storefront, words="", language=language)), None) if added else None
        asked = source_input(first.model, kind) if first is not None else None
        if first is not None and asked is not None:
            return SaidOrder(model=first.model, inputs={**first.inputs, **with_file(asked, added[0])})
    words = words_of(model, inputs)
    found = plan(Request(words=words, language=language), storefront)
    return SaidOrder(model=found.model, inputs=found.inputs) if found else SaidOrder(model=model, inputs=inputs)


def offered_for(kind: FileKind, storefront: Storefront, *, words: str, language: str) -> list[SaidOrder]:
    """What can be done with a file of this kind, the file itself left out; the first is the most usual."""
    served = ((each, model_for(each, storefront)) for each in wishes_from(kind))
    return [
        SaidOrder(model=model, inputs=with_words(model, words or (wish.prompt.of(language) if wish.prompt else "")))
        for wish, model in served
        if model is not None
    ]


def is_stock(words: str) -> bool:
    """Whether these words are a wish's own, not the customer's."""
    return any(each.prompt is not None and words in {each.prompt.ru, each.prompt.en} for each in wishes().values())


def lacks(model: Model, inputs: Mapping[str, Any]) -> Input | None:
    """What an order made of plain words still needs first."""
    return next(iter(missing(model, inputs)), None)


def takes_kind(asked: Input, kind: FileKind) -> bool:
    return asked.takes_files and asked.files is not None and asked.files.kind == kind

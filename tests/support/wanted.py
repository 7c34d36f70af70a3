"""What a willing customer wants of a model: only what must be said, or everything that can be said. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from photomat.catalog.formula import is_given
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.order import example_of
from support.full_orders import any_value, full_order


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """An order as it is in the customer's mind; a file stands for a file of its kind, a task for any that fits."""

    model: Model
    inputs: Mapping[str, Any]

    @property
    def way(self) -> int:
        """Which of several ways to order it takes."""
        ways = self.model.one_of
        given = self.model.filled(self.inputs)
        return next((n for n, names in enumerate(ways) if all(is_given(given.get(name)) for name in names)), 0)

    def value(self, asked: Input) -> Any:
        """What is answered to a question; None when it is left out."""
        found = self.inputs.get(asked.name)
        if found is None and asked.required and asked.default is None and not asked.default_items:
            return any_value(asked)
        return found


def only_what_is_needed(model: Model) -> Wanted:
    """The least that can be ordered, in the way of the example or else in the first."""
    example = example_of(model)
    taken = [names for names in model.one_of if all(is_given(example.get(name)) for name in names)]
    way = (taken or list(model.one_of) or [()])[0]
    named = [each for each in model.inputs if each.name in way or (each.required and is_given(example.get(each.name)))]
    needed = [each for each in named if each.default is None and not each.default_items]
    return Wanted(model=model, inputs={each.name: example.get(each.name, any_value(each)) for each in needed})


def everything(model: Model) -> Wanted:
    """All that a customer can say, besides what is never asked."""
    hidden = {each.name for each in model.inputs if each.place == "hidden"}
    return Wanted(model=model, inputs={name: value for name, value in full_order(model).items() if name not in hidden})

"""An order of a model with everything it can take: every optional input that goes with the rest."""

from typing import Any

from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.order import HOST, SAMPLE_TASK, SAMPLE_TRACK, check_order, example_of, relevant
from support.answers import adding_up


def full_order(model: Model) -> dict[str, Any]:
    """The example, and a value for whatever else makes sense beside it."""
    inputs = example_of(model)
    for each in model.inputs:
        wider = {**inputs, each.name: any_value(each)}
        if each.name not in inputs and each in relevant(model, wider) and not check_order(model, wider):
            inputs = wider
    return inputs


def any_value(asked: Input) -> Any:
    """A value that fits an input."""
    match asked.type:
        case "choice":
            return asked.options[-1]
        case "switch":
            return "true"
        case "number":
            return str(asked.most if asked.most is not None else asked.least if asked.least is not None else 1)
        case "file" | "files":
            kind = asked.files.kind if asked.files else "image"
            urls = [f"{HOST}/{kind}-{number}" for number in range(asked.min_items or 1)]
            return urls if asked.type == "files" else urls[0]
        case "list":
            one = {field.name: any_value(field) for field in asked.fields} if asked.fields else "1"
            return adding_up(asked, [one] * (asked.min_items or 1))
        case "link" | "task" | "track":
            return {"link": "https://example.com/page", "task": SAMPLE_TASK, "track": SAMPLE_TRACK}[asked.type]
        case _:
            return asked.like or "слово".ljust(asked.min_length or 0, "о")

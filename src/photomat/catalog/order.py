"""A whole order: which inputs make sense in it, whether it is complete, and what Kie is sent. Pure."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.filling import sum_for
from photomat.catalog.formula import as_number, is_given
from photomat.catalog.input import Condition, Input
from photomat.catalog.list_rules import check_lists
from photomat.catalog.model import Model, Together
from photomat.kie.families import FAMILIES


def relevant(model: Model, inputs: Mapping[str, Any]) -> tuple[Input, ...]:
    """The inputs that make sense beside what was chosen, in the order they are asked for."""
    filled = model.filled(inputs)
    return tuple(
        each for each in model.inputs if each.condition.holds(filled) and sum_for(model.inputs, each, filled) is None
    )


def open_to_customers(model: Model, inputs: Mapping[str, Any]) -> tuple[Input, ...]:
    """The inputs a customer may set in this order."""
    return tuple(each for each in relevant(model, inputs) if each.place != "hidden")


def missing(model: Model, inputs: Mapping[str, Any]) -> tuple[Input, ...]:
    """What must still be asked for: required inputs that make sense here and have neither a value nor a default."""
    filled = model.filled(inputs)
    return tuple(each for each in relevant(model, inputs) if each.required and not is_given(filled.get(each.name)))


def check_order(
    model: Model, inputs: Mapping[str, Any], measured: Mapping[str, Decimal] | None = None
) -> tuple[Refused, ...]:
    """Everything that stands against this order; nothing when it can be sent."""
    found = [Refused(key="form-missing", facts={"input": each.name}) for each in missing(model, inputs)]
    filled = model.filled(inputs)
    if model.one_of and not any(all(is_given(filled.get(name)) for name in names) for names in model.one_of):
        found.append(
            Refused(key="form-one-of", facts={"inputs": " / ".join(" + ".join(names) for names in model.one_of)})
        )
    found += [_never(never) for never in model.never if never.holds(filled)]
    for each in model.inputs:
        rivals = [name for name in each.condition.without if is_given(inputs.get(name))]
        if rivals and is_given(inputs.get(each.name)):
            found.append(Refused(key="form-never", facts={"inputs": ", ".join(sorted([each.name, *rivals]))}))
    for each in relevant(model, inputs):
        kept = check_answer(each, inputs[each.name]) if is_given(inputs.get(each.name)) else None
        found += [kept] if isinstance(kept, Refused) else []
    found += check_lists(model.inputs, filled)
    for rule in model.together:
        found += _too_much(model, rule, filled, measured or {})
    return tuple(found)


def body_of(model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The provider's input object: what was chosen and our defaults, in Kie's types. What makes no sense here is left out."""
    chosen = model.sensible(inputs)
    written = {each.name: each.as_json(chosen[each.name]) for each in model.inputs if is_given(chosen.get(each.name))}
    return {**model.sent, **written}


def request_of(
    model: Model, inputs: Mapping[str, Any], *, callback_url: str | None = None
) -> tuple[str, dict[str, Any]]:
    """Where an order is created, below the provider's address, and the whole body that goes there."""
    family = FAMILIES[model.protocol]
    return f"/api/v1/{family.create}", family.body(model.id, body_of(model, inputs), callback_url)


def _never(never: Condition) -> Refused:
    if never.why is not None:
        return Refused(key="form-never-because", facts={"why": never.why})
    return Refused(key="form-never", facts={"inputs": ", ".join(sorted(never.names))})


def _too_much(
    model: Model, rule: Together, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]
) -> list[Refused]:
    """Files count by number and measured seconds, an input that is a number of seconds by that number."""
    counts = [len(value) if isinstance(value, list) else 1 for name in rule.of if is_given(value := inputs.get(name))]
    chosen = [each for each in model.inputs if each.name in rule.of and each.type in {"number", "choice"}]
    said = sum((as_number(inputs.get(each.name)) or Decimal(0) for each in chosen), Decimal(0))
    seconds = said + sum((measured.get(f"{name}:seconds", Decimal(0)) for name in rule.of), Decimal(0))
    if rule.max_items is not None and sum(counts) > rule.max_items:
        return [Refused(key="form-too-many", facts={"limit": rule.max_items, "count": sum(counts)})]
    if rule.max_seconds is not None and seconds > rule.max_seconds:
        return [Refused(key="form-files-long", facts={"limit": str(rule.max_seconds), "seconds": str(seconds)})]
    return []

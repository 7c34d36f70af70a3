"""Merge a chat model's proposal into a plan, field by field. Pure.

The rules' plan is the ground: a field of the proposal that is unknown, does not fit, or would leave a complete order incomplete
is dropped, and the others stay. Files stay what and where they are. A model must be listed, serve the wish, and take every file
and track of the order. Prices are no field of a proposal: `orders` quotes what comes out of this.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from photomat.assistant.chat import Proposal
from photomat.assistant.plan import Plan
from photomat.catalog.answers import Refused, check_answer
from photomat.catalog.carry import carried, words_of
from photomat.catalog.formula import is_given
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.order import check_order, open_to_customers
from photomat.catalog.reference import Ref, files_in, references
from photomat.catalog.roles import common_value, own_value
from photomat.catalog.storefront import Storefront
from photomat.catalog.wishes import Start, Wish, model_for, source_input, wish_served_by, wishes, with_words

FILLED: Final = frozenset({"text", "choice", "number", "switch"})
"""Types of inputs that a proposal may fill in."""


def merged(plan: Plan, proposal: Proposal, storefront: Storefront) -> Plan:
    """The plan with what of the proposal fits; the plan itself where nothing does."""
    elsewhere = _moved(plan, proposal, storefront)
    for base in (elsewhere, plan):
        found = _filled(base, proposal) if base is not None else None
        if found is not None and _objections(found) <= _objections(plan):
            return found
    return plan


def plan_of(model: Model, inputs: Mapping[str, Any], words: str) -> Plan | None:
    """The plan that an order already is; None where no wish leads to it."""
    wish = wish_served_by(model, started_from(model, inputs))
    return None if wish is None else Plan(wish=wish, model=model, inputs=inputs, words=words)


def started_from(model: Model, inputs: Mapping[str, Any]) -> Start | None:
    """What an order starts from: its first file, or a track."""
    for each in model.inputs:
        if each.files is not None and files_in(inputs.get(each.name)):
            return each.files.kind
    return "track" if any(references(dict(inputs))) else None


def _moved(plan: Plan, proposal: Proposal, storefront: Storefront) -> Plan | None:
    """The plan for the proposed wish and model; None where that is no other, or cannot take what the order has."""
    wish = _wish(plan, proposal)
    model = _model(proposal, wish, storefront)
    if model is None:
        model = plan.model if wish.id == plan.wish.id else model_for(wish, storefront)
    if model is None or model.id == plan.model.id or not _can_start(model, wish):
        return None
    inputs = carried(plan.model, model, plan.inputs) | _own_words(plan, wish, model)
    if _kept(inputs) != _kept(plan.inputs):
        return None
    given = {name: value for name, value in inputs.items() if is_given(value)}
    return replace(plan, wish=wish, model=model, inputs=given)


def _wish(plan: Plan, proposal: Proposal) -> Wish:
    """The proposed wish, if it starts from what the customer gave."""
    found = wishes().get(proposal.wish or "")
    return found if found is not None and found.starts_from == plan.wish.starts_from else plan.wish


def _model(proposal: Proposal, wish: Wish, storefront: Storefront) -> Model | None:
    found = storefront.on_sale.get(proposal.model or "")
    if found is None or not found.listed:
        return None
    is_made_for = found.model.id in wish.models or found.model.category in wish.category.of
    return found.model if is_made_for else None


def _can_start(model: Model, wish: Wish) -> bool:
    if wish.starts_from is None:
        return True
    if wish.starts_from == "track":
        return model.input_for("source_track") is not None
    return source_input(model, wish.starts_from) is not None


def _own_words(plan: Plan, wish: Wish, model: Model) -> dict[str, Any]:
    """The new wish's own words in place of the old one's, where the customer said nothing."""
    said, before = words_of(plan.model, plan.inputs), plan.wish.prompt
    if before is None or said not in {before.ru, before.en}:
        return {}
    if wish.prompt is None:
        return dict.fromkeys(with_words(model, said), "")
    return with_words(model, wish.prompt.ru if said == before.ru else wish.prompt.en)


def _filled(plan: Plan, proposal: Proposal) -> Plan:
    """The plan with every proposed value that is valid and makes the order no worse."""
    for name, value in _proposed(plan, proposal):
        better = replace(plan, inputs={**plan.inputs, name: value})
        if _objections(better) <= _objections(plan) and _kept(better.inputs) == _kept(plan.inputs):
            plan = better
    return plan


def _proposed(plan: Plan, proposal: Proposal) -> Iterator[tuple[str, str]]:
    """The values of a proposal as the model spells them."""
    prompts = with_words(plan.model, proposal.prompt or "")
    by_role = {asked.name: value for role, value in proposal.inputs.items() if (asked := plan.model.input_for(role))}
    for name, value in {**by_role, **prompts}.items():
        asked = plan.model.input(name)
        if asked is None or asked.type not in FILLED or asked not in open_to_customers(plan.model, plan.inputs):
            continue
        own = _own(asked, value)
        if own is not None:
            yield name, own


def _own(asked: Input, value: str) -> str | None:
    """A value that means something to the model, in its own spelling."""
    common = common_value(asked, value) if asked.options else None
    spelled = own_value(asked, common) if common is not None else None
    checked = check_answer(asked, value if spelled is None else spelled)
    return None if isinstance(checked, Refused) else str(checked)


def _objections(plan: Plan) -> int:
    return len(check_order(plan.model, plan.inputs))


def _kept(inputs: Mapping[str, Any]) -> list[Ref]:
    """The files and earlier results of an order."""
    return sorted(references(dict(inputs)), key=repr)

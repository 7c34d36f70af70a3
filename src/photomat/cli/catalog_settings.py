"""`photomat catalog hide|feature|rename|sell` and their opposites: how a model is sold, changed without a deploy."""

from typing import Annotated

import typer

from photomat.catalog.model import Model
from photomat.cli.ask import AsJson, operate, operator_name, tell
from photomat.cli.catalog import SESSION, known_model
from photomat.operators.actions import Answer
from photomat.operators.models import NewTitle, Turn, rename_model, turn_model

Reason = Annotated[str, typer.Option(help="Why, for the journal.")]


def hide(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Keep a model from customers, at once: neither listed nor sold. Jobs that are bought go on."""
    _turn(model, "hide", reason, as_json=as_json)


def unhide(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Show a hidden model again."""
    _turn(model, "unhide", reason, as_json=as_json)


def feature(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Show a model first in its lists, and among the best."""
    _turn(model, "feature", reason, as_json=as_json)


def unfeature(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Give a model its usual place again."""
    _turn(model, "unfeature", reason, as_json=as_json)


def sell(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Sell a model although the catalogue has it off; its price must be known."""
    _turn(model, "sell", reason, as_json=as_json)


def unsell(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Leave it to the catalogue again whether a model is sold."""
    _turn(model, "unsell", reason, as_json=as_json)


def rename(
    model: str,
    *,
    ru: Annotated[str | None, typer.Option(help="What it is called in Russian.")] = None,
    en: Annotated[str | None, typer.Option(help="What it is called in English.")] = None,
    back: Annotated[bool, typer.Option("--back", help="Back to the names of the catalogue.")] = False,
    reason: Reason,
    as_json: AsJson = False,
) -> None:
    """Call a model otherwise, in one language or both; jobs keep the name they were bought under."""
    if back == (ru is not None or en is not None):
        raise typer.BadParameter("choose --ru, --en or both; or --back alone")
    found, new = known_model(model), NewTitle(ru=ru, en=en, back=back)
    answer = operate(
        lambda pool: rename_model(pool, found, new, operator=operator_name(), reason=reason),
        name=SESSION,
    )
    _tell(found, answer, as_json=as_json)


def _turn(model: str, turn: Turn, reason: str, *, as_json: bool) -> None:
    found = known_model(model)
    answer = operate(
        lambda pool: turn_model(pool, found, turn, operator=operator_name(), reason=reason),
        name=SESSION,
    )
    _tell(found, answer, as_json=as_json)


def _tell(model: Model, answer: Answer, *, as_json: bool) -> None:
    facts = {"model": model.id, "sentence": answer.sentence} if as_json else None
    tell(f"{model.id}: {answer.sentence}", done=answer.done, facts=facts)

"""`photomat settings`: the settings that change without a restart, for every running instance at once."""

from typing import Annotated, Any

import typer

from photomat.app.live_settings import rules_of
from photomat.app.settings import load
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query
from photomat.operators.actions import ActionResult
from photomat.operators.settings import ShownSetting, change_setting, reset_setting, shown_settings

NAME = "photomat settings"
app = typer.Typer(help="Settings that change without a restart.", no_args_is_help=True)

Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
Confirm = Annotated[
    bool, typer.Option("--confirm", help="Also a MARKUP below 1, or a price factor that jumps by more than ×3.")
]


@app.command("list")
def list_command(*, as_json: AsJson = False) -> None:
    """Every setting that may change while the bot runs: its value, where it is from, who changed it."""
    found = query(lambda pool: shown_settings(pool, rules_of(load())), name=NAME)
    if as_json:
        print_json([_as_json(each) for each in found])
        return
    table = Listing("setting", "value", "from", "default", "changed", "by")
    for each in found:
        stored = each.stored
        changed = (f"{stored.changed_at:%Y-%m-%d %H:%M}", stored.operator) if stored else ("", "")
        table.add_row(each.spec.name, each.value, each.source, each.spec.default, *changed)
    print_listing(table)


@app.command("set")
def set_command(name: str, value: str, *, reason: Reason, confirm: Confirm = False, as_json: AsJson = False) -> None:
    """Change a setting; running instances use it within two seconds."""
    rules, wanted = rules_of(load()), name.upper()
    answer = operate(
        lambda pool: change_setting(
            pool, rules, wanted, value, operator=operator_name(), reason=reason, confirmed=confirm
        ),
        name=NAME,
    )
    _print_answer(wanted, answer, as_json=as_json)


@app.command("reset")
def reset_command(name: str, *, reason: Reason, confirm: Confirm = False, as_json: AsJson = False) -> None:
    """Forget the operators' value of a setting: its default holds again."""
    rules, wanted = rules_of(load()), name.upper()
    answer = operate(
        lambda pool: reset_setting(pool, rules, wanted, operator=operator_name(), reason=reason, confirmed=confirm),
        name=NAME,
    )
    _print_answer(wanted, answer, as_json=as_json)


def _as_json(each: ShownSetting) -> dict[str, Any]:
    return {
        "setting": each.spec.name,
        "group": each.spec.group,
        "value": each.value,
        "source": each.source,
        "default": each.spec.default,
        "changed_at": each.stored.changed_at if each.stored else None,
        "operator": each.stored.operator if each.stored else None,
    }


def _print_answer(name: str, answer: ActionResult, *, as_json: bool) -> None:
    facts = {"setting": name, "sentence": answer.sentence} if as_json else None
    print_outcome(answer.sentence, done=answer.done, facts=facts)

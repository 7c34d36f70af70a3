"""The commands of the lab: `explore`, `mutants`, `storm`, `money`, `matrix`, `fuzz`. Each prints figures; 1 is a violation."""

from typing import Annotated

import typer
from rich.table import Table

from photomat_chaos.fuzz.cli import fuzz
from photomat_chaos.matrix.cli import matrix
from photomat_chaos.model.explorer import ALL_RULES, SWITCHES, Proof, explore
from photomat_chaos.model.state import Law
from photomat_chaos.money.cli import money
from photomat_chaos.mutants.mutations import MUTATIONS
from photomat_chaos.mutants.trial import Trial, Verdict, try_all
from photomat_chaos.storm.cli import storm
from photomat_chaos.terminal import console, progress

app = typer.Typer(help="The crash lab: the promise, proved.", no_args_is_help=True, add_completion=False)
app.command("fuzz")(fuzz)
app.command("matrix")(matrix)
app.command("money")(money)
app.command("storm")(storm)


@app.command("explore")
def explore_command(
    without: Annotated[str, typer.Option(help=f"Only with this taken away: {', '.join(SWITCHES)}.")] = "",
) -> None:
    """Visit every state of the model; then take away what protects it, one by one, and show what goes wrong."""
    if without and without not in SWITCHES:
        raise typer.BadParameter(f"{without} is none of {', '.join(SWITCHES)}")
    proof = None if without else _prove()
    found = {name: explore(law) for name, law in SWITCHES.items() if without in {"", name}}
    for name, broken in found.items():
        _tell(name, broken)
    if (proof is not None and proof.story is not None) or any(each.story is None for each in found.values()):
        raise typer.Exit(1)


def _prove() -> Proof:
    proof = explore(Law())
    if proof.story is not None:
        _tell("nothing", proof)
        return proof
    console.print(f"✓ {proof.states:,} states, {proof.moves:,} moves, {proof.seconds:.1f} s. In every one of them:")
    for rule in ALL_RULES:
        console.print(f"  ✓ {rule}")
    return proof


def _tell(name: str, proof: Proof) -> None:
    if proof.story is None:
        console.print(f"✗ without {name} nothing was found in {proof.states:,} states: the model is blind to it")
        return
    console.print(f"\nWithout [bold]{name}[/bold], broken after {len(proof.story.steps)} steps: {proof.story.rule}")
    for number, step in enumerate(proof.story.steps, 1):
        console.print(f"  {number:2}  {step}")


@app.command("mutants")
def mutants_command(names: Annotated[list[str] | None, typer.Argument(help="Only these.")] = None) -> None:
    """Make each seeded mistake in a copy of the source and see whether the tests notice."""
    chosen = [mutation for mutation in MUTATIONS if not names or mutation.name in names]
    if not chosen:
        raise typer.BadParameter(f"there is no such mutant; there are {', '.join(each.name for each in MUTATIONS)}")
    with progress() as bars:
        bar = bars.add_task("mutants", total=len(chosen))
        trials = try_all(chosen, lambda _trial: bars.advance(bar))
    console.print(_table_of(trials))
    killed = sum(trial.verdict is Verdict.KILLED for trial in trials)
    console.print(f"{killed} of {len(trials)} killed")
    if killed < len(trials):
        raise typer.Exit(1)


def _table_of(trials: list[Trial]) -> Table:
    table = Table("", "mutant", "the mistake", "noticed by")
    for trial in trials:
        sign = "✓" if trial.verdict is Verdict.KILLED else "✗"
        table.add_row(sign, trial.mutation.name, trial.mutation.mistake, trial.by or trial.verdict)
    return table

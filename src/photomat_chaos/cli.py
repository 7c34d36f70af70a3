"""The commands of the lab: `explore`, `mutants`, `storm`, `money`, `promote`, `matrix`, `fuzz`.

Each prints figures and ends with one line, PASS or FAIL with its seed; a violation is exit code 1.
"""

import asyncio
import io
import json
import logging
import signal
import tempfile
import time
import zipfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from photomat import __version__
from photomat.kernel import logs
from photomat.kernel.failpoint import FAILPOINTS
from photomat_chaos.fuzz.rounds import FuzzPlan, Offence, RoundReport, figures_of, offences_of, run
from photomat_chaos.lab.arena import fastest_place
from photomat_chaos.lab.history import HistoryViolation
from photomat_chaos.lab.replica import Replication
from photomat_chaos.matrix.cell import ACTIONS, WAYS, Action, Cell, Place
from photomat_chaos.matrix.matrix import Matrix, Notebook, places_of
from photomat_chaos.matrix.report import MatrixReport, page_of
from photomat_chaos.model.explorer import ALL_RULES, SWITCHES, Exploration, explore
from photomat_chaos.model.state import Safeguards
from photomat_chaos.money.workload import run_money_storm
from photomat_chaos.mutants.mutations import MUTATIONS
from photomat_chaos.mutants.trial import Trial, Verdict, try_all
from photomat_chaos.promotion.run import PromotionPlan, PromotionReport, run_promotion
from photomat_chaos.storm.engine import Storm, StormPlan, StormReport
from photomat_chaos.storm.purchases import run_storm

console: Final = Console(highlight=False)
app = typer.Typer(help="The crash lab: the promise, proved.", no_args_is_help=True, add_completion=False)
INTERRUPTED: Final = 130
WIDEST_WORD: Final = len("callback")


@app.command("explore")
def explore_command(
    without: Annotated[str, typer.Option(help=f"Only with this taken away: {', '.join(SWITCHES)}.")] = "",
) -> None:
    """Visit every state of the model; then take away what protects it, one by one, and show what goes wrong."""
    if without and without not in SWITCHES:
        raise typer.BadParameter(f"{without} is none of {', '.join(SWITCHES)}")
    proof = None if without else _prove_model()
    found = {name: explore(safeguards) for name, safeguards in SWITCHES.items() if without in {"", name}}
    for name, broken in found.items():
        _show_proof(name, broken)
    is_good = (proof is None or proof.story is None) and all(each.story is not None for each in found.values())
    states = "" if proof is None else f"{proof.states:,} states, "
    _finish("explore", f"{states}{len(found)} safeguards taken away", is_good=is_good)


def _prove_model() -> Exploration:
    proof = explore(Safeguards())
    if proof.story is not None:
        _show_proof("nothing", proof)
        return proof
    console.print(f"✓ {proof.states:,} states, {proof.moves:,} moves, {proof.seconds:.1f} s. In every one of them:")
    for rule in ALL_RULES:
        console.print(f"  ✓ {rule}")
    return proof


def _show_proof(name: str, proof: Exploration) -> None:
    if proof.story is None:
        console.print(f"✗ without {name} nothing was found in {proof.states:,} states: the model is blind to it")
        return
    console.print(f"\nWithout [bold]{name}[/bold], broken after {len(proof.story.steps)} steps: {proof.story.rule}")
    for number, step in enumerate(proof.story.steps, 1):
        console.print(f"  {number:2}  {step}")


@app.command("mutants")
def mutants_command(
    names: Annotated[list[str] | None, typer.Argument(help="Only these.")] = None,
    shard: Annotated[str, typer.Option(help="Which part of how many, as 2/4.")] = "1/1",
) -> None:
    """Make each seeded mistake in a copy of the source and see whether the tests notice."""
    part, parts = _shard(shard)
    chosen = [mutation for mutation in MUTATIONS if not names or mutation.name in names][part - 1 :: parts]
    if not chosen:
        raise typer.BadParameter(f"there is no such mutant; there are {', '.join(each.name for each in MUTATIONS)}")
    with progress() as bars:
        bar = bars.add_task("mutants", total=len(chosen))
        trials = try_all(chosen, lambda _trial: bars.advance(bar))
    console.print(_mutants_table(trials))
    killed = sum(trial.verdict is Verdict.KILLED for trial in trials)
    console.print(f"{killed} of {len(trials)} killed")
    _finish("mutants", f"shard {shard}, {killed} of {len(trials)} killed", is_good=killed == len(trials))


def _mutants_table(trials: list[Trial]) -> Table:
    table = Table("", "mutant", "the mistake", "noticed by")
    for trial in trials:
        sign = "✓" if trial.verdict is Verdict.KILLED else "✗"
        table.add_row(sign, trial.mutation.name, trial.mutation.mistake, trial.by or trial.verdict)
    return table


@app.command("matrix")
def matrix_command(
    *,
    shard: Annotated[str, typer.Option(help="Which part of how many, as 2/4.")] = "1/1",
    at_once: Annotated[int, typer.Option(min=1, max=16, help="How many cells at a time.")] = 2,
    points: Annotated[str, typer.Option(help="Only failpoints whose names begin so.")] = "",
    actions: Annotated[str, typer.Option(help="Which actions at a failpoint, with commas between.")] = ",".join(
        ACTIONS
    ),
    seed: Annotated[int, typer.Option(help="How the customers behave; the same seed, the same customers.")] = 1,
    notes: Annotated[Path, typer.Option(help="Where results are written; a later run goes on from there.")] = (
        Path("var/matrix.jsonl")
    ),
    html: Annotated[Path | None, typer.Option(help="Write the report there, as a page of its own.")] = None,
) -> None:
    """Strike the process at every failpoint of every way a job can go; then the history is checked, cell by cell."""
    part, parts = _shard(shard)
    be_quiet()
    end_in_order()
    chosen = places_of(
        part,
        parts,
        points=[point for point in FAILPOINTS if point.startswith(points)],
        actions=_failpoint_actions(actions),
    )
    notebook = Notebook(file=notes, seed=seed)
    _, others = notebook.read()
    if others:
        console.print(f"{others} lines of {notes} are of another version or seed and say nothing about this run.")
    cells = _run_matrix(chosen, notebook, at_once)
    finished = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    report = MatrixReport(cells=cells, version=__version__, seed=seed, finished=finished)
    _show_matrix(report)
    if html is not None:
        html.write_text(page_of(report), encoding="utf-8")
        console.print(f"the report is {html}")
    if report.broken:
        console.print(f"what the instances of the broken cells said is in {notes.with_suffix('')}")
    seen = f"shard {shard}, {len(cells)} cells, {len(report.broken)} broken"
    _finish("matrix", seen, is_good=not report.broken, seed=seed)


def _run_matrix(places: list[Place], notebook: Notebook, at_once: int) -> list[Cell]:
    try:
        with tempfile.TemporaryDirectory(prefix="photomat-matrix-", dir=fastest_place()) as folder, progress() as bars:
            bar = bars.add_task("cells", total=len(places))
            run = Matrix(folder=Path(folder), notebook=notebook, at_once=at_once, tell=lambda _cell: bars.advance(bar))
            return asyncio.run(run.run(places))
    except KeyboardInterrupt:
        console.print(f"Stopped. The same command goes on from {notebook.file}.")
        raise typer.Exit(INTERRUPTED) from None


def _shard(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise typer.BadParameter(f"{text} is no shard; 2/4 is the second of four")
    return int(part), int(parts)


def _failpoint_actions(text: str) -> list[Action]:
    asked = [word.strip() for word in text.split(",")]
    unknown = [word for word in asked if word not in ACTIONS]
    if unknown:
        raise typer.BadParameter(f"{', '.join(unknown)} is none of {', '.join(ACTIONS)}")
    return [action for action in ACTIONS if action in asked]


def _show_matrix(report: MatrixReport) -> None:
    for action, words in ACTIONS.items():
        cells = [cell for cell in report.cells if cell.place.action == action]
        if cells:
            console.print(_matrix_table(words, cells))
    for cell in report.broken:
        for sentence in cell.broken:
            console.print(f"✗ {cell.place.action} at {cell.place.failpoint}, {cell.place.way}: {sentence}")
    console.print(", ".join(f"{name}: {figure:,}" for name, figure in report.figures().items()))


def _matrix_table(title: str, cells: Sequence[Cell]) -> Table:
    columns = (Column("failpoint", no_wrap=True), *(Column(way, min_width=WIDEST_WORD) for way in WAYS))
    table = Table(*columns, title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    signs = {(cell.place.failpoint, cell.place.way): cell.sign for cell in cells}
    for point in dict.fromkeys(cell.place.failpoint for cell in cells):
        table.add_row(point, *(signs.get((point, way), "") for way in WAYS))
    return table


@app.command("fuzz")
def fuzz_command(
    count: Annotated[int, typer.Option(min=1, help="How many cases there are.")] = 200_000,
    seed: Annotated[int, typer.Option(help="The same seed and number is the same case.")] = 1,
    shard: Annotated[str, typer.Option(help="Which part of how many, as 2/4.")] = "1/1",
    notes: Annotated[
        Path, typer.Option(help="Where rounds are written down as they end; a later run goes on from there.")
    ] = Path("var/fuzz.jsonl"),
) -> None:
    """Send hostile callbacks and webhooks to running processes, let Kie lie to the product; nothing may break or move."""
    part, parts = _shard(shard)
    plan = FuzzPlan(seed=seed, count=count, shard=part, shards=parts)
    notes.parent.mkdir(parents=True, exist_ok=True)
    be_quiet()
    with tempfile.TemporaryDirectory(prefix="photomat-fuzz-") as folder, progress() as bars:
        bar = bars.add_task("cases", total=sum(len(cases) for _, cases in plan.rounds()))
        work = run(plan, Path(folder), notes=notes, tell=lambda report: bars.advance(bar, report.cases))
        reports = asyncio.run(work)
    _show_fuzz(plan, reports)
    offences = offences_of(reports)
    _save_offences(offences, notes.with_suffix(".offences"), plan)
    seen = f"shard {shard}, {sum(report.cases for report in reports):,} cases, {len(offences)} offences"
    _finish("fuzz", seen, is_good=not offences, seed=seed)


def _show_fuzz(plan: FuzzPlan, reports: list[RoundReport]) -> None:
    cases, seconds = sum(report.cases for report in reports), sum(report.seconds for report in reports)
    table = Table(
        "figure", "", title=f"fuzz of seed {plan.seed}, shard {plan.shard}/{plan.shards}", title_justify="left"
    )
    for name, figure in sorted(figures_of(reports).items()):
        table.add_row(name, f"{figure:,}")
    table.add_row("memory of a process after the first round, after the last, at most (MB)", _memory(reports))
    table.add_row("cases a second", f"{cases / max(seconds, 0.1):,.0f}")
    console.print(table)
    console.print(f"{cases:,} cases in {seconds:,.0f} s, {len(offences_of(reports))} offences")


def _memory(reports: list[RoundReport]) -> str:
    return f"{reports[0].memory_mb[0]}, {reports[-1].memory_mb[0]}, {max(report.memory_mb[1] for report in reports)}"


def _save_offences(offences: list[Offence], folder: Path, plan: FuzzPlan) -> None:
    """Name each offence, and keep the input that did it."""
    for place, offence in enumerate(offences):
        console.print(f"✗ seed {plan.seed}, number {offence.number}: {offence.sentence}")
        if offence.sent:
            folder.mkdir(parents=True, exist_ok=True)
            kept = folder / f"{place}-{offence.number}.bin"
            kept.write_bytes(offence.sent.encode("latin-1", "replace"))
            console.print(f"  what was sent: {kept}")


@app.command("storm")
def storm_command(
    *,
    seed: Annotated[int, typer.Option(help="The same seed plans the same disruptions again.")] = 1,
    minutes: Annotated[float, typer.Option(min=0.1, max=600, help="How long it lasts.")] = 1.0,
    instances: Annotated[int, typer.Option(min=1, max=5, help="How many instances run.")] = 3,
    customers: Annotated[int, typer.Option(min=1, max=50, help="How many people buy meanwhile.")] = 8,
    old: Annotated[
        Path | None,
        typer.Option(
            exists=True, help="A folder with another version's package `photomat`, deployed in turn with ours."
        ),
    ] = None,
    previous: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="The same as --old, from the zip file of a released version."),
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="An empty folder for logs and database, kept afterwards.")] = None,
) -> None:
    """Customers buy while processes, connections, PostgreSQL and both vendors break; then the history is checked."""
    if old is not None and previous is not None:
        raise typer.BadParameter("--old and --previous both name the other version")
    with tempfile.TemporaryDirectory(prefix="photomat-previous-") as folder:
        program = old if previous is None else _unpacked(previous, Path(folder))
        plan = StormPlan(seed=seed, seconds=minutes * 60, instances=instances, customers=customers, old=program)
        report = _run_storm("storm", plan, keep, run_storm)
    _show_storm(f"storm of seed {seed}", "storm", report)


@app.command("money")
def money_command(
    *,
    seed: Annotated[int, typer.Option(help="The same seed plans the same again.")] = 1,
    minutes: Annotated[float, typer.Option(min=0.1, max=600, help="How long it lasts.")] = 1.0,
    instances: Annotated[int, typer.Option(min=1, max=5, help="How many instances run.")] = 2,
    customers: Annotated[int, typer.Option(min=1, max=50, help="How many people pay and spend meanwhile.")] = 8,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the report there too.")] = None,
    keep: Annotated[Path | None, typer.Option(help="An empty folder for logs and database, kept afterwards.")] = None,
) -> None:
    """Money comes and goes in every way while everything breaks; then our books are compared with all others."""
    plan = StormPlan(seed=seed, seconds=minutes * 60, instances=instances, customers=customers)
    report = _run_storm("money", plan, keep, run_money_storm)
    if json_file is not None:
        written = asdict(report)
        del written["plan"]["old"]
        json_file.write_text(json.dumps(written, ensure_ascii=False, indent=1), encoding="utf-8")
    _show_storm(f"storm of money, seed {seed}", "money", report)


@app.command("promote")
def promote_command(
    *,
    seed: Annotated[int, typer.Option(help="How the customers behave; the same seed, the same customers.")] = 1,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="How long they buy before, and again after.")] = 20.0,
    instances: Annotated[int, typer.Option(min=1, max=5, help="How many instances run.")] = 2,
    customers: Annotated[int, typer.Option(min=1, max=50, help="How many people buy meanwhile.")] = 6,
    replication: Annotated[
        Replication,
        typer.Option(help="Whether a commit waits for the replica (sync), or may be lost with the primary."),
    ] = "sync",
    notice_s: Annotated[float, typer.Option(min=0, max=60, help="From the primary's death to the promotion.")] = 1.0,
    keep: Annotated[Path | None, typer.Option(help="An empty folder for logs and databases, kept afterwards.")] = None,
) -> None:
    """Customers buy while the primary is killed and its replica promoted; then the history is checked."""
    be_quiet()
    plan = PromotionPlan(
        seed=seed,
        seconds=seconds,
        replication=replication,
        instances=instances,
        customers=customers,
        notice_s=notice_s,
    )
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="photomat-promote-") as folder, console.status("two servers") as status:
        report = asyncio.run(run_promotion(plan, (keep or Path(folder)).resolve(), tell=status.update))
    _show_promotion(report)


def _show_promotion(report: PromotionReport) -> None:
    plan, times = report.plan, report.times
    table = Table("figure", "", title=f"promotion of a {plan.replication} replica", title_justify="left")
    for name, second in (
        ("the replica is promoted", times.promoted),
        ("the next purchase is accepted", times.bought),
        ("the next result is delivered", times.delivered),
    ):
        table.add_row(f"{name}, seconds after the primary's death", "never" if second is None else f"{second:.1f}")
    for name, figure in report.figures.items():
        table.add_row(name, f"{figure:,}")
    for name, figure in report.lost.items():
        table.add_row(f"lost: {name}", f"{figure:,}")
    console.print(table)
    _show_violations(report.violations, report.stories)
    seen = f"{plan.replication}, {sum(report.lost.values())} lost, {len(report.violations)} violations"
    _finish("promote", seen, is_good=not report.violations, seed=plan.seed)


def _unpacked(package: Path, folder: Path) -> Path:
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder)
    if not (folder / "photomat" / "__main__.py").exists():
        raise typer.BadParameter(f"{package} holds no package `photomat`")
    return folder


def _run_storm(
    name: str, plan: StormPlan, keep: Path | None, run: Callable[..., Coroutine[None, None, StormReport]]
) -> StormReport:
    be_quiet()
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[news]}"))
    with (
        tempfile.TemporaryDirectory(prefix=f"photomat-{name}-") as folder,
        Progress(*columns, console=console, transient=True) as bars,
    ):
        bar = bars.add_task("storm", total=plan.seconds, news="")

        def show_progress(storm: Storm) -> None:
            left = "calm" if storm.over.is_set() else f"storm, {storm.left_s:.0f} s left"
            bars.update(bar, completed=plan.seconds - storm.left_s, description=left, news=storm.headline())

        return asyncio.run(run(plan, (keep or Path(folder)).resolve(), progress=show_progress))


def _show_storm(title: str, name: str, report: StormReport) -> None:
    table = Table("figure", "", title=f"{title}, {report.plan.seconds:g} s", title_justify="left")
    for figure_name, figure in report.figures.items():
        table.add_row(figure_name, f"{figure:,}")
    console.print(table)
    for difference in report.explained:
        console.print(f"· explained: {difference}", markup=False, emoji=False)
    _show_violations(report.violations, report.stories)
    plan = report.plan
    seen = f"{plan.seconds:g} s, {plan.instances} instances, {len(report.violations)} violations"
    _finish(name, seen, is_good=not report.violations, seed=plan.seed)


def _show_violations(violations: list[HistoryViolation], stories: Mapping[int, str]) -> None:
    for violation in violations:
        console.print(f"✗ {violation.check}: {violation.sentence}", markup=False, emoji=False, soft_wrap=True)
    for job_id, story in stories.items():
        console.print(f"\n[bold]job {job_id}[/bold]")
        console.print(story, markup=False, soft_wrap=True)
    console.print(f"{len(violations)} violations")


def _finish(name: str, seen: str, *, is_good: bool, seed: int | None = None) -> None:
    """Print the verdict of a run in one line, and exit with 1 unless it is good."""
    console.print(
        f"{'PASS' if is_good else 'FAIL'} {name}: {'' if seed is None else f'seed {seed}, '}{seen}", soft_wrap=True
    )
    if not is_good:
        raise typer.Exit(1)


def be_quiet() -> None:
    """Send the program's events to the instances' own logs, and silence what cut connections do to the simulators."""
    logs.configure("text", io.StringIO())
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)


def end_in_order() -> None:
    """Let SIGTERM end a run as Ctrl-C does, also behind nohup: with its database and its processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))


def progress() -> Progress:
    """A bar that counts, and goes when it is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)

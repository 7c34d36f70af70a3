"""A whole order: which inputs apply to it, whether it is complete and fits, and what Kie is sent. Pure.

`check_order` lists everything wrong with an order; `unfit` the inputs whose files or earlier results are gone or no longer
fit. `example_of` fills an order from the catalogue's own example.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.answers import MEGABYTE, FileFacts, Refused, check_answer, check_files, measured
from photomat.catalog.formula import as_number, is_given, plain
from photomat.catalog.input import ALWAYS, Condition, FileKind, FileLimits, Input
from photomat.catalog.model import Model, Together, referred_to, sum_for, total_of, values_of_field
from photomat.catalog.reference import FileRef, JobRef, Ref, files_in, reference, references
from photomat.kie.protocol import FAMILIES

HOST: Final = "https://files.example/photomat"
SAMPLE_TASK: Final = "0123456789abcdef0123456789abcdef"
SAMPLE_TRACK: Final = "0123abcd-4567-89ef-0123-456789abcdef"
SAMPLE_FILES: Final[Mapping[FileKind, FileFacts]] = {
    "image": FileFacts(kind="image", format="jpg", size_bytes=MEGABYTE, width=1024, height=1024),
    "video": FileFacts(kind="video", format="mp4", size_bytes=4 * MEGABYTE, seconds=Decimal(5), width=1280, height=720),
    "audio": FileFacts(kind="audio", format="mp3", size_bytes=MEGABYTE, seconds=Decimal(10)),
    "document": FileFacts(kind="document", format="pdf", size_bytes=MEGABYTE),
}


def relevant(model: Model, inputs: Mapping[str, Any]) -> tuple[Input, ...]:
    """The inputs that apply beside what was chosen, in the order they are asked for."""
    return _relevant(model, model.filled(inputs))


def _relevant(model: Model, filled: Mapping[str, Any]) -> tuple[Input, ...]:
    idle = {each.name for each in model.conditional if not each.condition.holds(filled)}
    summed = {each.name for each in model.summing if sum_for(model.inputs, each, filled) is not None}
    left_out = idle | summed
    return tuple(each for each in model.inputs if each.name not in left_out) if left_out else model.inputs


def open_to_customers(model: Model, inputs: Mapping[str, Any]) -> tuple[Input, ...]:
    return tuple(each for each in relevant(model, inputs) if each.place != "hidden")


def missing(model: Model, inputs: Mapping[str, Any]) -> tuple[Input, ...]:
    """Required inputs that apply here and have neither a value nor a default."""
    filled = model.filled(inputs)
    return _missing(_relevant(model, filled), filled)


def _missing(relevant: Iterable[Input], filled: Mapping[str, Any]) -> tuple[Input, ...]:
    return tuple(each for each in relevant if each.required and not is_given(filled.get(each.name)))


def check_order(
    model: Model, inputs: Mapping[str, Any], measured: Mapping[str, Decimal] | None = None
) -> tuple[Refused, ...]:
    """Everything wrong with this order; empty when it can be sent."""
    filled = model.filled(inputs)
    applying = _relevant(model, filled)
    found = [Refused("form-missing", {"input": each.name}) for each in _missing(applying, filled)]
    if model.one_of and not any(all(is_given(filled.get(name)) for name in names) for names in model.one_of):
        found.append(Refused("form-one-of", {"inputs": " / ".join(" + ".join(names) for names in model.one_of)}))
    found += [_never(never) for never in model.never if never.holds(filled)]
    for each in model.conditional:
        rivals = [name for name in each.condition.without if is_given(inputs.get(name))]
        if rivals and is_given(inputs.get(each.name)):
            found.append(Refused("form-never", {"inputs": ", ".join(sorted([each.name, *rivals]))}))
    for each in applying:
        checked = check_answer(each, inputs[each.name]) if is_given(inputs.get(each.name)) else None
        found += [checked] if isinstance(checked, Refused) else []
    found += _check_lists(model, filled)
    for rule in model.together:
        found += _too_much(model, rule, filled, measured or {})
    return tuple(found)


def settled(model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs without those that do not apply beside the rest, in the order of the catalogue.

    A track belongs to the job that was chosen: with another one, it is to be chosen again.
    """
    kept = {each.name: inputs[each.name] for each in model.inputs if is_given(inputs.get(each.name))}
    jobs = {_job_of(kept[each.name]) for each in model.inputs if each.type == "task" and each.name in kept}
    for each in [each for each in model.inputs if each.name in kept]:
        is_of_another = each.type == "track" and jobs and _job_of(kept[each.name]) not in jobs
        if is_of_another or (each.condition is not ALWAYS and not each.condition.holds(model.filled(kept))):
            del kept[each.name]
    return kept


def still_valid(model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What of an earlier order today's catalogue still takes."""
    known = [each for each in model.inputs if is_given(inputs.get(each.name))]
    good = [each for each in known if not isinstance(check_answer(each, inputs[each.name]), Refused)]
    return settled(model, {each.name: inputs[each.name] for each in good})


def _job_of(value: Any) -> int | None:
    found = reference(value)
    return found.job_id if isinstance(found, JobRef) else None


def body_of(model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Kie's input object: what was chosen and our defaults, in Kie's types, without inputs that do not apply."""
    chosen = model.sensible(inputs)
    written = {each.name: each.as_json(chosen[each.name]) for each in model.inputs if is_given(chosen.get(each.name))}
    return {**model.sent, **written}


def request_of(
    model: Model, inputs: Mapping[str, Any], *, callback_url: str | None = None
) -> tuple[str, dict[str, Any]]:
    """The path of Kie's API where an order is created, and the whole body that goes there."""
    family = FAMILIES[model.protocol]
    return f"/api/v1/{family.create}", family.body(model.id, body_of(model, inputs), callback_url)


def _never(never: Condition) -> Refused:
    if never.why is not None:
        return Refused("form-never-because", {"why": never.why})
    return Refused("form-never", {"inputs": ", ".join(sorted(never.names))})


def _too_much(
    model: Model, rule: Together, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]
) -> list[Refused]:
    """Files count by number and measured seconds, an input that is a number of seconds by that number."""
    counts = [len(value) if isinstance(value, list) else 1 for name in rule.of if is_given(value := inputs.get(name))]
    chosen = [each for each in model.inputs if each.name in rule.of and each.type in {"number", "choice"}]
    chosen_s = sum((as_number(inputs.get(each.name)) or Decimal(0) for each in chosen), Decimal(0))
    seconds = chosen_s + sum((measured.get(f"{name}:seconds", Decimal(0)) for name in rule.of), Decimal(0))
    if rule.max_items is not None and sum(counts) > rule.max_items:
        return [Refused("form-too-many", {"limit": rule.max_items, "count": sum(counts)})]
    if rule.max_seconds is not None and seconds > rule.max_seconds:
        return [Refused("form-files-long", {"limit": str(rule.max_seconds), "seconds": str(seconds)})]
    return []


def _check_lists(model: Model, filled: Mapping[str, Any]) -> list[Refused]:
    lists = [each for each in model.inputs if each.fields or each.totals]
    listed = [each for each in lists if is_given(filled.get(each.name)) and each.condition.holds(filled)]
    return [*_sums(model, filled), *_totals(listed, filled), *_referred_to(model.inputs, listed, filled)]


def _sums(model: Model, filled: Mapping[str, Any]) -> Iterator[Refused]:
    """A sum is bounded like the input that it is."""
    for each in model.summing:
        total = sum_for(model.inputs, each, filled)
        if total is not None and isinstance(check_answer(each, plain(total)), Refused):
            least, most = _bounds(each)
            name = (each.sums or "").partition(".")[0]
            yield Refused("form-lines-sum", {"input": name, "total": plain(total), "least": least, "most": most})


def _bounds(each: Input) -> tuple[str, str]:
    numbers = sorted(number for option in each.options if (number := as_number(option)) is not None)
    bounds = (numbers[0], numbers[-1]) if numbers else (each.least, each.most)
    least, most = ("∞" if bound is None else plain(bound) for bound in bounds)
    return least, most


def _totals(listed: Sequence[Input], filled: Mapping[str, Any]) -> Iterator[Refused]:
    for each in listed:
        for field, limit in each.totals:
            total = total_of(each, field, filled[each.name])
            if total != limit:
                yield Refused("form-lines-total", {"input": field, "limit": plain(limit), "total": plain(total)})


def _referred_to(asked: Sequence[Input], listed: Sequence[Input], filled: Mapping[str, Any]) -> Iterator[Refused]:
    """Every line that is referred to exists, and only once."""
    for each in listed:
        for field in each.fields:
            wanted = referred_to(asked, f"{each.name}.{field.name}", filled)
            known = values_of_field(each, field.name, filled[each.name])
            lacking = next((value for value in wanted if value not in known), None)
            if lacking is not None:
                yield Refused("form-lines-lack", {"input": each.name, "value": field.labels.get(lacking, lacking)})
            twice = next((value for value in known if wanted and known.count(value) > 1), None)
            if twice is not None:
                yield Refused("form-lines-twice", {"input": each.name, "value": field.labels.get(twice, twice)})


def unfit(
    model: Model, inputs: Mapping[str, Any], *, gone: Collection[Ref], facts: Mapping[FileRef, FileFacts]
) -> dict[str, Refused]:
    """Which inputs cannot stay as they are, and why: a reference is `gone`, or nothing is known of a file."""
    found: dict[str, Refused] = {}
    for each in open_to_customers(model, inputs):
        refs = list(references(inputs.get(each.name)))
        if any(ref in gone or (isinstance(ref, FileRef) and ref not in facts) for ref in refs):
            found[each.name] = Refused("form-gone", {"input": each.name})
            continue
        checked = (check_files(asked, [facts[ref] for ref in files]) for asked, files in _files(each, inputs))
        wrong = next((refused for refused in checked if refused), None)
        found |= {each.name: wrong} if wrong else {}
    return found


def limits_of_files(model: Model, inputs: Mapping[str, Any]) -> dict[FileRef, list[FileLimits]]:
    """The limits that apply to each file of an order; a file may be given in several places."""
    found: dict[FileRef, list[FileLimits]] = {}
    for each in model.inputs:
        for asked, refs in _files(each, inputs):
            for ref in refs:
                found.setdefault(ref, []).extend([asked.files] if asked.files else [])
    return found


def _files(asked: Input, inputs: Mapping[str, Any]) -> Iterator[tuple[Input, list[FileRef]]]:
    """The files of an input, or of every line of a list, each with the input that asks for them."""
    value = inputs.get(asked.name)
    lines = value if asked.type == "list" and isinstance(value, list) else [inputs]
    for line in (line for line in lines if isinstance(line, Mapping)):
        for each in asked.fields or (asked,):
            files = files_in(line.get(each.name))
            if each.takes_files and files:
                yield each, files


def example_of(model: Model) -> dict[str, Any]:
    """The inputs of the catalogue's example, with a sample for every required file and earlier task."""
    inputs = dict(model.example)
    chosen = _alternative(model, inputs)
    for each in relevant(model, inputs):
        needed = each.must_be_asked or each.name in chosen
        sample = _sample(each) if needed and not is_given(inputs.get(each.name)) else None
        inputs |= {} if sample is None else {each.name: sample}
    return inputs


def example_facts(model: Model, inputs: Mapping[str, Any]) -> dict[str, Decimal]:
    """What a price counts of the example's files."""
    files: dict[str, list[FileFacts]] = {}
    for each in model.inputs:
        if each.files is not None and is_given(given := inputs.get(each.name)):
            files[each.name] = [SAMPLE_FILES[each.files.kind]] * (len(given) if isinstance(given, list) else 1)
    return measured(files)


def _alternative(model: Model, inputs: Mapping[str, Any]) -> tuple[str, ...]:
    """The first of several alternatives, unless the example already has one."""
    if any(all(is_given(inputs.get(name)) for name in names) for names in model.one_of):
        return ()
    return model.one_of[0] if model.one_of else ()


def _sample(asked: Input) -> Any:
    match asked.type:
        case "file" | "files":
            sample = SAMPLE_FILES[asked.files.kind] if asked.files else SAMPLE_FILES["image"]
            formats = asked.files.formats if asked.files else ()
            suffix = sample.format if not formats or sample.format in formats else formats[0]
            count = asked.min_items or 1
            urls = [f"{HOST}/{sample.kind}-{number}.{suffix}" for number in range(1, count + 1)]
            return urls if asked.type == "files" else urls[0]
        case "task":
            return SAMPLE_TASK
        case "track":
            return SAMPLE_TRACK
        case _:
            return None

"""A filled example of a model: what its file says, and a sample of everything else it needs. Pure."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.answers import MEGABYTE, FileFacts, measured
from photomat.catalog.formula import is_given
from photomat.catalog.input import FileKind, Input
from photomat.catalog.model import Model
from photomat.catalog.order import relevant

HOST: Final = "https://files.example/photomat"
SAMPLE_TASK: Final = "0123456789abcdef0123456789abcdef"
SAMPLE_TRACK: Final = "0123abcd-4567-89ef-0123-456789abcdef"
SAMPLE_FILES: Final[Mapping[FileKind, FileFacts]] = {
    "image": FileFacts(kind="image", format="jpg", size_bytes=MEGABYTE, width=1024, height=1024),
    "video": FileFacts(kind="video", format="mp4", size_bytes=4 * MEGABYTE, seconds=Decimal(5), width=1280, height=720),
    "audio": FileFacts(kind="audio", format="mp3", size_bytes=MEGABYTE, seconds=Decimal(10)),
    "document": FileFacts(kind="document", format="pdf", size_bytes=MEGABYTE),
}


def example_of(model: Model) -> dict[str, Any]:
    """The inputs of the example: as the catalogue has them, with a sample for every required file and earlier task."""
    inputs = dict(model.example)
    chosen = _alternative(model, inputs)
    for each in relevant(model, inputs):
        needed = (each.required and each.default is None and not each.default_items) or each.name in chosen
        sample = _sample(each) if needed and not is_given(inputs.get(each.name)) else None
        inputs |= {} if sample is None else {each.name: sample}
    return inputs


def example_facts(model: Model, inputs: Mapping[str, Any]) -> dict[str, Decimal]:
    """What a price counts of the example's files."""
    taken = [each for each in model.inputs if each.files is not None and is_given(inputs.get(each.name))]
    counts = {each.name: len(inputs[each.name]) if isinstance(inputs[each.name], list) else 1 for each in taken}
    return measured({each.name: [SAMPLE_FILES[each.files.kind]] * counts[each.name] for each in taken if each.files})


def _alternative(model: Model, inputs: Mapping[str, Any]) -> tuple[str, ...]:
    """The first of several ways to order, unless the example already takes one."""
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

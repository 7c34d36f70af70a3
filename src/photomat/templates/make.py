"""Make examples at Kie, once each, from the operator's key.

The row is committed before the request leaves (`examples.ask`), the task after the answer. Killed in between, or after a lost
answer, the row says `asked` without a task: nothing asks again, `photomat examples list` shows it, and an operator who pays
twice may forget it. Killed later: the next run polls the task and fetches its file.

A template that needs a customer's file takes the example of another template in its place, so those are made first.
"""

import asyncio
import io
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeAlias

from PIL import Image, ImageFilter, ImageOps

from photomat.catalog.model import Model
from photomat.catalog.order import body_of, example_facts
from photomat.catalog.storefront import Storefront
from photomat.db.pool import Pool, transaction
from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import TaskId
from photomat.kernel.private_files import make_private, open_private
from photomat.kie.port import Provider, TaskRefused, Uploads
from photomat.kie.state_parser import KieState, Reading
from photomat.media.measure import measure_path
from photomat.templates import examples
from photomat.templates.examples import Example, ExampleMedia, Examples, of_template, of_voice, wide_beside
from photomat.templates.template import Template, sample_order

LANGUAGE: Final = "ru"
VOICE_SAMPLE: Final = "Здравствуйте! Так звучит мой голос. Hello, and this is how I sound in English."
VOICE_MODELS: Final = ("elevenlabs/text-to-speech-turbo-2-5", "elevenlabs/text-to-speech-multilingual-v2")
AT_ONCE: Final = 4
LOOK_EVERY_S: Final = 3.0
MAX_BYTES: Final = 45 * 2**20
"""Telegram takes uploads of 50 MB."""
SIDE_PX: Final = 1280
QUALITY: Final = 88
WIDE_PX: Final = (1280, 720)
BLUR_PX: Final = 24
EXTENSIONS: Final[Mapping[ExampleMedia, str]] = {"image": "jpg", "video": "mp4", "audio": "mp3"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedExample:
    """An example to be made; `sources` are the examples that stand in for a customer's files, by slot."""

    subject: str
    model: Model
    inputs: Mapping[str, Any]
    credits: Decimal
    template: Template | None = None
    sources: Mapping[str, str] = field(default_factory=dict)


Outcome: TypeAlias = str
"""What became of one example, in a word: made, running, failed, unknown, waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleMaker:
    """`callback_url` goes to models that refuse a task without one; nothing is expected to arrive there."""

    pool: Pool
    provider: Provider
    uploads: Uploads
    fetcher: Fetcher
    folder: Path
    callback_url: str
    patience: timedelta = timedelta(minutes=15)
    look_every_s: float = LOOK_EVERY_S

    @property
    def _examples(self) -> Examples:
        return Examples(pool=self.pool, folder=self.folder)

    async def make(self, wanted: Sequence[WantedExample]) -> dict[str, Outcome]:
        """Make them, a few at once; those that need another's file after it. Return what became of each."""
        found: dict[str, Outcome] = {}
        gate = asyncio.Semaphore(AT_ONCE)
        for needs_source in (False, True):
            group = [each for each in wanted if bool(each.sources) is needs_source]
            ended = await asyncio.gather(*(self._one_of_a_few(gate, each) for each in group))
            found |= {each.subject: outcome for each, outcome in zip(group, ended, strict=True)}
        return found

    async def _one_of_a_few(self, gate: asyncio.Semaphore, wanted: WantedExample) -> Outcome:
        async with gate:
            return await self._make_one(wanted)

    async def _make_one(self, wanted: WantedExample) -> Outcome:
        known = (await self._examples.all()).get(wanted.subject)
        match known.state if known else None:
            case "done":
                return "made"
            case "asked":
                return "unknown"
            case "running":
                return await self._finish(wanted.subject, wanted.model, known)
            case _:
                return await self._start(wanted)

    async def _start(self, wanted: WantedExample) -> Outcome:
        try:
            inputs = await self._with_files(wanted)
        except (Rejected, Transient):
            return "waits"
        if inputs is None:
            return "waits"
        async with transaction(self.pool) as tx:
            if not await examples.ask(tx, wanted.subject, model=wanted.model.id):
                return "unknown"
        try:
            task_id = await self._create(wanted.model, inputs)
        except OutcomeUnknown:
            return "unknown"
        except (Rejected, Transient) as error:
            reason = error.reason if isinstance(error, TaskRefused) else str(error)
            return await self._failed(wanted.subject, reason)
        async with transaction(self.pool) as tx:
            await examples.record_task(tx, wanted.subject, task_id)
        return await self._finish(wanted.subject, wanted.model, (await self._examples.all())[wanted.subject])

    async def _create(self, model: Model, inputs: Mapping[str, Any]) -> TaskId:
        return await self.provider.create_task(
            model=model.id,
            inputs=body_of(model, inputs),
            callback_url=self.callback_url if model.needs_callback else None,
            protocol=model.protocol,
        )

    async def _with_files(self, wanted: WantedExample) -> Mapping[str, Any] | None:
        """The inputs with the files of other examples, uploaded; None while one of those is not there."""
        if wanted.template is None or not wanted.sources:
            return wanted.inputs
        ready, urls = await self._examples.ready(), {}
        for slot, subject in wanted.sources.items():
            if subject not in ready:
                return None
            urls[slot] = await self._upload(ready[subject].path)
        filled = {**wanted.template.example(LANGUAGE), **urls}
        return wanted.template.order(wanted.model, filled, language=LANGUAGE)

    async def _upload(self, path: Path) -> str:
        found = await asyncio.to_thread(measure_path, path)
        with ExitStack() as stack:
            file = stack.enter_context(path.open("rb"))
            return await self.uploads.upload(file, mime=found.mime, extension=path.suffix.removeprefix("."))

    async def _finish(self, subject: str, model: Model, known: Example | None) -> Outcome:
        """Wait for the end of a task and keep its file; a run that waits no longer leaves it for the next one."""
        reading = await self._end(model, known.task_id) if known and known.task_id else None
        if reading is None:
            return "running"
        if reading.state is KieState.FAIL or not reading.urls:
            return await self._failed(subject, reading.error or reading.fail_code or "Kie made no file")
        try:
            file, media = await self._keep(subject, reading.urls[0])
        except (Rejected, Transient, OSError, ValueError):
            return "running"
        async with transaction(self.pool) as tx:
            await examples.record_file(tx, subject, file=file, media=media)
        return "made"

    async def _end(self, model: Model, task_id: TaskId) -> Reading | None:
        try:
            async with asyncio.timeout(self.patience.total_seconds()):
                while True:
                    reading = await self._look(model, task_id)
                    if reading is not None and reading.state is not KieState.RUNNING:
                        return reading
                    await asyncio.sleep(self.look_every_s)
        except TimeoutError:
            return None

    async def _look(self, model: Model, task_id: TaskId) -> Reading | None:
        try:
            return await self.provider.record(task_id, protocol=model.protocol)
        except Transient:
            return None

    async def _keep(self, subject: str, url: str) -> tuple[str, ExampleMedia]:
        content = bytearray()
        async with self.fetcher.opened(url, most_bytes=MAX_BYTES) as chunks:
            async for chunk in chunks:
                content += chunk
        return await asyncio.to_thread(write_example, self.folder, subject, bytes(content))

    async def _failed(self, subject: str, problem: str) -> Outcome:
        async with transaction(self.pool) as tx:
            await examples.record_failure(tx, subject, problem[:500])
        return "failed"


def wanted_examples(
    templates: Iterable[Template], storefront: Storefront, *, only: Sequence[str] = ()
) -> list[WantedExample]:
    """The examples of templates that are sold, each with its cost; `only` names some, whose sources come along."""
    known = list(templates)
    sources = {name for each in known if each.id in only for name in (each.source, each.source_audio)}
    found = [_of_template(each, storefront) for each in known if not only or each.id in {*only, *sources}]
    return [each for each in found if each is not None]


def wanted_voices(storefront: Storefront) -> list[WantedExample]:
    """A sample of each voice of the cheapest model that reads texts aloud."""
    model = next((sold for each in VOICE_MODELS if (sold := storefront.get(each)) is not None), None)
    voice, text = (model.input_for("voice"), model.input_for("prompt")) if model else (None, None)
    if model is None or voice is None or text is None:
        return []
    orders = {option: {text.name: VOICE_SAMPLE, voice.name: option} for option in voice.options}
    return [
        WantedExample(subject=of_voice(option), model=model, inputs=inputs, credits=model.credits_for(inputs))
        for option, inputs in orders.items()
    ]


def write_example(folder: Path, subject: str, content: bytes) -> tuple[str, ExampleMedia]:
    """Write the file of an example, and beside a picture the wide one that is shown. Return its name and kind."""
    make_private(folder)
    stem = subject.replace(":", "-")
    part = folder / f".{stem}.part"
    with open_private(part) as file:
        file.write(content)
    try:
        kind = measure_path(part).mime.partition("/")[0]
        media: ExampleMedia = "image" if kind == "image" else "video" if kind == "video" else "audio"
        name = f"{stem}.{EXTENSIONS[media]}"
        if media == "image":
            picture = _picture(content)
            part.write_bytes(_as_jpeg(picture))
            wide_beside(folder / name).write_bytes(_as_jpeg(_wide(picture)))
        part.replace(folder / name)
    finally:
        part.unlink(missing_ok=True)
    return name, media


def _picture(content: bytes) -> Image.Image:
    """The picture within Telegram's limits; what is transparent becomes white."""
    with Image.open(io.BytesIO(content)) as image:
        image.thumbnail((SIDE_PX, SIDE_PX))
        shown = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", shown.size, "white"), shown).convert("RGB")


def _wide(picture: Image.Image) -> Image.Image:
    """The whole picture before a blurred copy of itself: all examples have one size, and leave room for the menu below."""
    behind = ImageOps.fit(picture, WIDE_PX).filter(ImageFilter.GaussianBlur(BLUR_PX))
    front = ImageOps.contain(picture, WIDE_PX)
    behind.paste(front, ((WIDE_PX[0] - front.width) // 2, (WIDE_PX[1] - front.height) // 2))
    return behind


def _as_jpeg(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


def _of_template(template: Template, storefront: Storefront) -> WantedExample | None:
    model = template.model_on(storefront)
    if model is None:
        return None
    inputs = sample_order(template, model, language=LANGUAGE)
    named = {"image": template.source, "audio": template.source_audio}
    sources = {
        each.name: of_template(source)
        for each in template.slots
        if each.kind != "text" and (source := named[each.kind]) is not None
    }
    if len(sources) < sum(each.kind != "text" for each in template.slots):
        return None
    return WantedExample(
        subject=of_template(template.id),
        model=model,
        inputs=inputs,
        credits=model.credits_for(inputs, example_facts(model, inputs)),
        template=template,
        sources=sources,
    )

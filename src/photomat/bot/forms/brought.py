"""What a message brings, before anybody looks into it, and which input that is for. Pure."""

from dataclasses import replace
from typing import Any, Final

from aiogram.types import Message

from photomat.bot.forms.form import Form, upcoming
from photomat.bot.forms.questions import Asking
from photomat.bot.forms.understand import understood
from photomat.catalog.answers import Refused
from photomat.catalog.file_rules import shown_formats
from photomat.catalog.formula import is_given
from photomat.catalog.input import FileKind, Input
from photomat.catalog.order import open_to_customers

NOTHING: Final = Refused(key="form-expects-text", facts={})


def with_caption(asking: Asking, form: Form, caption: str | None) -> Form:
    """The form with the words below a file in the first question of words that is still to come."""
    asked = next((each for each in upcoming(asking.model, form) if each.type == "text"), None)
    value = understood(asked, caption, asking.language) if asked and caption else NOTHING
    if asked is None or isinstance(value, Refused):
        return form
    return replace(form, inputs={**form.inputs, asked.name: value})


def input_for(asking: Asking, kind: FileKind) -> Input | None:
    """The first input that takes a file of this kind and has room for it."""
    inputs = asking.form.inputs
    return next(
        (
            each
            for each in open_to_customers(asking.model, inputs)
            if kind_taken(each) == kind and (not is_given(inputs.get(each.name)) or _has_room(each, inputs[each.name]))
        ),
        None,
    )


def full_of(asking: Asking, kind: FileKind) -> Refused | None:
    """Why a file of this kind is one too many: whatever takes it has all it can take."""
    inputs = asking.form.inputs
    given = [
        inputs[each.name]
        for each in asking.model.inputs
        if kind_taken(each) == kind and is_given(inputs.get(each.name))
    ]
    count = sum(len(each) if isinstance(each, list) else 1 for each in given)
    return Refused(key="form-files-full", facts={"count": count}) if given else None


def _has_room(asked: Input, value: Any) -> bool:
    return asked.type == "files" and len(value) < asked.items_limit


def kind_taken(asked: Input) -> FileKind | None:
    """The kind of files an input takes, if it takes any."""
    return asked.files.kind if asked.takes_files and asked.files is not None else None


def kind_of(message: Message) -> FileKind | None:
    """What a message claims to bring; its bytes are looked at later."""
    if message.photo or message.sticker:
        return "image"
    if message.video or message.animation or message.video_note:
        return "video"
    if message.audio or message.voice:
        return "audio"
    mime = (message.document.mime_type or "").partition("/")[0] if message.document else ""
    known: dict[str, FileKind] = {"image": "image", "video": "video", "audio": "audio"}
    return known.get(mime, "document") if message.document else None


def expected(wanted: Input, language: str) -> Refused:
    """What is expected where a message brings nothing of that sort."""
    if wanted.files is not None and wanted.takes_files:
        formats = ", ".join(shown_formats(wanted.files))
        return Refused(key="form-file-kind", facts={"kind": wanted.files.kind, "formats": formats})
    refused = understood(wanted, "", language)
    return refused if isinstance(refused, Refused) else NOTHING

"""A message as an answer to the open question: words, files, lines, or several of them at once.

People answer as they like: a photo with a caption gives both, a prompt typed after the photos says that these are all of them,
and what is sent while a variant is asked for chooses it. A file is attached, linked, or an earlier result; it becomes a
reference of the order after its bytes were checked. An album arrives as single messages, so each of its files is taken alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from aiogram.enums import ChatType
from aiogram.types import Message

from photomat.bot.buttons import Step
from photomat.bot.context import UpdateContext
from photomat.bot.order_form import form as forms
from photomat.bot.order_form import views
from photomat.bot.order_form.flow import Reply, accept, accept_gathered, accept_part, go_on_with_lines
from photomat.bot.order_form.form import Form, is_typed, next_question, opened, put, take, upcoming
from photomat.bot.order_form.parsing import parse_answer, parse_lines
from photomat.bot.order_form.views import OpenQuestion, typed_steps
from photomat.bot.transport import edit_or_send, send, show_checking
from photomat.bot.view import View
from photomat.catalog.answers import LINK, Refused, shown_formats
from photomat.catalog.formula import is_given
from photomat.catalog.input import FileKind, Input
from photomat.catalog.order import open_to_customers
from photomat.files.accept import accept_file
from photomat.files.file import FromLink, FromOutput, FromTelegram, Source
from photomat.kernel.ids import JobId

MAX_LINK_LENGTH: Final = 2000
NOT_NOW: Final = Refused(key="file-not-now", facts={})
NOTHING: Final = Refused(key="form-expects-text", facts={})
ENOUGH: Final = frozenset({"готово", "всё", "все", "done", "ok", "ок"})
BY_BUTTON: Final = Refused(key="form-expects-pick", facts={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file before its bytes are checked."""

    source: Source
    declared_bytes: int | None = None


async def accept_attachment(
    ctx: UpdateContext, message: Message, asked: Input, *, given: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any] | Refused | None:
    """The reference of the file a message brings, or why it does not fit; None when it brings no file and no link.

    `given` are the references the answer has already: their number and total length are limited.
    """
    attachment = attachment_of(message)
    if attachment is None or isinstance(attachment, Refused):
        return attachment
    if len(given) >= asked.items_limit:
        return Refused(key="form-too-many", facts={"limit": asked.items_limit, "count": len(given) + 1})
    origin = f"message:{ctx.bot_id}:{message.chat.id}:{message.message_id}"
    await show_checking(message, ctx.pool)
    return await _accept(ctx, asked, attachment, origin=origin, given=given)


async def accept_own_result(
    ctx: UpdateContext, job_id: JobId, position: int, asked: Input, *, given: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any] | Refused:
    """An output of the user's own earlier job as a reference, or why it does not fit."""
    output = Attachment(source=FromOutput(job_id, position))
    return await _accept(ctx, asked, output, origin=f"output:{job_id}:{position}", given=given)


async def _accept(
    ctx: UpdateContext, asked: Input, attachment: Attachment, *, origin: str, given: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | Refused:
    if ctx.config.files is None:
        return NOT_NOW
    file = await accept_file(
        ctx.config.files,
        user_id=ctx.user_id,
        origin=origin,
        source=attachment.source,
        asked=asked,
        declared_bytes=attachment.declared_bytes,
    )
    if isinstance(file, Refused):
        return file
    too_long = await ctx.orders.files_too_long(ctx.user_id, asked, given, file.content.facts)
    return too_long or dict(file.ref.as_json())


def attachment_of(message: Message) -> Attachment | Refused | None:
    """The photo in its largest size, or whatever else is attached, or the URL that is the whole text."""
    file = (
        (message.photo[-1] if message.photo else None)
        or message.video
        or message.animation
        or message.audio
        or message.voice
        or message.video_note
        or message.document
        or message.sticker
    )
    if file is not None:
        return Attachment(source=FromTelegram(file.file_id), declared_bytes=file.file_size)
    text = (message.text or "").strip()
    if not LINK.fullmatch(text):
        return None
    if not text.startswith("https://") or len(text) > MAX_LINK_LENGTH:
        return Refused(key="file-link-https", facts={})
    return Attachment(source=FromLink(text))


def with_caption(question: OpenQuestion, form: Form, caption: str | None) -> Form:
    """The form with the words below a file in the first question of words that is still to come."""
    asked = next((each for each in upcoming(question.model, form) if each.type == "text"), None)
    value = parse_answer(asked, caption, question.language) if asked and caption else NOTHING
    if asked is None or isinstance(value, Refused):
        return form
    return replace(form, inputs={**form.inputs, asked.name: value})


def input_for(question: OpenQuestion, kind: FileKind) -> Input | None:
    """The first input that takes a file of this kind and has room for it."""
    inputs = question.form.inputs
    return next(
        (
            each
            for each in open_to_customers(question.model, inputs)
            if kind_taken(each) == kind and (not is_given(inputs.get(each.name)) or _has_room(each, inputs[each.name]))
        ),
        None,
    )


def full_of(question: OpenQuestion, kind: FileKind) -> Refused | None:
    """Why a file of this kind is one too many: whatever takes it has all it can take."""
    inputs = question.form.inputs
    given = [
        inputs[each.name]
        for each in question.model.inputs
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
    """What a message claims to bring; its bytes are checked later."""
    if message.photo or message.sticker:
        return "image"
    if message.video or message.animation or message.video_note:
        return "video"
    if message.audio or message.voice:
        return "audio"
    mime = (message.document.mime_type or "").partition("/")[0] if message.document else ""
    known: dict[str, FileKind] = {"image": "image", "video": "video", "audio": "audio"}
    return known.get(mime, "document") if message.document else None


def expected(current: Input, language: str) -> Refused:
    """What is expected where a message has nothing of that kind."""
    if current.files is not None and current.takes_files:
        formats = ", ".join(shown_formats(current.files))
        return Refused(key="form-file-kind", facts={"kind": current.files.kind, "formats": formats})
    refused = parse_answer(current, "", language)
    return refused if isinstance(refused, Refused) else NOTHING


def step_in_words(message: Message, question: OpenQuestion) -> Step | None:
    """A step that is typed in a group, where the question has no buttons."""
    if message.chat.type == ChatType.PRIVATE or not message.text:
        return None
    words = typed_steps(question.say, question.model, question.form, question.input)
    return words.get(message.text.strip().casefold())


async def answer(message: Message, ctx: UpdateContext, question: OpenQuestion) -> None:
    reply = reply_to(message)
    asked, current, form = question.input, question.current, question.form
    if _is_rest_of_album(message, question):
        await _leave_rest_of_album(message, ctx, question)
    elif asked is None or current is None:
        await _choose_variant(message, ctx, question)
    elif current.takes_files:
        await _answer_by_file(message, ctx, question, asked, current)
    elif asked.type == "list" and form.field is None:
        await _answer_by_lines(message, ctx, question, asked)
    elif current.type in {"task", "track"}:
        await reply.refuse(question, BY_BUTTON)
    elif form.field is not None:
        await _answer_field(message, ctx, question, asked, current)
    else:
        await _answer_by_words(message, ctx, question, current)


async def _answer_by_words(message: Message, ctx: UpdateContext, question: OpenQuestion, current: Input) -> None:
    reply, words = reply_to(message), message.text or message.caption
    kind = kind_of(message)
    beside = input_for(question, kind) if kind is not None and current.type == "text" else None
    if beside is not None:
        with_file = await _with_file_beside(message, ctx, question, beside)
        if isinstance(with_file, Refused):
            await reply.refuse(question, with_file)
            return
        question = replace(question, form=with_file)
    if not words and beside is not None:
        await _confirm_file(message, ctx, question, beside)
        return
    no_room = full_of(question, kind) if kind is not None and beside is None else None
    value = (
        parse_answer(current, words, question.language) if words else no_room or expected(current, question.language)
    )
    if isinstance(value, Refused):
        if beside is not None:
            ctx.save_form(question.form)
        await reply.refuse(question, value)
    else:
        await accept(ctx, reply, question, value)


async def _answer_field(
    message: Message, ctx: UpdateContext, question: OpenQuestion, asked: Input, current: Input
) -> None:
    words = message.text or message.caption
    value = parse_answer(current, words, question.language) if words else expected(current, question.language)
    reply = reply_to(message)
    if isinstance(value, Refused):
        await reply.refuse(question, value)
    else:
        await accept_part(ctx, reply, question, asked, value)


async def _answer_by_lines(message: Message, ctx: UpdateContext, question: OpenQuestion, asked: Input) -> None:
    """Lines that are typed; where fields are filled in one by one, another message begins another line."""
    reply, form = reply_to(message), question.form
    if not is_typed(asked):
        if not forms.can_take_more(form, asked):
            await reply.refuse(question, BY_BUTTON)
            return
        await answer(message, ctx, replace(question, form=forms.another_line(form, asked)))
        return
    words = message.text or message.caption or ""
    if form.gathered and words.strip().casefold() in ENOUGH:
        await accept_gathered(ctx, reply, question, asked)
        return
    lines = parse_lines(asked, words, question.language)
    added = lines if isinstance(lines, Refused) else forms.with_lines(form, asked, lines)
    if isinstance(added, Refused):
        await reply.refuse(question, added)
    elif asked.main is None and not isinstance(forms.answer_of(added, asked), Refused):
        await accept_gathered(ctx, reply, replace(question, form=added), asked)
    else:
        await go_on_with_lines(ctx, reply, question, asked, added)


async def _answer_by_file(
    message: Message, ctx: UpdateContext, question: OpenQuestion, asked: Input, current: Input
) -> None:
    reply, have = reply_to(message), forms.files_so_far(question.form, asked)
    file = await accept_attachment(ctx, message, current, given=have)
    if file is None:
        await _words_where_files_are_asked(message, ctx, question, asked, current)
    elif isinstance(file, Refused):
        await reply.refuse(question, file)
    else:
        form = with_caption(question, replace(question.form, album=message.media_group_id), message.caption)
        await add_file(ctx, reply, replace(question, form=form), asked, file, message=message)


async def add_file(
    ctx: UpdateContext,
    reply: Reply,
    question: OpenQuestion,
    asked: Input,
    reference: Mapping[str, Any],
    *,
    message: Message | None = None,
) -> None:
    """Add a file to the open question; it is answered when it takes no more. The reply to `message` counts them."""
    if forms.current_input(question.form, asked).type == "files":
        added = forms.with_file(question.form, asked, reference)
        if isinstance(added, Refused):
            await reply.refuse(question, added)
        elif forms.has_all_files(added, asked):
            await files_are_enough(ctx, reply, replace(question, form=added), asked)
        else:
            await _count(ctx, reply, replace(question, form=added), message)
    elif question.form.field:
        await accept_part(ctx, reply, question, asked, reference)
    else:
        await accept(ctx, reply, question, reference)


async def files_are_enough(ctx: UpdateContext, reply: Reply, question: OpenQuestion, asked: Input) -> None:
    """Take the files of the open question as its answer, or of the open field as its value."""
    form = question.form
    if form.field is None:
        await accept_gathered(ctx, reply, question, asked)
    elif forms.has_enough_files(form, asked):
        await go_on_with_lines(ctx, reply, question, asked, forms.after_field(form, asked))
    else:
        await reply.refuse(question, Refused(key="form-too-few", facts={"limit": 1, "count": 0}))


async def _count(ctx: UpdateContext, reply: Reply, question: OpenQuestion, message: Message | None) -> None:
    """Say how many files there are, always in the same message."""
    if message is not None:
        await _show_counter(message, ctx, question.form, views.counter(question))
    else:
        ctx.save_form(replace(question.form, counter=None))
        await reply.show(views.counter(question))


async def _show_counter(message: Message, ctx: UpdateContext, form: Form, view: View) -> None:
    ctx.save_form(form)  # the file is taken even if the user cannot be reached
    counter = await edit_or_send(message, view, sent_before=form.counter)
    ctx.save_form(replace(form, counter=counter))


async def _words_where_files_are_asked(
    message: Message, ctx: UpdateContext, question: OpenQuestion, asked: Input, current: Input
) -> None:
    """Words after enough files mean that these are all; they answer the next question, if that takes words."""
    reply, words = reply_to(message), (message.text or "").strip()
    if not words or not forms.files_so_far(question.form, asked) or question.form.field is not None:
        await reply.refuse(question, expected(current, question.language))
        return
    files = forms.answer_of(question.form, asked)
    taken = files if isinstance(files, Refused) else take(question.model, question.form, files)
    following = next_question(question.model, taken) if isinstance(taken, Form) else None
    next_asked = question.model.input(following.asking) if following else None
    if words.casefold() in ENOUGH or isinstance(taken, Refused):
        await accept_gathered(ctx, reply, question, asked)
    elif following is not None and next_asked is not None and next_asked.type == "text":
        await _answer_by_words(message, ctx, replace(question, form=following), next_asked)
    else:
        count = len(forms.files_so_far(question.form, asked))
        await reply.refuse(question, Refused(key="form-files-wait", facts={"count": count}))


async def _choose_variant(message: Message, ctx: UpdateContext, question: OpenQuestion) -> None:
    """Choose the first variant whose first input takes what the message has."""
    kind = kind_of(message)
    for number, names in enumerate(question.model.one_of):
        first = question.model.input(names[0])
        takes_it = first is not None and (kind_taken(first) == kind if kind else first.type == "text")
        if first is not None and takes_it and (kind or message.text):
            chosen = take(question.model, question.form, number)
            if isinstance(chosen, Form):
                await answer(message, ctx, replace(question, form=opened(chosen, first)))
                return
    await reply_to(message).refuse(question, BY_BUTTON)


async def _with_file_beside(
    message: Message, ctx: UpdateContext, question: OpenQuestion, beside: Input
) -> Form | Refused:
    """The form with the file of a message in the input it is for, while another one is being asked."""
    present = question.form.inputs.get(beside.name) or []
    have = present if isinstance(present, list) else [present]
    file = await accept_attachment(ctx, message, beside, given=have)
    if isinstance(file, Refused) or file is None:
        return file or NOTHING
    value = [*have, file] if beside.type == "files" else file
    return put(question.model, replace(question.form, album=message.media_group_id), beside.name, value)


async def _confirm_file(message: Message, ctx: UpdateContext, question: OpenQuestion, beside: Input) -> None:
    """Say that a file was taken while words are asked, always in the same message; the question stays open."""
    given = question.form.inputs.get(beside.name)
    count = len(given) if isinstance(given, list) else 1
    confirmed = question.say("form-file-taken", kind=kind_taken(beside) or "document", count=count)
    view = views.question_view(question)
    await _show_counter(message, ctx, question.form, replace(view, text=f"{confirmed}\n\n{view.text}"))


def _is_rest_of_album(message: Message, question: OpenQuestion) -> bool:
    current = question.current
    is_same = message.media_group_id is not None and message.media_group_id == question.form.album
    takes_more = current is not None and current.takes_files
    return is_same and not takes_more and input_for(question, kind_of(message) or "document") is None


async def _leave_rest_of_album(message: Message, ctx: UpdateContext, question: OpenQuestion) -> None:
    """Say once that the rest of an album is not needed."""
    if question.form.album_left != message.media_group_id:
        ctx.save_form(replace(question.form, album_left=message.media_group_id))
        await send(message, View(text=question.say("form-album-rest"), rows=[]))


def reply_to(message: Message) -> Reply:
    show = partial(send, message)
    return Reply(show=show, show_refusal=show)

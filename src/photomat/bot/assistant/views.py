"""What the assistant adds to a draft's card, and the words of a voice message."""

from dataclasses import replace
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.assistant.chat import can_be_improved
from photomat.assistant.notes import improvement_of, question_on
from photomat.bot.buttons import AssistAction, AssistButton, TranscriptButton
from photomat.bot.view import Rows, View, button
from photomat.kernel.text import cut
from photomat.orders.draft import Draft
from photomat.orders.outcome import DraftOrder
from photomat.texts.load import Say

SHOWN_BEFORE: Final = 300
SHOWN_TRANSCRIPT: Final = 3000
REASONS: Final = frozenset({"user-limit", "shop-limit"})


def assisted(view: View, say: Say, order: DraftOrder, *, has_assistant: bool) -> View:
    """A draft's card with what the assistant left on it, and its button above the last row."""
    lines = [view.text, *assistant_lines(say, order.draft)]
    rows = assistant_row(say, order, has_assistant=has_assistant)
    return replace(view, text="\n\n".join(lines), rows=[*view.rows[:-1], *rows, *view.rows[-1:]])


def assistant_lines(say: Say, draft: Draft) -> list[str]:
    question, improvement = question_on(draft), improvement_of(draft)
    lines = [] if question is None else [say("assistant-question", question=escape(question))]
    if improvement is not None:
        before = escape(cut(improvement.before, SHOWN_BEFORE))
        lines.append(
            say("assistant-improved-english" if improvement.in_english else "assistant-improved", before=before)
        )
    return lines


def assistant_row(say: Say, order: DraftOrder, *, has_assistant: bool) -> Rows:
    """«Улучшить запрос», or «Вернуть» once it was; no row where there is nothing to improve, or no assistant."""
    draft, model = order
    if improvement_of(draft) is not None:
        return [[_assist(say("assistant-undo"), AssistAction.UNDO, draft)]]
    if has_assistant and can_be_improved(model, draft.inputs):
        return [[_assist(say("assistant-improve"), AssistAction.IMPROVE, draft)]]
    return []


def with_failure(view: View, say: Say, reason: str | None) -> View:
    """The card, with a line that the prompt stays as it was."""
    line = say("assistant-limit") if reason in REASONS else say("assistant-not-improved")
    return replace(view, text=f"{view.text}\n\n{line}")


def listening(say: Say) -> View:
    return View(text=say("assistant-listening"), rows=[])


def heard(say: Say, text: str, *, call_id: int) -> View:
    """What was understood, shown before it is used."""
    rows = [
        [button(say("assistant-use"), TranscriptButton(call_id=call_id, use=True))],
        [button(say("assistant-forget"), TranscriptButton(call_id=call_id, use=False))],
    ]
    return View(text=said(say, text), rows=rows)


def said(say: Say, text: str) -> str:
    return say("assistant-heard", text=escape(cut(text, SHOWN_TRANSCRIPT)))


def not_heard(say: Say, reason: str | None) -> View:
    return View(text=say("assistant-limit-voice" if reason in REASONS else "assistant-not-heard"), rows=[])


def _assist(text: str, action: AssistAction, draft: Draft) -> InlineKeyboardButton:
    return button(text, AssistButton(action=action, draft_id=draft.draft_id, revision=draft.revision))

"""Queue a call to the chat model in the commit of an update; nothing is queued where none is configured."""

from photomat.assistant.calls import CallKind, Wanted, want
from photomat.bot.context import UpdateContext
from photomat.kernel.ids import MessageId
from photomat.orders.draft import Draft


def ask_for_plan(ctx: UpdateContext, draft: Draft, *, words: str) -> None:
    """Have the assistant look at a card that these words made."""
    if words.strip():
        _queue(ctx, CallKind.PLAN, origin=f"plan:{draft.draft_id}:{draft.revision}", draft=draft, words=words)


def ask_for_prompt(ctx: UpdateContext, draft: Draft) -> None:
    """Have the prompt of a draft improved."""
    _queue(ctx, CallKind.IMPROVE, origin=ctx.origin, draft=draft)


def ask_for_transcript(ctx: UpdateContext, file_id: str, *, shown_in: MessageId) -> None:
    """Have a voice message written down, in this message."""
    _queue(ctx, CallKind.TRANSCRIBE, origin=ctx.origin, file_id=file_id, message_id=shown_in)


def _queue(
    ctx: UpdateContext,
    kind: CallKind,
    *,
    origin: str,
    draft: Draft | None = None,
    words: str | None = None,
    file_id: str | None = None,
    message_id: MessageId | None = None,
) -> None:
    if not ctx.config.has_assistant or ctx.lacks_consent:
        return
    wanted = Wanted(
        kind=kind,
        origin=origin,
        bot_id=ctx.bot_id,
        user_id=ctx.user_id,
        chat_id=ctx.chat_id,
        language=ctx.language,
        draft_id=None if draft is None else draft.draft_id,
        revision=None if draft is None else draft.revision,
        words=words,
        message_id=message_id,
        file_id=file_id,
    )
    ctx.on_commit(lambda tx: want(tx, wanted))

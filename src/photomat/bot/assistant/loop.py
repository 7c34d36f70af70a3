"""The loop of the assistant: ask, then show what came of it by editing a message that is already in the chat.

An edit is idempotent, and a lost one is harmless: a tap on an outdated card shows the new one. A plan that came too late, or
whose draft has moved on, shows nothing: the rules' card stands. A better prompt and a transcript were asked for, so their
failure is shown too.

A bought card belongs to `delivery`. Should a draft be bought while its edit is on the way, or the outcome of the edit be
unknown, the job's card is made due again, so that what is shown last is the job.
"""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final

from aiogram import Bot

from photomat.assistant import calls
from photomat.assistant.calls import Call, CallKind, CallState
from photomat.assistant.service import Assistant
from photomat.bot.assistant import views
from photomat.bot.context import BotConfig, UpdateContext
from photomat.bot.conversation import Conversation
from photomat.bot.order_card.views import show_card
from photomat.bot.transport import edit_in_place
from photomat.bot.view import View
from photomat.db.pool import transaction
from photomat.delivery.lock import rearm_job
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.ids import ChatId, MessageId, ReceivedId
from photomat.kernel.logs import get_logger
from photomat.orders.outcome import DraftOrder
from photomat.users.user import find_user

RETRY_S: Final = 3.0
SETTLED_S: Final = 120.0
"""When an edit of unknown outcome has landed, or never will."""
GIVE_UP_AFTER: Final = timedelta(minutes=10)
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantLoop:
    config: BotConfig
    bot: Bot
    assistant: Assistant

    async def claim(self, limit: int) -> list[Call]:
        return await self.assistant.claim(limit)

    async def do(self, call: Call) -> None:
        """Take the next step of a claimed call."""
        if call.state is CallState.ASKED:
            asked = await self.assistant.ask(call)
            if asked is None:
                return
            call = asked
        try:
            await self._show(call)
        except (Transient, OutcomeUnknown) as error:
            await self._show_later(call, error)
        except PhotomatError as error:
            log.info("ASSISTANT_UNSHOWN", call_id=call.call_id, kind=call.kind, error=type(error).__name__)
            await calls.close(self.config.pool, call)
        else:
            await calls.close(self.config.pool, call)

    async def _show(self, call: Call) -> None:
        match call.kind:
            case CallKind.TRANSCRIBE:
                await self._show_transcript(call)
            case CallKind.PLAN | CallKind.IMPROVE:
                order = await self.assistant.apply(call) if call.state is CallState.ANSWERED else None
                if order is not None:
                    await self._show_card(call, order)
                elif call.kind is CallKind.IMPROVE:
                    await self._show_failure(call)

    async def _show_transcript(self, call: Call) -> None:
        say = self.config.texts.speaker(call.language)
        understood = call.answer if call.state is CallState.ANSWERED else None
        view = views.heard(say, understood, call_id=call.call_id) if understood else views.not_heard(say, call.error)
        if call.message_id is not None:
            await edit_in_place(self.bot, view, chat_id=call.chat_id, message_id=call.message_id)

    async def _show_failure(self, call: Call) -> None:
        order = await self.assistant.untouched(call)
        if order is not None:
            await self._show_card(call, order, failed=True)

    async def _show_card(self, call: Call, order: DraftOrder, *, failed: bool = False) -> None:
        ctx, card = await self._context(call), order.draft.card_message_id
        if ctx is None or card is None or await self._belongs_to_job(call, card):
            return
        edit = partial(self._edit, call, card, failed=failed)
        await show_card(ctx, edit, model=order.model, draft=order.draft)
        await self._belongs_to_job(call, card)

    async def _edit(self, call: Call, card: MessageId, view: View, *, failed: bool) -> MessageId:
        if failed:
            view = views.with_failure(view, self.config.texts.speaker(call.language), call.error)
        await edit_in_place(self.bot, view, chat_id=call.chat_id, message_id=card)
        return card

    async def _belongs_to_job(self, call: Call, card: MessageId) -> bool:
        """Whether the draft is bought; then its job is shown again, over whatever was shown last."""
        if call.draft_id is None:
            return False
        started = await self.config.orders.job_of_draft(call.user_id, call.draft_id, message_id=card)
        if started is None:
            return False
        async with transaction(self.config.pool) as tx:
            await rearm_job(tx, started.job_id, by="assistant")
        return True

    async def _show_later(self, call: Call, error: PhotomatError) -> None:
        """Try the edit again until the card is old news; after an unknown outcome once, when it has settled."""
        is_unknown = isinstance(error, OutcomeUnknown)
        asked_s = error.retry_after_s if isinstance(error, Transient) else None
        if await calls.is_older(self.config.pool, call, than=GIVE_UP_AFTER):
            await calls.close(self.config.pool, call)
        else:
            await calls.put_back(self.config.pool, call, after_s=SETTLED_S if is_unknown else asked_s or RETRY_S)

    async def _context(self, call: Call) -> UpdateContext | None:
        """What a card needs to know of its reader, without an update."""
        async with transaction(self.config.pool) as tx:
            user = await find_user(tx, call.user_id)
        if user is None:
            return None
        return UpdateContext(
            config=self.config,
            received_id=ReceivedId(0),
            corr="",
            user=user,
            is_new_user=False,
            language_code=None,
            conversation=Conversation(bot_id=call.bot_id, chat_id=ChatId(call.chat_id), user_id=call.user_id),
            say=self.config.texts.speaker(user.language),
        )

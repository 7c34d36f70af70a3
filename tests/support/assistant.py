"""A person who talks to a bot with an assistant: a simulated Telegram, a simulated Kie with a chat model, the real loop."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from photomat.assistant.calls import CallKind, CallLimits, Wanted, want
from photomat.assistant.service import Assistant
from photomat.bot.assistant.loop import AssistantLoop
from photomat.db.pool import transaction
from photomat.kernel.ids import BotId, ChatId, MessageId, UserId
from photomat.kie.chat import KieChatModel
from photomat.kie.port import ChatAnswer, ChatModel, ChatRequest
from photomat.orders.draft import Buyer, Draft, record_cards
from support.conversation import Chat, conversation
from support.kie_sim import KEY, RunningKie, running_kie

MODEL = "gemini-3-flash"
FREELY = CallLimits(calls_per_user=0, credits=Decimal(0), minor_per_credit=Decimal(40))


@dataclass(slots=True, kw_only=True)
class AssistedChat:
    chat: Chat
    kie: RunningKie
    loop: AssistantLoop

    async def answers_next(self, *answers: Mapping[str, Any]) -> None:
        """Script the next answers of the chat model."""
        async with self.kie.client.post(f"{self.kie.url}/sandbox/chat", json={"answers": list(answers)}) as response:
            assert response.status == 200, await response.text()

    async def asked(self) -> int:
        """How many requests reached the chat model."""
        async with self.kie.client.get(f"{self.kie.url}/sandbox/chat") as response:
            return len((await response.json())["calls"])

    async def works(self) -> int:
        """Everything that is due, once; gives how many calls."""
        claimed = await self.loop.claim(9)
        for call in claimed:
            await self.loop.do(call)
        return len(claimed)

    async def has_a_card(self, words: str = "кот в шляпе") -> Draft:
        """A card of said words, shown in the chat, and a call for a better plan."""
        await self.chat.says("/start")
        orders = self.loop.config.orders
        model = await orders.model("z-image")
        assert model is not None
        draft = await orders.save_draft(
            self.buyer, model, {"prompt": words, "aspect_ratio": "1:1"}, origin=f"said:{words}", said=words
        )
        await self.chat.bot.send_message(self.chat.person.user_id, "карточка")
        shown_in = MessageId(self.chat.screen()[-1]["message_id"])
        async with transaction(self.chat.pool) as tx:
            await record_cards(tx, {draft.draft_id: shown_in})
            await want(tx, self.wanted(CallKind.PLAN, draft, words=words))
        return draft

    def wanted(self, kind: CallKind, draft: Draft, *, words: str | None = None) -> Wanted:
        return Wanted(
            kind=kind,
            origin=f"{kind}:{draft.draft_id}:{draft.revision}",
            bot_id=self.buyer.bot_id,
            user_id=self.buyer.user_id,
            chat_id=self.buyer.chat_id,
            language="ru",
            draft_id=draft.draft_id,
            revision=draft.revision,
            words=words,
        )

    @property
    def buyer(self) -> Buyer:
        user = self.chat.person.user_id
        return Buyer(user_id=UserId(user), language="ru", bot_id=BotId(self.chat.bot.id), chat_id=ChatId(user))

    async def draft(self, draft_id: int) -> Draft:
        found = await self.loop.config.orders.find(self.buyer.user_id, draft_id)
        assert found is not None
        return found.draft

    async def calls(self) -> list[dict[str, Any]]:
        rows = await self.chat.pool.fetch("SELECT * FROM assistant_calls ORDER BY call_id")
        return [dict(row) for row in rows]


@asynccontextmanager
async def assisted(
    database: str,
    folder: Path,
    *,
    limits: CallLimits = FREELY,
    chat_model: Callable[[ChatModel], ChatModel] = lambda model: model,
    **talk: Any,
) -> AsyncIterator[AssistedChat]:
    async with running_kie() as kie, conversation(database, results=folder, has_assistant=True, **talk) as chat:
        config = chat.worker.config
        assert config.files is not None
        assistant = Assistant(
            pool=chat.pool,
            chat=chat_model(KieChatModel(base_url=kie.url, api_key=KEY, model=MODEL)),
            orders=config.orders,
            files=config.files,
            limits=limits,
        )
        yield AssistedChat(chat=chat, kie=kie, loop=AssistantLoop(config=config, bot=chat.bot, assistant=assistant))


@dataclass(slots=True, kw_only=True)
class Meanwhile:
    """A chat model during whose answer something happens."""

    model: ChatModel
    happens: Callable[[], Any]

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        answer = await self.model.complete(request)
        await self.happens()
        return answer

"""The state of the simulated Telegram: one bot, its people, their messages and files, and one clock for all of it.

The world only stores and publishes. What a call of the Bot API may do is in `methods/`, what a person may do in
`person_acts.py`.
"""

import asyncio
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from photomat_sandbox.telegram.errors import JsonObject, bad_request, forbidden, too_many_requests
from photomat_sandbox.telegram.files import FileStore
from photomat_sandbox.telegram.media import ChatMedia
from photomat_sandbox.telegram.messages import ChatMessage, as_api, as_seen
from photomat_sandbox.telegram.people import BotProfile, ChatPerson
from photomat_sandbox.telegram.stars import StarBill, Stars
from photomat_sandbox.telegram.updates import CHECKOUT_LIFE_S, Queries, UpdateQueue, WebhookSettings
from photomat_sandbox.telegram.urls import Fetched, UrlFetcher
from photomat_sandbox.transcript import Transcript

EventName = Literal["message", "edit", "delete", "typing", "answer", "keyboard", "status"]
MAX_WAITING: Final = 1000
DEFAULT_TOKEN: Final = "7000000001:AAsandbox-token-for-one-simulated-bot-0"  # noqa: S105 - opens nothing but the simulator
FIRST_PERSON_ID: Final = 5_000_001


@dataclass(slots=True, kw_only=True)
class FloodLimits:
    """`per_chat_burst` messages at once in a chat, then `per_chat_per_s`; `per_bot_per_s` overall. Edits count like sends."""

    per_chat_per_s: float = 1.0
    per_chat_burst: int = 5
    per_bot_per_s: float = 30.0
    _buckets: dict[int, tuple[float, float]] = field(default_factory=dict)

    def spend(self, chat_id: int, *, clock: Callable[[], float]) -> None:
        """Take one token from the chat and one from the bot, or refuse with 429."""
        now = clock()
        self._take(0, now, rate=self.per_bot_per_s, burst=self.per_bot_per_s)
        self._take(chat_id, now, rate=self.per_chat_per_s, burst=self.per_chat_burst)

    def _take(self, key: int, now: float, *, rate: float, burst: float) -> None:
        tokens, at = self._buckets.get(key, (burst, now))
        tokens = min(burst, tokens + (now - at) * rate)
        if tokens < 1:
            raise too_many_requests(max(1, math.ceil((1 - tokens) / rate)))
        self._buckets[key] = (tokens - 1, now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """What a Bot API server takes and gives; in local mode files have no limit of download."""

    upload_bytes: int
    download_bytes: int | None
    webhook_connections: int


CLOUD: Final = ServerLimits(upload_bytes=50 * 2**20, download_bytes=20 * 2**20, webhook_connections=100)
LOCAL: Final = ServerLimits(upload_bytes=2000 * 2**20, download_bytes=None, webhook_connections=100_000)


class EventStream:
    """Publishes changes of a person's screen to their open pages; a page that never reads loses the newest events."""

    def __init__(self) -> None:
        self._listeners: defaultdict[int, set[asyncio.Queue[bytes | None]]] = defaultdict(set)
        self._closed = False

    def publish(self, user_id: int, name: EventName, data: JsonObject) -> None:
        frame = f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
        for listener in self._listeners[user_id]:
            if not listener.full():
                listener.put_nowait(frame)

    @contextmanager
    def listen(self, user_id: int) -> Iterator[asyncio.Queue[bytes | None]]:
        """Open a queue of encoded events; None means that the world ends."""
        listener: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=MAX_WAITING + 1)
        if self._closed:
            listener.put_nowait(None)
        self._listeners[user_id].add(listener)
        try:
            yield listener
        finally:
            self._listeners[user_id].discard(listener)

    def close(self) -> None:
        """End every open page."""
        self._closed = True
        for listeners in self._listeners.values():
            for listener in listeners:
                if not listener.full():
                    listener.put_nowait(None)


class TelegramWorld:
    def __init__(
        self,
        *,
        token: str = DEFAULT_TOKEN,
        bot_name: str = "Photomat",
        bot_username: str = "photomat_sandbox_bot",
        clock: Callable[[], float] = time.time,
        files_folder: Path | None = None,
        edits_cancel_edits: bool = True,
        flood: FloodLimits | None = None,
        webhook_retry_unit_s: float = 1.0,
        checkout_wait_s: float = CHECKOUT_LIFE_S,
        any_webhook_address: bool = False,
        local_dir: Path | None = None,
    ) -> None:
        """With `local_dir` this is the server of tdlib/telegram-bot-api run with `--local`; that is its working folder."""
        self.token = token
        self.local_dir = None if local_dir is None else local_dir.absolute()
        self.limits = CLOUD if local_dir is None else LOCAL
        self.clock = clock
        self.bot = BotProfile(user_id=bot_id_of(token), first_name=bot_name, username=bot_username)
        self.edits_cancel_edits = edits_cancel_edits
        self.flood = flood
        self.webhook_retry_unit_s = webhook_retry_unit_s
        self.any_webhook_address = any_webhook_address or local_dir is not None
        self.transcript = Transcript(clock=clock)
        self.people: dict[int, ChatPerson] = {}
        self.messages: dict[int, ChatMessage] = {}
        self.chats: defaultdict[int, dict[int, ChatMessage]] = defaultdict(dict)
        self.next_message_id = 1
        self.next_album_id = 13_000_000_001
        self.files = FileStore(files_folder)
        self.fetcher = UrlFetcher(clock=clock)
        self.media_by_number: dict[int, ChatMedia] = {}
        self.media_by_url: dict[tuple[str, str], tuple[Fetched, ChatMedia]] = {}
        self.updates = UpdateQueue(clock=clock)
        self.webhook = WebhookSettings()
        self.queries = Queries(clock=clock, checkout_life_s=checkout_wait_s)
        self.stars = Stars()
        self.stream = EventStream()
        self.commands: dict[str, list[JsonObject]] = {}
        self.menu_buttons: dict[str, JsonObject] = {}
        self.names: dict[str, dict[str, str]] = {}
        self.download_until: dict[str, float] = {}
        self.bills: dict[str, StarBill] = {}
        self.changed = False

    def now(self) -> int:
        """Return the world's time in whole seconds, as messages have it."""
        return int(self.clock())

    def add_person(
        self,
        *,
        first_name: str,
        username: str | None = None,
        language_code: str = "ru",
        user_id: int | None = None,
        started: bool = False,
    ) -> ChatPerson:
        """Add a person; an existing id only gets its names updated."""
        chosen = user_id or max([FIRST_PERSON_ID - 1, *self.people]) + 1
        person = self.people.setdefault(chosen, ChatPerson(user_id=chosen, first_name=first_name))
        person.first_name, person.username, person.language_code = first_name, username, language_code
        person.started = person.started or started
        self.changed = True
        return person

    def reachable(self, chat_id: str) -> ChatPerson:
        """Return the person a bot may write to by the chat_id of a call, or refuse as Telegram does."""
        person = self.known_chat(chat_id)
        if person.deactivated:
            raise forbidden("user is deactivated")
        if person.blocked:
            raise forbidden("bot was blocked by the user")
        return person

    def known_chat(self, chat_id: str) -> ChatPerson:
        """Return a chat that exists for the bot, whether or not it may write there."""
        chat_id = chat_id.strip()
        if not chat_id:
            raise bad_request("chat_id is empty")
        number = int(chat_id) if chat_id.lstrip("-").isdigit() else 0
        if number == self.bot.user_id:
            raise forbidden("the bot can't send messages to the bot")
        person = self.people.get(number)
        if person is None or not person.started:
            raise bad_request("chat not found")
        return person

    def add_message(self, person: ChatPerson, *, from_bot: bool, **fields: Any) -> ChatMessage:
        """Add a new message at the end of a chat and show it."""
        message = ChatMessage(
            message_id=self.next_message_id,
            chat_id=person.user_id,
            from_bot=from_bot,
            date=self.now(),
            **fields,
        )
        self.next_message_id += 1
        self.keep(message)
        what = f"message {message.message_id} shown: {describe(message)}"
        self.note("message", what, {"chat_id": message.chat_id, "message_id": message.message_id})
        self.show(message, "message")
        return message

    def keep(self, message: ChatMessage) -> None:
        self.messages[message.message_id] = message
        self.chats[message.chat_id][message.message_id] = message

    def remove_message(self, message: ChatMessage, *, by: str) -> None:
        self.messages.pop(message.message_id, None)
        self.chats[message.chat_id].pop(message.message_id, None)
        detail = {"chat_id": message.chat_id, "message_id": message.message_id}
        self.note("delete", f"message {message.message_id} deleted by {by}", detail)
        self.stream.publish(message.chat_id, "delete", detail)

    def keep_bill(self, bill: StarBill) -> str:
        self.bills[bill.link] = bill
        self.changed = True
        return bill.link

    def note(self, name: str, summary: str, detail: JsonObject | None = None) -> None:
        """Write a visible effect into the transcript, and mark the state as changed."""
        self.changed = True
        self.transcript.add(world="telegram", kind="effect", name=name, summary=summary, detail=detail)

    def show(self, message: ChatMessage, event: EventName) -> None:
        """Publish the message to the person's pages."""
        self.changed = True
        if not message.hidden_from_person:
            self.stream.publish(message.chat_id, event, as_seen(message))

    def remember(self, media: ChatMedia) -> ChatMedia:
        """Make the media available under the file ids of all its sizes."""
        for number in (media.number, *(size[0] for size in media.sizes)):
            self.media_by_number[number] = media
        return media

    def api(self, message: ChatMessage) -> JsonObject:
        return as_api(self, message)

    def chat_messages(self, user_id: int) -> list[ChatMessage]:
        return [message for message in self.chats[user_id].values() if not message.hidden_from_person]


def bot_id_of(token: str) -> int:
    """Return the bot's id, the number before the colon of its token."""
    number = token.partition(":")[0]
    if not number.isdigit():
        raise ValueError("a bot token looks like 123456:letters-and-digits")
    return int(number)


def describe(message: ChatMessage) -> str:
    words = " ".join(message.text.split())
    short = words if len(words) <= 60 else words[:59] + "…"  # noqa: PLR2004 - one line of the side panel
    return f"{message.kind} «{short}»" if short else message.kind


def commands_for(world: TelegramWorld, person: ChatPerson) -> list[JsonObject]:
    """Return the commands of the person's menu: the narrowest scope wins, then their language."""
    scopes: tuple[tuple[str, int | str | None], ...] = (
        ("chat", person.user_id),
        ("all_private_chats", None),
        ("default", None),
    )
    for scope, chat_id in scopes:
        for language in (person.language_code, ""):
            found = world.commands.get(json.dumps([scope, chat_id, language]))
            if found:
                return found
    return []

"""The flow driver: customers who write one sentence, tap [Create] on the card and get a picture and a completion message.

A flow is: update (a message of a new user) → card → update (the tap) → createTask → callback → recordInfo → download of the
result → edit of the card to the picture → completion message. Updates and callbacks go to the instances in turn. By the menu
the first update is /start, and the card comes after three taps and the prompt.
"""

import asyncio
import itertools
import json
import random
import time
import zlib
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from photomat_bench.vendors import KieTask, TelegramCall, Vendors, callback_body, path_of
from photomat_bench.wire import OK, WireClient, post_request

CREATE: Final = "✅"
ASKED_FOR_PROMPT: Final = ""
MENU: Final = ("🖼 Создать картинку", "Z-Image", ASKED_FOR_PROMPT, "1:1")
"""The buttons on the way to the card, and where the prompt is written."""
LOST_AFTER_S: Final = 60.0
WAVES: Final = 3
"""Each of the flows that are open at a time is followed by two more at least, so that their beginning together is forgotten."""
LONGEST: Final = 4
"""A slow engine may take so many times the seconds for it."""
FIRST_USER: Final = 1_000_000
A_SEED: Final = 10_000_000
HEAVY_USER: Final = 999_999
FIRST_PREPARED: Final = 500_000_000
"""Message ids of cards that were never sent, beyond those of the vendors."""
SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  the header's name


@dataclass(slots=True, kw_only=True)
class Flow:
    """One customer's flow and its instants (`time.perf_counter`); `due` is when it should have begun."""

    user_id: int
    due: float
    carded: float = 0.0
    tapped: float = 0.0
    called_back: float = 0.0
    pictured: float = 0.0
    rung: float = 0.0
    card: int = 0
    create: str = ""
    menu_step: int = 0
    has_card: asyncio.Event = field(default_factory=asyncio.Event)
    is_done: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True, kw_only=True)
class FlowDriver:
    """Makes updates, answers as the vendors, and keeps the instants of each flow."""

    seconds_at_kie: float
    prompt: str
    by_menu: bool = False
    instances: Sequence[str] = ()
    client: WireClient = field(default_factory=WireClient)
    flows: dict[int, Flow] = field(default_factory=dict)
    done: list[Flow] = field(default_factory=list)
    lost: int = 0
    refused: int = 0
    is_ending: bool = False
    """No more flows begin; the open ones are waited for."""
    tell: Callable[[], None] = lambda: None
    vendors: Vendors = field(init=False)
    customers: int = 0
    """So many customers order in turn, again and again; 0: each flow is that of a new one."""
    seed: int = 0
    """Users, updates and tasks of different seeds differ, so that rounds can share a database."""
    _update_ids: "itertools.count[int]" = field(init=False)
    _users: Iterator[int] = field(init=False)
    _turn: "itertools.count[int]" = field(default_factory=itertools.count)
    _posts: set["asyncio.Future[None]"] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._update_ids = itertools.count(10_000 + self.seed * A_SEED)
        first = FIRST_USER + self.seed * A_SEED
        self._users = (
            itertools.cycle(range(first, first + self.customers)) if self.customers else itertools.count(first)
        )
        self.vendors = Vendors(
            heard=self._hear, finished=self._call_back, seconds_at_kie=self.seconds_at_kie, seed=self.seed
        )

    def start_counting(self) -> None:
        """Forget what was counted so far."""
        self.done, self.lost, self.refused, self.is_ending = [], 0, 0, False
        self.vendors.calls.clear()

    async def run_at_rate(self, rate: float, seconds: float, *, seed: int) -> None:
        """Begin flows at random instants (Poisson) whether or not earlier ones are over; wait for all of them."""
        chance = random.Random(seed)  # noqa: S311  no secret
        begin = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            due = begin + chance.expovariate(rate)
            while due < begin + seconds:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                group.create_task(self._one(due))
                due += chance.expovariate(rate)
            self.is_ending = True

    async def run_at_most(self, seconds: float, *, at_once: int, waves: int = 0) -> None:
        """Keep so many flows open for so long, and until so many times as many have ended; then wait for the last of them."""
        begin = time.perf_counter()

        def is_over() -> bool:
            passed = time.perf_counter() - begin
            return passed >= seconds * LONGEST or (passed >= seconds and len(self.done) >= waves * at_once)

        async def again() -> None:
            while not is_over():
                await self._one(time.perf_counter())
            self.is_ending = True

        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(again())

    async def order_as_one(self) -> None:
        """One whole flow of the heavy user, which is not counted."""
        await self._one(time.perf_counter(), user_id=HEAVY_USER)
        self.start_counting()

    async def tap_as_one(self, buttons: Sequence[str], rate: float, seconds: float, *, seed: int) -> None:
        """The heavy user taps one prepared card after the other at this rate, for so long or until none is left."""
        chance = random.Random(seed)  # noqa: S311  no secret
        user = Flow(user_id=HEAVY_USER, due=0.0)
        due = time.perf_counter()
        until = due + seconds
        async with asyncio.TaskGroup() as group:
            for message_id, data in enumerate(buttons, start=FIRST_PREPARED):
                if due >= until:
                    return
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                group.create_task(self._post_update(tap_update(user, message_id, data)))
                due += chance.expovariate(rate)

    async def _one(self, due: float, *, user_id: int | None = None) -> None:
        flow = Flow(user_id=next(self._users) if user_id is None else user_id, due=due)
        self.flows[flow.user_id] = flow
        try:
            async with asyncio.timeout(LOST_AFTER_S):
                await self._post_update(message_update(flow, "/start" if self.by_menu else self._prompt_of(flow)))
                await flow.has_card.wait()
                flow.tapped = time.perf_counter()
                await self._post_update(tap_update(flow, flow.card, flow.create))
                await flow.is_done.wait()
            self.done.append(flow)
        except TimeoutError:
            self.lost += 1
        finally:
            if self.flows.get(flow.user_id) is flow:
                del self.flows[flow.user_id]
            self.tell()

    def _hear(self, call: TelegramCall) -> None:
        flow = self.flows.get(call.chat_id)
        if flow is None:
            return
        if not flow.has_card.is_set():
            data = button_data(call.keyboard, CREATE)
            if data is not None:
                flow.card, flow.create, flow.carded = call.message_id, data, call.at
                flow.has_card.set()
            elif self.by_menu:
                self._follow_menu(flow, call)
        elif call.method == "editMessageMedia" and call.message_id == flow.card:
            flow.pictured = call.at
        elif call.method == "sendMessage" and flow.tapped:
            flow.rung = call.at
        if flow.pictured and flow.rung:
            flow.is_done.set()

    def _follow_menu(self, flow: Flow, call: TelegramCall) -> None:
        """Tap the next button on the way to the card, or write the prompt; other messages are passed over."""
        wanted = MENU[flow.menu_step] if flow.menu_step < len(MENU) else None
        if wanted is None:
            return
        if wanted == ASKED_FOR_PROMPT:
            flow.menu_step += 1
            self._spawn(self._post_update(message_update(flow, self._prompt_of(flow))))
        elif (data := button_data(call.keyboard, wanted)) is not None:
            flow.menu_step += 1
            self._spawn(self._post_update(tap_update(flow, call.message_id, data)))

    def _prompt_of(self, flow: Flow) -> str:
        return f"{self.prompt} {flow.user_id}"  # the number says to which flow a task belongs

    def _call_back(self, task_id: str, task: KieTask) -> None:
        self._spawn(self._post_callback(task_id, task))

    def _spawn(self, post: Coroutine[Any, Any, None]) -> None:
        """Post what a vendor sends unasked; the last ones may find the instance gone."""
        task = asyncio.ensure_future(post)
        self._posts.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: "asyncio.Future[None]") -> None:
        self._posts.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.refused += 1

    async def _post_callback(self, task_id: str, task: KieTask) -> None:
        flow = self.flows.get(int(task.prompt.rpartition(" ")[2]))
        if flow is not None:
            flow.called_back = time.perf_counter()
        await self._post(path_of(task.callback_url), callback_body(task_id, task))

    async def _post_update(self, update: dict[str, Any]) -> None:
        body = {"update_id": next(self._update_ids), **update}
        secret = f"{SECRET_HEADER}: {self.vendors.webhook_secret}\r\n"
        await self._post("/telegram/webhook", json.dumps(body).encode(), secret)

    async def _post(self, path: str, body: bytes, headers: str = "") -> None:
        parts = urlsplit(self.instances[next(self._turn) % len(self.instances)])
        request = post_request(path, body, host=parts.netloc, headers=headers)
        status, _ = await self.client.post(parts.hostname or "", parts.port or 80, request)
        if status != OK:
            self.refused += 1


def message_update(flow: Flow, text: str) -> dict[str, Any]:
    message = {"message_id": 1, "date": int(time.time()), "chat": _chat(flow), "from": _person(flow), "text": text}
    return {"message": message}


def tap_update(flow: Flow, message_id: int, data: str) -> dict[str, Any]:
    tapped = {"message_id": message_id, "date": int(time.time()), "chat": _chat(flow), "text": "card"}
    query_id = f"{flow.user_id}{message_id}{zlib.crc32(data.encode())}"
    query = {"id": query_id, "from": _person(flow), "message": tapped, "data": data}
    return {"callback_query": query | {"chat_instance": str(flow.user_id)}}


def _chat(flow: Flow) -> dict[str, Any]:
    return {"id": flow.user_id, "type": "private", "first_name": "Ann"}


def _person(flow: Flow) -> dict[str, Any]:
    return {"id": flow.user_id, "is_bot": False, "first_name": "Ann", "language_code": "ru"}


def button_data(keyboard: str, label: str) -> str | None:
    """The data of the first button whose text begins with the label."""
    if label not in keyboard and json.dumps(label)[1:-1] not in keyboard:
        return None
    rows = json.loads(keyboard).get("inline_keyboard", [])
    found = (button for row in rows for button in row if button["text"].startswith(label))
    return next((button.get("callback_data") for button in found), None)

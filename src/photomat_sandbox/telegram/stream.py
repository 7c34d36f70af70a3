"""What changes on a person's screen, as it happens: every open page of that person gets every event."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal

from photomat_sandbox.telegram.errors import JsonObject

EventName = Literal["message", "edit", "delete", "typing", "answer", "keyboard", "status"]
MAX_WAITING: Final = 1000


class Stream:
    """Publishes to the pages that listen; a page that never reads loses the newest events, nothing else."""

    def __init__(self) -> None:
        self._listeners: defaultdict[int, set[asyncio.Queue[bytes | None]]] = defaultdict(set)
        self._closed = False

    def publish(self, user_id: int, name: EventName, data: JsonObject) -> None:
        """Tell every page of this person."""
        frame = f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
        for listener in self._listeners[user_id]:
            if not listener.full():
                listener.put_nowait(frame)

    @contextmanager
    def listen(self, user_id: int) -> Iterator[asyncio.Queue[bytes | None]]:
        """Open a queue of ready frames; None means that the world ends."""
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

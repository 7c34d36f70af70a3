"""The port to a provider of AI media: its calls, and the errors they raise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, BinaryIO, Protocol

from photomat.kernel.errors import Rejected, Transient
from photomat.kernel.ids import TaskId
from photomat.kie.protocol import JOBS
from photomat.kie.state_parser import Reading


class Busy(Transient):
    """Too frequent or under maintenance, for every request alike: nothing was created, try later."""


class QueueFull(Transient):
    """No room behind this one model: nothing was created, try this request later."""


class Paused(Transient):
    """The key is invalid or the credits are used up: no submit works until an operator acts. Nothing was created."""

    def __init__(self, message: str, *, code: int) -> None:
        super().__init__(message)
        self.code = code


class TaskRefused(Rejected):
    """A definite no to this request: nothing was created."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__("fail-refused")
        self.code = code
        self.reason = reason


class UploadRefused(Rejected):
    """A definite no to this file."""

    def __init__(self, code: int) -> None:
        super().__init__("fail-input")
        self.code = code


class ChatRefused(Rejected):
    """A chat model's definite no to this request; `code` is Kie's."""

    def __init__(self, code: int) -> None:
        super().__init__("assistant-failed")
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFile:
    """A file for a chat model to look at or listen to."""

    mime: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question to a chat model: instructions, what it is about, and the JSON schema of the answer."""

    name: str
    system: str
    text: str
    schema: Mapping[str, Any]
    max_tokens: int
    within_s: float
    file: ChatFile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """Untrusted text, and what it took; `credits` is None where Kie does not say."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    credits: Decimal | None = None


class ChatModel(Protocol):
    """A language model that answers at once. Each call costs money, whatever becomes of its answer."""

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Ask once. Raises Busy, Paused, ChatRefused, Transient (never left), or OutcomeUnknown."""
        ...


class Account(Protocol):
    """The account at the provider."""

    async def credits(self) -> float:
        """How many credits are left. Raises Paused when the key is refused, Transient when there is no usable answer."""
        ...


class Uploads(Protocol):
    """The provider's upload host, for inputs that are files. An upload is idempotent."""

    async def upload(self, file: BinaryIO, *, mime: str, extension: str) -> str:
        """Upload a file; return its URL there. Raises Busy, Paused, UploadRefused or Transient."""
        ...


class Provider(Protocol):
    """The two calls a job needs, each in the protocol of its model (a name of `protocol.py`).

    `create_task` costs money and is not idempotent.
    """

    async def create_task(
        self,
        *,
        model: str,
        inputs: Mapping[str, object],
        callback_url: str | None,
        protocol: str = JOBS,
        on_sent: Callable[[], None] | None = None,
    ) -> TaskId:
        """Create a task. Raises Busy, QueueFull, Paused, TaskRefused, Transient (never left) or OutcomeUnknown.

        `on_sent` is called when the request is on the wire.
        """
        ...

    async def record(self, task_id: TaskId, *, protocol: str = JOBS) -> Reading | None:
        """Read a task's record; None while the provider does not know the task (yet).

        Raises Busy when asked too often, Transient when there is no usable answer.
        """
        ...

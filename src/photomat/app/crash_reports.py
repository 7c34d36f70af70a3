"""Reports of unexpected errors to Sentry, where SENTRY_DSN is set. Optional: `pip install 'photomat[sentry]'`.

What leaves: the class of the error and of its causes, the functions and lines it passed, the log tag beside it, the correlation
id, the version, the instance. Never local variables, requests, breadcrumbs, the environment, or the message of a library:
messages quote prompts and URLs, and the bot's token is part of Telegram's URLs. So the event is made here, the SDK only sends
it; what it adds is cut off, and the rest is searched again for every secret of the settings. A thread of the SDK sends from
a bounded queue, so nothing waits for Sentry; more than `MOST_A_MINUTE` reports are dropped.
"""

import traceback
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from contextlib import AsyncExitStack
from itertools import islice
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final, cast

from structlog.contextvars import get_contextvars

from photomat import __version__
from photomat.app.live_settings import secrets_of
from photomat.app.settings import Settings
from photomat.kernel.clock import monotonic
from photomat.kernel.crashes import report_to
from photomat.kernel.error_report import MASK, TOKEN, masked, vendor_message
from photomat.kernel.errors import PhotomatError, Startup
from photomat.kernel.ids import InstanceId

if TYPE_CHECKING:
    from sentry_sdk.types import Event

MOST_A_MINUTE: Final = 30
MINUTE_S: Final = 60.0
MAX_CAUSES: Final = 5
MAX_FRAMES: Final = 60
FLUSH_S: Final = 0.5
KEPT: Final = frozenset(
    {
        "event_id",
        "timestamp",
        "platform",
        "level",
        "exception",
        "release",
        "environment",
        "server_name",
        "tags",
        "sdk",
    }
)
MISSING: Final = (
    "SENTRY_DSN is set, but the package that reports to Sentry is not installed: run make extra EXTRAS=sentry"
    " (or pip install 'photomat[sentry]'), or remove SENTRY_DSN."
)


def require_sentry(settings: Settings) -> None:
    """Refuse to start where reports are wanted and cannot be sent."""
    if settings.sentry_dsn is None:
        return
    try:
        import sentry_sdk  # noqa: PLC0415  optional
    except ImportError:
        raise Startup(MISSING) from None
    try:
        sentry_sdk.utils.Dsn(settings.sentry_dsn)
    except ValueError:
        raise Startup("SENTRY_DSN is not a DSN as Sentry shows it: https://KEY@HOST/PROJECT.") from None


def report_crashes(stack: AsyncExitStack, settings: Settings, *, instance: InstanceId) -> None:
    """Start reporting, if SENTRY_DSN is set; the stack ends it."""
    if settings.sentry_dsn is None:
        return
    require_sentry(settings)
    import sentry_sdk  # noqa: PLC0415  optional

    scrub = Scrubber(secrets_of(settings))
    client = sentry_sdk.Client(
        dsn=settings.sentry_dsn,
        release=f"photomat@{__version__}",
        environment=settings.sentry_environment,
        server_name=instance,
        default_integrations=False,
        auto_enabling_integrations=False,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
        before_send=lambda event, _hint: scrub.event(event),
    )
    limit = RateLimit(MOST_A_MINUTE)

    def report(error: BaseException, where: str) -> None:
        if limit.allows():
            client.capture_event(cast("Event", event_of(error, where)))

    report_to(report)
    stack.callback(client.close, timeout=FLUSH_S)
    stack.callback(report_to, None)


def event_of(error: BaseException, where: str) -> dict[str, Any]:
    """An error in Sentry's form, its first cause first."""
    corr = get_contextvars().get("corr")
    return {
        "level": "error",
        "tags": {"where": where} | ({} if corr is None else {"correlation_id": str(corr)}),
        "exception": {"values": [_value(one) for one in reversed(list(islice(_causes(error), MAX_CAUSES)))]},
    }


def _value(error: BaseException) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "module": type(error).__module__,
        "value": safe_message(error),
        "stacktrace": {"frames": _frames(error.__traceback__)},
    }


def safe_message(error: BaseException) -> str:
    """What our own error or a vendor says, masked; nothing if a library says it, for that quotes values."""
    message = str(error) if isinstance(error, PhotomatError) else vendor_message(error)
    return masked(message) if message else ""


def _frames(trace: TracebackType | None) -> list[dict[str, Any]]:
    """The functions an error passed, outermost first; modules instead of paths, which name the machine's users."""
    return [_frame(frame, line) for frame, line in traceback.walk_tb(trace)][-MAX_FRAMES:]


def _frame(frame: FrameType, line: int) -> dict[str, Any]:
    module = str(frame.f_globals.get("__name__", "unknown"))
    return {
        "module": module,
        "filename": f"{module.replace('.', '/')}.py",
        "function": frame.f_code.co_name,
        "lineno": line,
        "in_app": module.partition(".")[0] == "photomat",
    }


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, then what caused it, then its cause."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


class RateLimit:
    def __init__(self, most_a_minute: int) -> None:
        self._sent: deque[float] = deque(maxlen=most_a_minute)

    def allows(self) -> bool:
        now = monotonic()
        if len(self._sent) == self._sent.maxlen and now - self._sent[0] < MINUTE_S:
            return False
        self._sent.append(now)
        return True


class Scrubber:
    """The last thing an event passes: drops what the SDK added, and masks every secret in what is left."""

    def __init__(self, secrets: Collection[str]) -> None:
        self._secrets = sorted(secrets, key=len, reverse=True)

    def event(self, event: Mapping[str, Any]) -> Any:
        return {name: self._scrubbed(part) for name, part in event.items() if name in KEPT}

    def _scrubbed(self, part: Any) -> Any:
        if isinstance(part, Mapping):
            return {name: self._scrubbed(value) for name, value in part.items()}
        if isinstance(part, list | tuple):
            return [self._scrubbed(value) for value in part]
        return self._masked(part) if isinstance(part, str) else part

    def _masked(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return TOKEN.sub(MASK, text)

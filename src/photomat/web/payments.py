"""POST /pay/{provider}: a payment provider says that something happened. Checked, noted, answered; never the verdict.

`look_at` stores that the bill must be looked at and commits before it returns; what was paid is read from the provider, at
our pace. A forged notice leaves nothing behind. Without a database the answer is 503 and the provider repeats.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from aiohttp import hdrs, web

from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import BAD_REQUESTS
from photomat.providers.port import ForgedNotice, PaymentProvider
from photomat.web.body import BadBody, read_bytes

LARGEST_NOTICE_BYTES: Final = 256 * 2**10
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentNotices:
    """The door for notices; `look_at(provider, external_id)` wakes whoever asks the provider."""

    providers: Mapping[str, PaymentProvider]
    look_at: Callable[[str, str], Awaitable[object]]

    async def handle(self, request: web.Request) -> web.Response:
        """Take one notice."""
        provider = self.providers.get(request.match_info["provider"])
        if provider is None:
            return _refuse(404, "unknown provider")
        source = source_of(request)
        try:
            body = await _notice(request)
            external_id = provider.noticed(request.headers, body, source=source)
        except BadBody as error:
            return _refuse(error.status, error.reason)
        except ForgedNotice:
            log.warning("PAY_NOTICE_FORGED", provider=provider.name, source=source)
            return _refuse(401, "forged")
        except ValueError:
            return _refuse(400, "unreadable")
        try:
            await self.look_at(provider.name, external_id)
        except Exception as error:  # noqa: BLE001  whatever it was: not stored, so the provider must repeat
            log.error("PAY_NOTICE_NOT_STORED", provider=provider.name, error=describe(error))
            return web.json_response({"ok": False}, status=503)
        return web.json_response({"ok": True})


def source_of(request: web.Request) -> str:
    """Who sent it: the peer; where that is a proxy beside us, the nearest hop outside that the proxies wrote down.

    Only the far end of X-Forwarded-For is the sender's to invent: it is read from the near one.
    """
    peer = request.remote or ""
    if not _is_near(peer):
        return peer
    written = ",".join(request.headers.getall(hdrs.X_FORWARDED_FOR, []))
    hops = [hop.strip() for hop in reversed(written.split(",")) if hop.strip()]
    return next((hop for hop in hops if not _is_near(hop)), hops[0] if hops else peer)


async def _notice(request: web.Request) -> bytes:
    if (request.content_length or 0) > LARGEST_NOTICE_BYTES:
        raise BadBody(413, "too large")
    body = await read_bytes(request)
    if len(body) > LARGEST_NOTICE_BYTES:
        raise BadBody(413, "too large")
    return body


def _is_near(address: str) -> bool:
    """Whether an address is this machine's or its own network's."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return found.is_loopback or found.is_private


def _refuse(status: int, reason: str) -> web.Response:
    BAD_REQUESTS.labels(door="pay", reason=reason).inc()
    return web.json_response({"ok": False, "error": reason}, status=status)

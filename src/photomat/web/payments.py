"""POST /pay/{provider}: a payment provider's notification, verified and acknowledged; never proof of a payment.

`look_at` commits that the invoice is due before it returns; what was paid is then read from the provider. A forged notification
stores nothing. Without a database, or after a crash before the commit, the provider gets no 200 and repeats.
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

MAX_NOTICE_BYTES: Final = 256 * 2**10
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentNotices:
    """`look_at(provider, external_id)` makes the invoice due."""

    providers: Mapping[str, PaymentProvider]
    look_at: Callable[[str, str], Awaitable[object]]

    async def handle(self, request: web.Request) -> web.Response:
        provider = self.providers.get(request.match_info["provider"])
        if provider is None:
            return _refuse(404, "unknown provider")
        source = client_ip(request)
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
        except Exception as error:  # noqa: BLE001  any failure: not stored, so the provider must repeat
            log.error("PAY_NOTICE_NOT_STORED", provider=provider.name, error=describe(error))
            return web.json_response({"ok": False}, status=503)
        return web.json_response({"ok": True})


def client_ip(request: web.Request) -> str:
    """The sender's IP address: the peer, or behind our own proxy the last public hop of X-Forwarded-For.

    The header is read from its end: only its beginning can be forged by the sender.
    """
    peer = request.remote or ""
    if not _is_internal(peer):
        return peer
    written = ",".join(request.headers.getall(hdrs.X_FORWARDED_FOR, []))
    hops = [hop.strip() for hop in reversed(written.split(",")) if hop.strip()]
    return next((hop for hop in hops if not _is_internal(hop)), hops[0] if hops else peer)


async def _notice(request: web.Request) -> bytes:
    if (request.content_length or 0) > MAX_NOTICE_BYTES:
        raise BadBody(413, "too large")
    body = await read_bytes(request)
    if len(body) > MAX_NOTICE_BYTES:
        raise BadBody(413, "too large")
    return body


def _is_internal(ip: str) -> bool:
    """Whether it is this machine or its private network."""
    try:
        found = ip_address(ip)
    except ValueError:
        return False
    return found.is_loopback or found.is_private


def _refuse(status: int, reason: str) -> web.Response:
    BAD_REQUESTS.labels(door="pay", reason=reason).inc()
    return web.json_response({"ok": False, "error": reason}, status=status)

"""How the bot gets updates: getUpdates or a webhook, never both."""

import re
from typing import Final

from photomat_sandbox.telegram.call import Call
from photomat_sandbox.telegram.errors import JsonObject, bad_request, conflict, too_many_requests
from photomat_sandbox.telegram.updates import WebhookSettings
from photomat_sandbox.telegram.urls import LOOPBACK, split_url

MAX_BATCH: Final = 100
MAX_TIMEOUT_S: Final = 50
WEBHOOK_PORTS: Final = {80, 88, 443, 8443}
SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")
DEFAULT_CONNECTIONS: Final = 40


async def get_updates(call: Call) -> list[JsonObject]:
    """Return what is pending, or wait for it."""
    if call.world.webhook.url:
        raise conflict(
            "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
        )
    _remember_allowed(call)
    limit = call.params.number("limit", MAX_BATCH)
    updates = await call.world.updates.poll(
        offset=call.params.number("offset"),
        limit=min(max(limit, 1), MAX_BATCH),
        timeout_s=min(max(call.params.number("timeout"), 0), MAX_TIMEOUT_S),
    )
    return [update.as_json() for update in updates]


async def set_webhook(call: Call) -> bool:
    """Have updates posted to a URL; an empty one means deleteWebhook."""
    world, url = call.world, call.params.text("url").strip()
    if not url:
        return await delete_webhook(call)
    _check_url(url, anything=world.any_webhook_address)
    secret = call.params.text("secret_token")
    if secret and not SECRET.fullmatch(secret):
        raise bad_request("secret token contains unallowed characters")
    if world.webhook.url and world.clock() - world.webhook.set_at < 1:
        raise too_many_requests(1)
    _remember_allowed(call)
    connections = call.params.number("max_connections", DEFAULT_CONNECTIONS)
    world.webhook = WebhookSettings(
        url=url,
        secret_token=secret,
        max_connections=min(max(connections, 1), world.limits.webhook_connections),
        set_at=world.clock(),
    )
    if call.params.flag("drop_pending_updates"):
        world.updates.pending.clear()
    world.updates.end_polls(conflict("terminated by setWebhook request"))
    world.note("setWebhook", f"webhook set to {url}")
    return True


async def delete_webhook(call: Call) -> bool:
    if call.world.webhook.url:
        call.world.note("deleteWebhook", "webhook deleted")
    call.world.webhook = WebhookSettings()
    if call.params.flag("drop_pending_updates"):
        call.world.updates.pending.clear()
    return True


async def get_webhook_info(call: Call) -> JsonObject:
    webhook, updates = call.world.webhook, call.world.updates
    info: JsonObject = {
        "url": webhook.url,
        "has_custom_certificate": False,
        "pending_update_count": len(updates.alive()),
    }
    if webhook.url:
        info |= {"max_connections": webhook.max_connections, "ip_address": "127.0.0.1"}
    if updates.allowed:
        info["allowed_updates"] = updates.allowed
    if webhook.last_error:
        info |= {"last_error_date": webhook.last_error_at, "last_error_message": webhook.last_error}
    return info


def _remember_allowed(call: Call) -> None:
    allowed = call.params.items("allowed_updates", "allowed updates")
    if allowed is not None:
        call.world.updates.allowed = [str(kind) for kind in allowed]


def _check_url(url: str, *, anything: bool) -> None:
    """Real Telegram requires https and one of four ports; loopback is the sandbox's exception."""
    parts = split_url(url)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise bad_request("invalid webhook URL specified")
    if anything or parts.hostname in LOOPBACK:
        return
    if parts.scheme != "https":
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if parts.port is not None and parts.port not in WEBHOOK_PORTS:
        raise bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")

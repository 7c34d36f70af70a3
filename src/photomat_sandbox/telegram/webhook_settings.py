"""The one webhook of the bot as setWebhook left it, and what went wrong with it last."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class WebhookSettings:
    """An empty url means that there is no webhook."""

    url: str = ""
    secret_token: str = ""
    max_connections: int = 40
    last_error_at: int = 0
    last_error: str = ""
    set_at: float = 0.0

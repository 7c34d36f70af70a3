"""Telegram updates, stored once before anyone acts on them and handed out one at a time per lane."""

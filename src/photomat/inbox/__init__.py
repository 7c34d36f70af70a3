"""Telegram updates: stored once before they are handled, and handed out one at a time per lane."""

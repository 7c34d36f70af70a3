"""One outbox for every message the bot sends outside the conversation; most of them are notices."""

"""One outbox for every message the bot sends unasked, and the notices that most of them are."""

"""One outbox for everything the bot says by itself, and the notices that most of it is."""

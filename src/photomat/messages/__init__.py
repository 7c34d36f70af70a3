"""What the bot says by itself: rows sent at most once."""

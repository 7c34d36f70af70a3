"""What a user can say to the bot, one file a subject; each gives its `router()`."""

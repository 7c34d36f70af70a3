"""A Telegram of one bot and its private chats: the Bot API over HTTP, and the people on the other side of it."""

"""Who talks to the bot: a row by their first update, their language, and whether they have blocked us."""

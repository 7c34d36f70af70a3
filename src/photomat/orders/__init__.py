"""Everything that turns a wish into a paid job, without knowing Telegram."""

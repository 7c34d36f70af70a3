"""The one way to buy: everything that turns a wish into a paid job, without knowing Telegram."""

"""The one way to buy: everything that turns an order into a paid job, without knowing Telegram."""

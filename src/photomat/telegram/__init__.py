"""Telegram as the product sees it: a port for cards, its errors in our families, and the pace of every call."""

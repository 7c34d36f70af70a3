"""Broadcasts: one text to many users, each at most once, through the outbox."""

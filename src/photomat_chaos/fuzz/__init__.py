"""Hostile callbacks, webhooks and answers."""

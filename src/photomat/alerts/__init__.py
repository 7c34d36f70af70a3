"""Alerts for operators: incidents, opened and ended by rules, each announced once to everyone in ADMIN_IDS."""

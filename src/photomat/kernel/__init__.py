"""Foundations that know nothing of the business: errors, ids, money, clock, logs, failpoints, HTTP."""

"""What everything stands on and what knows nothing of the business: errors, ids, money, clock, logs, failpoints."""

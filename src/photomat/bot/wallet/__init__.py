"""The balance and the statement."""

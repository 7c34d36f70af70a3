"""The conversation: what a customer sees and says. Every update gets an answer, and every handler is idempotent."""

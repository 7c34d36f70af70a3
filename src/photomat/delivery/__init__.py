"""A result shown exactly once: the delivery lock, what a card shows, how it gets there, and the ring."""

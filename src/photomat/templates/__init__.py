"""Ideas a customer completes by filling in a few slots, and the examples that show them."""

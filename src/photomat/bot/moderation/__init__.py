"""A refused order: why, what to change, and the appeal, for the customer and for operators."""

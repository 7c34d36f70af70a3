"""Support: the customer's tickets, and the operators' answers."""

"""How work is found and done: budgets shared by all instances, wake-ups, and loops that claim what is due."""

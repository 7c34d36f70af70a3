"""The buttons of a job's card, and the history of orders."""

"""The process dies between any two steps, and the customer notices nothing but a pause."""

"""PostgreSQL: a server of our own where none is given, connections, wake-ups, and a schema that is always complete."""

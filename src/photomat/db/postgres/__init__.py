"""The parts of the embedded PostgreSQL: programs, user, data folder, server process, start failures."""

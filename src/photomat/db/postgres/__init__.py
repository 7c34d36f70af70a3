"""The parts of the embedded PostgreSQL: binaries, lock, user, data folder, socket, server process."""

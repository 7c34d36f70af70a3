"""The ground every experiment stands on: real processes, databases, simulators, and the checker of what happened."""

"""The production check on the real configuration, and the smoke test with simulators and a temporary database."""

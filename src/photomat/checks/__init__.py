"""The operator's proofs: the production check on the real configuration, the smoke test in a shop of its own."""

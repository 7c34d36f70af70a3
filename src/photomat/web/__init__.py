"""HTTP endpoints: verify, store, answer; the work happens in loops."""

"""Every failpoint, every blow, every way a job can go: one cell at a time."""

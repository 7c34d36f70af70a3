"""Every failpoint, every action, every way a job can go: one cell at a time."""

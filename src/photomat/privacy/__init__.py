"""What is held about a user: exported when they ask, erased when they want to be forgotten."""

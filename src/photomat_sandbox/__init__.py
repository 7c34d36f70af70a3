"""The outside worlds of Photomat, simulated from their vendors' documents and never from our own code."""

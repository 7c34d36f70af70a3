"""Ideas: their lists, the questions of their slots, and the example message that is turned in place."""

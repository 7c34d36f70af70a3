"""One instance of the program: settings, wiring, the table of loops, from start to stop."""

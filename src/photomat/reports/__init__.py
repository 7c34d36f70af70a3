"""Read models for operators: what the console and /admin show. Reads every table, writes nothing."""

"""Which instance is ACTIVE, and who else is alive. A convenience, never the safety: every duty bears two ACTIVEs."""

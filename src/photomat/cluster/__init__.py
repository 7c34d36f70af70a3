"""Which instance is ACTIVE, and which are alive. Never needed for safety: every duty is safe with two ACTIVEs."""

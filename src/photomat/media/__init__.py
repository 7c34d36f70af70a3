"""Media formats read by their bytes: kind, length, dimensions, truncation."""

"""Everything at once, for minutes or an hour."""

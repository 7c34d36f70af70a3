"""Orders that begin with plain words or a file instead of a form."""

"""The shape of the code, of the pages and of the deploy files."""

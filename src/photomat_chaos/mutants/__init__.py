"""Mistakes that could be made, and whether the tests notice."""

"""Mistakes somebody could make, and whether the tests notice."""

"""Tests with one real PostgreSQL, and with real processes."""

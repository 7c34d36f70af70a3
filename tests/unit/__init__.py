"""Tests that touch nothing outside the process."""

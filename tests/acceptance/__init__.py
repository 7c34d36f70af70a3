"""Customers' stories over loopback."""

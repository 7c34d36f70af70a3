"""Callers from outside: check, store, answer. Work happens at our own pace, elsewhere."""

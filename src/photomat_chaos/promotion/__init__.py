"""The primary dies under load and its replica is promoted."""

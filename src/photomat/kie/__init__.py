"""Kie.ai as we see it: a port, the client behind it, and the parsers of its answers."""

"""The methods of the Bot API, grouped by what they are for; `registry.py` lists them all."""

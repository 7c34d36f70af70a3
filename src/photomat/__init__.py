"""Photomat: put a coin in, get exactly one picture out."""

from typing import Final

__version__: Final = "0.5.0"

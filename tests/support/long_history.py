"""A database with a long history, for tests: the lab's generator, small."""

from photomat_chaos.lab.long_history import LIVE, fill

__all__ = ["LIVE", "fill"]

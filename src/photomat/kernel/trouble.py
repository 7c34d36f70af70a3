"""An unexpected exception for the log: its type and the line it came from, never its message.

Messages of foreign libraries quote values: a prompt, a file's address, what a person wrote. None of them belongs in a log.
"""

import traceback


def describe(trouble: BaseException) -> str:
    """Name the trouble and the last of our own lines it passed."""
    frames = traceback.extract_tb(trouble.__traceback__)
    ours = [frame for frame in frames if "/photomat/" in frame.filename] or list(frames)
    where = f" at {ours[-1].filename.rpartition('/photomat/')[2]}:{ours[-1].lineno}" if ours else ""
    return f"{type(trouble).__name__}{where}"

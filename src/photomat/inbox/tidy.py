"""What may be deleted of the inbox: updates that were handled, and lanes in which nothing waits. Parked updates stay."""

from typing import Final

from photomat.work.retention import OldRows

HANDLED: Final = OldRows(table="inbox", age="handled_at")
QUIET_LANES: Final = OldRows(table="lanes", age="due_at", only="pending = 0 AND leased_until IS NULL")
"""The next update makes a new one."""

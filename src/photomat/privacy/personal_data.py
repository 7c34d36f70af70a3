"""What must be known of every table to export and to forget a user: the types of the registry in `app/personal_data.py`.

A table is exported, or the registry says why not; a table that holds something about a user is erased by a verb of the
slice that owns it, or the registry says why it is kept. A test compares the registry with the schema: no table is missed.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import UserId

EraseBatch: TypeAlias = Callable[[Transaction, UserId, int], Awaitable[int]]
"""Erase so many rows of a user at most; return how many. Repeated until it erases fewer, and safe to repeat for ever."""
Stands: TypeAlias = Callable[[Transaction, UserId], Awaitable[bool]]
DeleteFiles: TypeAlias = Callable[[Pool, UserId], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalTable:
    """One table. `of_user` is the condition (SQL) of a user's rows, $1 their number; empty if nothing is exported.

    `without` are columns that are left out of the export, `changed` those that would name another user, with what stands there
    instead (SQL). `erased_by` is the name of an erasure. Where a table is not exported,
    or nothing of it is erased, `not_exported` and `kept` say why.
    """

    of_user: str = ""
    without: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    not_exported: str = ""
    erased_by: str = ""
    kept: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    name: str
    erase: EraseBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """Something that must end before a user can be forgotten; `text_key` says what, and what to do."""

    text_key: str
    stands: Stands


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalData:
    """`erasures` are done in this order; the user's names go after the last one."""

    tables: Mapping[str, PersonalTable]
    erasures: Sequence[Erasure]
    blockers: Sequence[Blocker]
    files: Sequence[DeleteFiles]

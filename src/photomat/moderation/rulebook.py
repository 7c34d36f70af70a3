"""The rules in force: the shipped ones, the operator's file (`CONTENT_RULES`), and rows operators write while the bot runs.

    rows of `content_rules`  >  the file  >  the shipped rules

A row without words switches a rule on or off and sets its action; one with words is a rule of its own. Rows and the file are
looked at again once a second, so a change holds everywhere within two seconds. A file that became wrong is logged, and the
rules read before stay; at the start it is refused.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row
from photomat.kernel.clock import monotonic
from photomat.kernel.logs import get_logger
from photomat.moderation.rules import (
    BadRules,
    Rule,
    RuleAction,
    RuleSet,
    make_rule,
    read_rules,
    shipped_rule_set,
    shipped_rules,
)

EVERY_S: Final = 1.0
MAX_OWN_RULES: Final = 200
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRule:
    """A row: a rule of the operators, or how a shipped or filed one is switched."""

    rule_id: str
    is_own: bool
    is_on: bool
    action: RuleAction
    reason: Mapping[str, str]
    words: tuple[str, ...]
    unless: tuple[str, ...]
    changed_at: datetime
    changed_by: str


class RuleBook:
    """The compiled rules of this process, made again when the rows or the file have changed."""

    def __init__(self, *, pool: Pool, file: Path | None = None) -> None:
        self._pool = pool
        self._file = file
        self._filed: tuple[Rule, ...] = ()
        self._filed_at: float | None = None
        self._stored: tuple[StoredRule, ...] | None = None
        self._rules = shipped_rule_set()
        self._looked_at = -EVERY_S
        self._looking = asyncio.Lock()

    def read_file(self) -> None:
        """Read the operator's file; `BadRules` if it cannot be used."""
        if self._file is not None:
            self._filed = filed_rules(self._file)
            self._filed_at = _changed_at(self._file)
            self._stored = None

    async def current(self) -> RuleSet:
        if self._is_old:
            async with self._looking:  # compiling takes long: one looks, the others wait for what it finds
                if self._is_old:
                    await self.refresh()
        return self._rules

    @property
    def _is_old(self) -> bool:
        return monotonic() - self._looked_at >= EVERY_S

    async def refresh(self) -> None:
        """Look at the rows and the file now."""
        if self._file is not None and _changed_at(self._file) != self._filed_at:
            self._read_changed_file(self._file)
        stored = tuple(await stored_rules(self._pool))
        if stored != self._stored:
            is_as_shipped = not self._filed and not stored
            self._rules = shipped_rule_set() if is_as_shipped else RuleSet(rules_in_force(self._filed, stored))
            self._stored = stored
        self._looked_at = monotonic()

    def _read_changed_file(self, file: Path) -> None:
        self._filed_at = _changed_at(file)
        try:
            self.read_file()
        except BadRules as error:
            log.warning("CONTENT_RULES_UNUSED", file=file.name, reason=str(error))


def _changed_at(file: Path) -> float | None:
    try:
        return file.stat().st_mtime
    except OSError:
        return None


def filed_rules(file: Path) -> tuple[Rule, ...]:
    try:
        return read_rules(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRules(f"{file.name} cannot be read: {type(error).__name__}") from None
    except BadRules as error:
        raise BadRules(f"{file.name}: {error}") from None


def rules_in_force(filed: Iterable[Rule], stored: Iterable[StoredRule]) -> list[Rule]:
    """All rules by precedence; a row that cannot be used is left out and logged."""
    rules = {rule.id: rule for rule in (*shipped_rules(), *filed)}
    for row in stored:
        known = rules.get(row.rule_id)
        if not row.is_own:
            if known is not None:
                rules[row.rule_id] = replace(known, is_on=row.is_on, action=row.action)
            continue
        try:
            rules[row.rule_id] = own_rule(row)
        except BadRules as error:
            log.warning("CONTENT_RULES_UNUSED", file=row.rule_id, reason=str(error))
    return list(rules.values())


def own_rule(row: StoredRule) -> Rule:
    return make_rule(
        rule_id=row.rule_id,
        action=row.action,
        is_on=row.is_on,
        words=row.words,
        unless=row.unless,
        reason=row.reason,
    )


async def stored_rules(pool: Pool) -> list[StoredRule]:
    rows = await pool.fetch(
        """
        SELECT rule_id, is_own, is_on, action, reason_ru, reason_en, words, unless, changed_at, changed_by
          FROM content_rules ORDER BY rule_id LIMIT $1
        """,
        2 * MAX_OWN_RULES,
    )
    return [_stored(row) for row in rows]


async def count_own_rules(tx: Transaction) -> int:
    return int(await tx.fetchval("SELECT count(*) FROM content_rules WHERE is_own"))


async def save_rule(
    tx: Transaction,
    *,
    rule_id: str,
    action: RuleAction,
    reason: Mapping[str, str],
    words: Sequence[str],
    unless: Sequence[str],
    by: str,
) -> None:
    """Add a rule of the operators, or change it."""
    await tx.execute(
        """
        INSERT INTO content_rules (rule_id, is_own, is_on, action, reason_ru, reason_en, words, unless, changed_by)
        VALUES ($1, true, true, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (rule_id) DO UPDATE
           SET is_own = true, is_on = true, action = excluded.action, reason_ru = excluded.reason_ru,
               reason_en = excluded.reason_en, words = excluded.words, unless = excluded.unless,
               changed_at = photomat_now(), changed_by = excluded.changed_by
        """,
        rule_id,
        action,
        reason.get("ru"),
        reason.get("en"),
        list(words),
        list(unless),
        by,
    )


async def switch_rule(tx: Transaction, *, rule_id: str, is_on: bool, action: RuleAction, by: str) -> None:
    """Switch a rule on or off and set its action; its words stay."""
    await tx.execute(
        """
        INSERT INTO content_rules (rule_id, is_own, is_on, action, changed_by) VALUES ($1, false, $2, $3, $4)
            ON CONFLICT (rule_id) DO UPDATE
           SET is_on = excluded.is_on, action = excluded.action, changed_at = photomat_now(), changed_by = excluded.changed_by
        """,
        rule_id,
        is_on,
        action,
        by,
    )


async def delete_rule(tx: Transaction, rule_id: str) -> bool:
    """Delete what operators wrote under this id; a shipped or filed rule is then as it was."""
    return bool(await tx.fetchval("DELETE FROM content_rules WHERE rule_id = $1 RETURNING true", rule_id))


def _stored(row: Row) -> StoredRule:
    reason = {"ru": row["reason_ru"], "en": row["reason_en"]}
    return StoredRule(
        rule_id=row["rule_id"],
        is_own=row["is_own"],
        is_on=row["is_on"],
        action=RuleAction(row["action"]),
        reason={language: words for language, words in reason.items() if words},
        words=tuple(row["words"]),
        unless=tuple(row["unless"]),
        changed_at=row["changed_at"],
        changed_by=row["changed_by"],
    )

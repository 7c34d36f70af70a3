"""What an operator may do to settings that change without a restart: give one a value, or take that value back. All journaled.

The values are rows; every running instance reads them once a second (`app/live_settings.py`). A setting that the environment
gives is refused here: the environment wins. Changes are serialized by a table lock, so that each is judged beside the values it
will really stand beside. A markup below 1, and a price factor that jumps more than three times up or down, need a confirmation.

What a setting accepts is known to `app` alone, which passes it in as `SettingRules`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from photomat.db.pool import Pool, Transaction
from photomat.operators.actions import ActionResult, journaled
from photomat.texts.sentence import Sentence

SettingKind: TypeAlias = Literal["whole", "minor", "number", "switch", "text", "lines"]
"""`minor` is money in minor units."""
SettingSource: TypeAlias = Literal["environment", "page", "default"]
MARKUP: Final = "MARKUP"
GUARDED: Final = frozenset({MARKUP, "USD_RATE", "STAR_USD"})
"""Factors of every price: a slip of the finger would be expensive."""
MAX_JUMP: Final = 3
MAX_LENGTH: Final = 4000
MAX_NAME: Final = 64
NOTHING: Final = "—"
VALUES_BY_NAME: Final = "SELECT coalesce(jsonb_object_agg(name, value), '{}') FROM setting_values"
"""The same as `read_values`, as one value; asked once a second by every instance."""


class SettingRefused(ValueError):
    """A value that a setting does not take, with the reason."""

    def __init__(self, says: Sentence) -> None:
        super().__init__(says.key)
        self.says = says


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingSpec:
    """A setting that may change without a restart; `start` is what it is without an operator's value."""

    name: str
    group: str
    kind: SettingKind
    start: str
    default: str
    from_environment: bool = False

    @property
    def is_guarded(self) -> bool:
        return self.name in GUARDED


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSetting:
    """A setting that is read at the start only; `value` is None where it may not be shown."""

    name: str
    value: str | None
    is_set: bool
    from_environment: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedValues:
    """What holds with the operators' values: every live setting, and why a stored value is not used."""

    values: Mapping[str, str]
    unused: Mapping[str, Sentence]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRules:
    """`accept` returns the value as it is kept, beside the operators' other values, or raises `SettingRefused`."""

    specs: Mapping[str, SettingSpec]
    accept: Callable[[str, str, Mapping[str, str]], str]
    resolve: Callable[[Mapping[str, str]], ResolvedValues]
    at_start: Sequence[StartSetting]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredValue:
    name: str
    value: str
    changed_at: datetime
    operator: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSetting:
    """A live setting as operators see it; `unused` says why a stored value is not in use."""

    spec: SettingSpec
    value: str
    source: SettingSource
    stored: StoredValue | None
    unused: Sentence | None


async def read_values(pool: Pool) -> dict[str, str]:
    """The operators' values by the name of their setting."""
    return {row["name"]: row["value"] for row in await pool.fetch("SELECT name, value FROM setting_values")}


async def shown_settings(pool: Pool, rules: SettingRules) -> list[ShownSetting]:
    """Every live setting with the value that holds now, where it is from and who gave it."""
    rows = await pool.fetch("SELECT name, value, changed_at, operator FROM setting_values ORDER BY name")
    stored = {row["name"]: StoredValue(**dict(row)) for row in rows}
    resolved = rules.resolve({name: each.value for name, each in stored.items()})
    return [_shown_setting(spec, resolved, stored.get(spec.name)) for spec in rules.specs.values()]


def _shown_setting(spec: SettingSpec, resolved: ResolvedValues, stored: StoredValue | None) -> ShownSetting:
    unused = resolved.unused.get(spec.name)
    by_operator = stored is not None and unused is None
    return ShownSetting(
        spec=spec,
        value=resolved.values[spec.name],
        source="environment" if spec.from_environment else "page" if by_operator else "default",
        stored=stored,
        unused=unused,
    )


async def change_setting(
    pool: Pool,
    rules: SettingRules,
    name: str,
    value: str,
    *,
    operator: str,
    reason: str,
    confirmed: bool = False,
) -> ActionResult:
    """Give a setting a value; it applies in every instance within two seconds."""

    async def act(tx: Transaction) -> ActionResult:
        _changeable(rules, name)
        values = await _locked_values(tx)
        new = rules.accept(name, value, {key: kept for key, kept in values.items() if key != name})
        before = rules.resolve(values).values[name]
        if new == before:
            return _refused(Sentence("setting-unchanged", name=name, value=_shown(new)))
        _guard(name, before, new, confirmed=confirmed)
        await _keep(tx, name, new, operator=operator)
        return _done(Sentence("setting-changed", name=name, before=_shown(before), after=_shown(new)))

    return await _journaled(pool, act, action="setting", name=name, operator=operator, reason=reason)


async def reset_setting(
    pool: Pool, rules: SettingRules, name: str, *, operator: str, reason: str, confirmed: bool = False
) -> ActionResult:
    """Forget an operator's value: the default holds again."""

    async def act(tx: Transaction) -> ActionResult:
        spec = _changeable(rules, name)
        values = await _locked_values(tx)
        if name not in values:
            return _refused(Sentence("setting-is-default", name=name, value=_shown(spec.start)))
        before = rules.resolve(values).values[name]
        del values[name]
        rules.accept(name, spec.start, values)
        _guard(name, before, spec.start, confirmed=confirmed)
        await tx.execute("DELETE FROM setting_values WHERE name = $1", name)
        return _done(Sentence("setting-reset", name=name, before=_shown(before), after=_shown(spec.start)))

    return await _journaled(pool, act, action="reset setting", name=name, operator=operator, reason=reason)


def _changeable(rules: SettingRules, name: str) -> SettingSpec:
    spec = rules.specs.get(name)
    if spec is None:
        raise SettingRefused(Sentence("setting-not-live", name=name[:MAX_NAME]))
    if spec.from_environment:
        raise SettingRefused(Sentence("setting-from-environment", name=name, value=_shown(spec.start)))
    return spec


def _guard(name: str, before: str, after: str, *, confirmed: bool) -> None:
    """Object to a change that is probably a mistake, unless it is confirmed."""
    if name not in GUARDED or confirmed:
        return
    old, new = Decimal(before), Decimal(after)
    if name == MARKUP and new < 1:
        raise SettingRefused(Sentence("setting-below-cost", value=after))
    if not old / MAX_JUMP <= new <= old * MAX_JUMP:
        raise SettingRefused(Sentence("setting-jump", name=name, before=before, after=after, most=MAX_JUMP))


async def _locked_values(tx: Transaction) -> dict[str, str]:
    await tx.execute("LOCK TABLE setting_values IN SHARE ROW EXCLUSIVE MODE")
    return {row["name"]: row["value"] for row in await tx.fetch("SELECT name, value FROM setting_values")}


async def _keep(tx: Transaction, name: str, value: str, *, operator: str) -> None:
    await tx.execute(
        """
        INSERT INTO setting_values (name, value, operator) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET value = $2, operator = $3, changed_at = photomat_now()
        """,
        name,
        value,
        operator,
    )


async def _journaled(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[ActionResult]],
    *,
    action: str,
    name: str,
    operator: str,
    reason: str,
) -> ActionResult:
    async def act_or_refuse(tx: Transaction) -> ActionResult:
        try:
            return await act(tx)
        except SettingRefused as refused:
            return ActionResult(done=False, says=refused.says)

    return await journaled(
        pool, act_or_refuse, action=action, operator=operator, reason=reason, reference=name[:MAX_NAME]
    )


def _done(says: Sentence) -> ActionResult:
    return ActionResult(done=True, says=says)


def _refused(says: Sentence) -> ActionResult:
    return ActionResult(done=False, says=says)


def _shown(value: str) -> str:
    return value or NOTHING

"""What an operator may do to models and prices: hide, feature, rename or sell a model, set or clear its price. All journaled.

Settings are read with each use, so a change applies to all running instances from its commit on. A price below cost, or more
than three times above or below the current one, is refused with the numbers unless it is confirmed; it is tried with the
default inputs and with every row of the model's price. Price changes are serialized by a table lock, so each is compared
with the price it really changes.

`run_canary` runs one model at Kie, for credits, and compares price and result with the catalogue. Its task is created once: a
request whose answer was lost is not repeated.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias

from photomat.catalog.model import Model
from photomat.catalog.order import body_of
from photomat.catalog.overrides import add_rule, clear_rules, keep_setting, lock_prices, lock_setting, rules_of
from photomat.catalog.pricing import NO_RULES, Override, PriceRules, Rates, quote, samples
from photomat.catalog.storefront import ModelSetting, can_be_turned_on
from photomat.db.pool import Pool, Transaction
from photomat.kernel.errors import Transient
from photomat.kernel.ids import TaskId
from photomat.kernel.money import Money
from photomat.kie.port import Provider
from photomat.kie.state_parser import KieState, Reading
from photomat.operators.actions import ActionResult, journaled
from photomat.texts.sentence import Sentence

ModelSwitch: TypeAlias = Literal["hide", "unhide", "feature", "unfeature", "sell", "unsell"]
MAX_TITLE_LENGTH: Final = 60
SWITCHES: Final[Mapping[ModelSwitch, Callable[[ModelSetting], ModelSetting]]] = {
    "hide": lambda setting: replace(setting, hidden=True),
    "unhide": lambda setting: replace(setting, hidden=False),
    "feature": lambda setting: replace(setting, featured=True),
    "unfeature": lambda setting: replace(setting, featured=False),
    "sell": lambda setting: replace(setting, sold=True),
    "unsell": lambda setting: replace(setting, sold=False),
}
DONE: Final[Mapping[ModelSwitch, Sentence]] = {
    "hide": Sentence("model-hidden"),
    "unhide": Sentence("model-shown"),
    "feature": Sentence("model-featured"),
    "unfeature": Sentence("model-unfeatured"),
    "sell": Sentence("model-sold"),
    "unsell": Sentence("model-unsold"),
}
MAX_JUMP: Final = 3
LOOK_EVERY_S: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTitle:
    """New titles; None keeps the one of that language, `back` restores both of the model's file."""

    ru: str | None = None
    en: str | None = None
    back: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceChange:
    """A requested change. `override` None clears every rule of the model; `from_at` None is now."""

    model: Model
    override: Override | None
    operator: str
    reason: str
    from_at: datetime | None = None
    confirmed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Objections:
    loss: Sentence | None = None
    jump: Sentence | None = None

    @property
    def any(self) -> bool:
        return self.loss is not None or self.jump is not None

    @property
    def says(self) -> Sentence:
        if self.loss is not None and self.jump is not None:
            return Sentence("price-objections", loss=self.loss, jump=self.jump)
        return self.loss or self.jump or Sentence("price-no-objection")


async def switch_model(pool: Pool, model: Model, turn: ModelSwitch, *, operator: str, reason: str) -> ActionResult:
    """Hide, feature or sell a model, or undo it; refused if nothing would change."""

    async def act(tx: Transaction) -> ActionResult:
        before = await lock_setting(tx, model.id)
        after = SWITCHES[turn](before)
        objection = _objection(model, turn)
        if objection is not None:
            return ActionResult(done=False, says=objection)
        if after == before:
            return ActionResult(done=False, says=Sentence("action-so-already"))
        await keep_setting(tx, model.id, after)
        return ActionResult(done=True, says=DONE[turn])

    return await _journaled(pool, act, turn, model, operator=operator, reason=reason)


async def rename_model(pool: Pool, model: Model, new: NewTitle, *, operator: str, reason: str) -> ActionResult:
    """Rename a model in one language or both; jobs keep the name they were bought under."""

    async def act(tx: Transaction) -> ActionResult:
        given = [title for title in (new.ru, new.en) if title is not None]
        if not new.back and not given:
            return ActionResult(done=False, says=Sentence("model-no-title"))
        if any(not 0 < len(title.strip()) <= MAX_TITLE_LENGTH or "\n" in title for title in given):
            return ActionResult(done=False, says=Sentence("model-bad-title", most=MAX_TITLE_LENGTH))
        before = await lock_setting(tx, model.id)
        after = (
            replace(before, title_ru=None, title_en=None)
            if new.back
            else replace(
                before,
                title_ru=new.ru.strip() if new.ru is not None else before.title_ru,
                title_en=new.en.strip() if new.en is not None else before.title_en,
            )
        )
        await keep_setting(tx, model.id, after)
        ru, en = after.title_ru or model.title_in("ru"), after.title_en or model.title_in("en")
        return ActionResult(done=True, says=Sentence("model-renamed", ru=ru, en=en))

    return await _journaled(pool, act, "rename", model, operator=operator, reason=reason)


def _objection(model: Model, turn: ModelSwitch) -> Sentence | None:
    if turn != "sell":
        return None
    if model.off is None:
        return Sentence("model-sold-already")
    return None if can_be_turned_on(model) else Sentence("model-cannot-be-sold", why=str(model.off))


async def _journaled(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[ActionResult]],
    action: str,
    model: Model,
    *,
    operator: str,
    reason: str,
) -> ActionResult:
    return await journaled(
        pool, act, action=f"{action} model", operator=operator, reason=reason, reference=f"model:{model.id}"
    )


async def change_price(pool: Pool, change: PriceChange, *, rates: Rates) -> ActionResult:

    async def act(tx: Transaction) -> ActionResult:
        return await _change(tx, change, rates)

    reference = f"model:{change.model.id}"
    return await journaled(
        pool, act, action="price", operator=change.operator, reason=change.reason, reference=reference
    )


async def _change(tx: Transaction, change: PriceChange, rates: Rates) -> ActionResult:
    await lock_prices(tx)
    before = await rules_of(tx, change.model.id, currency=rates.currency)
    objections = guard(change.model, rates, before, change.override)
    if objections.any and not change.confirmed:
        return ActionResult(done=False, says=Sentence("price-refused", why=objections.says))
    if change.override is None:
        if not await clear_rules(tx, change.model.id):
            return ActionResult(done=False, says=Sentence("price-nothing-to-clear"))
        after = NO_RULES
    else:
        override = replace(change.override, confirmed=objections.loss is not None)
        after = _after(before, override)
        await add_rule(
            tx,
            change.model.id,
            override,
            currency=rates.currency,
            from_at=change.from_at,
            operator=change.operator,
            reason=change.reason,
        )
    return ActionResult(done=True, says=_outcome(change, rates, before, after, objections))


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePreview:
    """What an order of these inputs costs now, what it would cost, and what Kie takes for it."""

    inputs: Mapping[str, str]
    old: Money
    new: Money
    cost: Money


def preview(model: Model, rates: Rates, before: PriceRules, override: Override | None) -> list[PricePreview]:
    """A change for every inputs it is tried with, as if it were confirmed."""
    after = NO_RULES if override is None else _after(before, replace(override, confirmed=True))
    return [
        PricePreview(inputs=inputs, old=quote(model, inputs, rates, before).price, new=new.price, cost=new.cost)
        for inputs in samples(model)
        if (new := quote(model, inputs, rates, after))
    ]


def guard(model: Model, rates: Rates, before: PriceRules, override: Override | None) -> Objections:
    """The objections to a change, each for the first inputs it applies to."""
    after = NO_RULES if override is None else _after(before, replace(override, confirmed=True))
    loss = jump = None
    for inputs in samples(model):
        old, new = quote(model, inputs, rates, before).price, quote(model, inputs, rates, after)
        if new.price < new.cost and override is not None:
            loss = loss or Sentence("price-below-cost", price=new.price, cost=new.cost, **_for(inputs))
        if _is_jump(old, new.price):
            jump = jump or Sentence("price-jump", old=old, new=new.price, times=MAX_JUMP, **_for(inputs))
    return Objections(loss=loss, jump=jump)


def _after(before: PriceRules, override: Override) -> PriceRules:
    return replace(before, discount=override) if override.kind == "discount" else replace(before, rule=override)


def _is_jump(old: Money, new: Money) -> bool:
    """More than three times, up or down; from or to nothing is always one."""
    low, high = sorted((old.minor, new.minor))
    return high > MAX_JUMP * low


def _for(inputs: Mapping[str, str]) -> dict[str, str]:
    """The inputs a price is of, where it is not the price of all."""
    words = ", ".join(f"{name} {value}" for name, value in inputs.items())
    return {"some": "yes" if inputs else "no", "inputs": words}


def _outcome(
    change: PriceChange, rates: Rates, before: PriceRules, after: PriceRules, objections: Objections
) -> Sentence:
    inputs = change.model.defaults
    old, new = (quote(change.model, inputs, rates, standing).price for standing in (before, after))
    override = change.override
    since = "" if override is None or change.from_at is None else f"{change.from_at:%Y-%m-%d %H:%M} UTC"
    until = "" if override is None or override.until is None else f"{override.until:%Y-%m-%d %H:%M} UTC"
    return Sentence(
        "price-changed",
        old=old,
        new=new,
        later="yes" if since else "no",
        since=since,
        ends="yes" if until else "no",
        until=until,
        confirmed="yes" if objections.any else "no",
        why=objections.says,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryRun:
    """What we counted, and what Kie's record says; no reading when the task did not end in time."""

    model: Model
    task_id: TaskId
    counted: Decimal | None
    reading: Reading | None

    @property
    def complaints(self) -> tuple[str, ...]:
        """What differs from the catalogue."""
        if self.reading is None:
            return ("the task did not end in time",)
        if self.reading.state is KieState.FAIL:
            return (f"Kie failed: {self.reading.error or self.reading.fail_code or 'no reason given'}",)
        found = []
        taken = self.reading.credits
        if taken is not None and taken != self.counted:
            counted = "nothing is known" if self.counted is None else f"{self.counted:f} were counted"
            found.append(f"Kie took {taken:f} credits where {counted}")
        if self.model.output == "json" and self.reading.result_object is None:
            found.append("there is no object to read")
        if self.model.output != "json" and not self.reading.urls:
            found.append("there is no file")
        return tuple(found)


async def run_canary(
    provider: Provider,
    model: Model,
    inputs: Mapping[str, Any],
    *,
    callback_url: str | None,
    patience: timedelta,
    measured: Mapping[str, Decimal] | None = None,
    look_every_s: float = LOOK_EVERY_S,
) -> CanaryRun:
    """Create one task and wait for its end. Raises what the provider's create raises."""
    counted = model.credits_for(inputs, measured) if model.prices else None
    task_id = await provider.create_task(
        model=model.id, inputs=body_of(model, inputs), callback_url=callback_url, protocol=model.protocol
    )
    reading = await _end(provider, model, task_id, patience=patience, look_every_s=look_every_s)
    return CanaryRun(model=model, task_id=task_id, counted=counted, reading=reading)


async def _end(
    provider: Provider, model: Model, task_id: TaskId, *, patience: timedelta, look_every_s: float
) -> Reading | None:
    try:
        async with asyncio.timeout(patience.total_seconds()):
            while True:
                await asyncio.sleep(look_every_s)
                reading = await _look(provider, model, task_id)
                if reading is not None and reading.state is not KieState.RUNNING:
                    return reading
    except TimeoutError:
        return None


async def _look(provider: Provider, model: Model, task_id: TaskId) -> Reading | None:
    try:
        return await provider.record(task_id, protocol=model.protocol)
    except Transient:
        return None

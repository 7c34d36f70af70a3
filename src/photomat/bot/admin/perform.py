"""Which function of `operators` does what was begun in the chat; it decides, acts and keeps the journal."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final, TypeAlias

from photomat.bot.admin.buttons import Verb
from photomat.db.pool import Pool
from photomat.kernel.ids import JobId, UserId
from photomat.operators import actions, controls, money, users
from photomat.operators.actions import ActionResult

BEGUN: Final = "begun"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """An action that was begun; `minor` 0 is all that is left, None is not answered yet.

    `target` is the number of a job or a user, `name` what else it is about.
    """

    token: int
    verb: Verb
    target: int
    name: str = ""
    minor: int | None = None
    text: str | None = None
    reason: str | None = None
    days: int | None = None
    """How long a ban lasts; None is for good."""

    @property
    def reference(self) -> str:
        return f"telegram:{self.token}"

    def as_data(self) -> dict[str, Any]:
        return {BEGUN: asdict(self)}


Perform: TypeAlias = Callable[[Pool, Begun, Mapping[str, str]], Awaitable[ActionResult]]
"""The mapping holds the operator and the reason."""


async def perform(pool: Pool, begun: Begun, *, operator: str, reason: str) -> ActionResult:
    return await ACTS[begun.verb](pool, begun, {"operator": operator, "reason": reason})


def _on_job(act: Callable[..., Awaitable[ActionResult]]) -> Perform:
    return lambda pool, begun, why: act(pool, JobId(begun.target), **why)


def _on_user(act: Callable[..., Awaitable[ActionResult]]) -> Perform:
    return lambda pool, begun, why: act(pool, UserId(begun.target), **why)


def _on_wallet(act: Callable[..., Awaitable[ActionResult]]) -> Perform:
    return lambda pool, begun, why: act(pool, UserId(begun.target), begun.minor or 0, reference=begun.reference, **why)


def _on_control(act: Callable[..., Awaitable[ActionResult]]) -> Perform:
    return lambda pool, begun, why: act(pool, begun.name, **why)


async def _refund(pool: Pool, begun: Begun, why: Mapping[str, str]) -> ActionResult:
    """All that is left, or a part."""
    return await money.refund_job(pool, JobId(begun.target), begun.minor or None, reference=begun.reference, **why)


async def _ban(pool: Pool, begun: Begun, why: Mapping[str, str]) -> ActionResult:
    lasts = None if begun.days is None else timedelta(days=begun.days)
    return await users.ban_user(pool, UserId(begun.target), lasts=lasts, **why)


async def _write(pool: Pool, begun: Begun, why: Mapping[str, str]) -> ActionResult:
    return await users.message_user(pool, UserId(begun.target), begun.text or "", reference=begun.reference, **why)


async def _reconcile(pool: Pool, _begun: Begun, why: Mapping[str, str]) -> ActionResult:
    done = await actions.reconcile(pool, operator=why["operator"])
    return ActionResult(done=True, says=done.says)


ACTS: Final[Mapping[Verb, Perform]] = {
    Verb.RETRY: _on_job(actions.retry),
    Verb.REDELIVER: _on_job(actions.redeliver),
    Verb.CANCEL: _on_job(actions.cancel),
    Verb.REFUND: _refund,
    Verb.CREDIT: _on_wallet(money.credit_user),
    Verb.DEBIT: _on_wallet(money.debit_user),
    Verb.BAN: _ban,
    Verb.UNBAN: _on_user(users.unban_user),
    Verb.MESSAGE: _write,
    Verb.RECONCILE: _reconcile,
    Verb.PAUSE: _on_control(controls.pause),
    Verb.RESUME: _on_control(controls.resume),
}

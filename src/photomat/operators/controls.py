"""Pause and resume the bot, the provider or a model; drain an instance. Journaled, refused where it is so already."""

from datetime import timedelta
from typing import Final

from photomat.cluster.instances import lock_instances, want_drain
from photomat.db.pool import Pool, Transaction
from photomat.operators.actions import ActionResult, journaled
from photomat.work import controls
from photomat.work.controls import MAX_NOTICE_LENGTH

LONGEST: Final = timedelta(days=365)


async def pause(
    pool: Pool,
    name: str,
    *,
    operator: str,
    reason: str,
    notice: str | None = None,
    lasts: timedelta | None = None,
) -> ActionResult:
    """Pause what is called `bot`, `provider:kie` or `model:<id>`; customers read `notice` beside our own words."""
    notice = " ".join((notice or "").split()) or None

    async def act(tx: Transaction) -> ActionResult:
        if notice is not None and len(notice) > MAX_NOTICE_LENGTH:
            return ActionResult(done=False, sentence=f"The notice is longer than {MAX_NOTICE_LENGTH} characters.")
        if lasts is not None and not timedelta(0) < lasts <= LONGEST:
            return ActionResult(done=False, sentence="A pause lasts between a minute and a year.")
        if not await controls.write_pause(tx, name, operator=operator, reason=reason, notice=notice, lasts=lasts):
            return ActionResult(done=False, sentence="It is paused already: resume it first to change anything.")
        return ActionResult(done=True, sentence="It is paused.")

    return await journaled(pool, act, action="pause", operator=operator, reason=reason, reference=name)


async def resume(pool: Pool, name: str, *, operator: str, reason: str) -> ActionResult:
    async def act(tx: Transaction) -> ActionResult:
        if not await controls.delete_pause(tx, name):
            return ActionResult(done=False, sentence="It is not paused.")
        return ActionResult(done=True, sentence="It goes on.")

    return await journaled(pool, act, action="resume", operator=operator, reason=reason, reference=name)


async def drain(pool: Pool, instance: str, *, operator: str, reason: str) -> ActionResult:
    """Let an instance claim nothing more; refused for the last one that works."""

    async def act(tx: Transaction) -> ActionResult:
        draining = await lock_instances(tx)
        if instance not in draining:
            return ActionResult(done=False, sentence="No such instance is alive.")
        if draining[instance]:
            return ActionResult(done=False, sentence="It is draining already.")
        if not any(not is_draining for name, is_draining in draining.items() if name != instance):
            sentence = "It is the only instance that works: start another first, or pause the bot."
            return ActionResult(done=False, sentence=sentence)
        await want_drain(tx, instance, wanted=True)
        return ActionResult(
            done=True, sentence="It claims nothing more and finishes what it holds; another takes over."
        )

    return await journaled(pool, act, action="drain", operator=operator, reason=reason, reference=instance)


async def undrain(pool: Pool, instance: str, *, operator: str, reason: str) -> ActionResult:
    async def act(tx: Transaction) -> ActionResult:
        draining = await lock_instances(tx)
        if instance not in draining:
            return ActionResult(done=False, sentence="No such instance is alive.")
        if not draining[instance]:
            return ActionResult(done=False, sentence="It is not draining.")
        await want_drain(tx, instance, wanted=False)
        return ActionResult(done=True, sentence="It works again.")

    return await journaled(pool, act, action="undrain", operator=operator, reason=reason, reference=instance)

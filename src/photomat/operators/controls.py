"""Pause and resume the bot, the provider or a model; drain an instance. Journaled, refused where it is so already."""

from datetime import timedelta, tzinfo
from typing import Final

from photomat.cluster.instances import lock_instances, want_drain
from photomat.db.pool import Pool, Transaction
from photomat.operators.actions import ActionResult, journaled
from photomat.operators.restores import resume_restored
from photomat.texts.load import Say
from photomat.texts.sentence import Sentence
from photomat.work import controls
from photomat.work.controls import MAX_NOTICE_LENGTH, Pause

LONGEST: Final = timedelta(days=365)
NO_SUCH_INSTANCE: Final = Sentence("controls-no-such-instance")


def control_title(name: str) -> Sentence:
    """What a control is called for operators."""
    if name == controls.BOT:
        return Sentence("controls-title-bot")
    if name == controls.RESTORE:
        return Sentence("restore-title")
    kind, _, subject = name.partition(":")
    return Sentence("controls-title-provider" if kind == "provider" else "controls-title-model", name=subject)


def pause_in_words(say: Say, pause: Pause, *, zone: tzinfo) -> str:
    """What is paused, by whom and why, until when: for operators."""
    until = "" if pause.until_at is None else f"{pause.until_at.astimezone(zone):%d.%m %H:%M}"
    what = control_title(pause.name).in_(say)
    return say(
        "controls-banner",
        what=what,
        operator=pause.paused_by,
        reason=pause.reason,
        lasts="until" if until else "open",
        until=until,
    )


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
            return ActionResult(done=False, says=Sentence("controls-notice-long", longest=MAX_NOTICE_LENGTH))
        if lasts is not None and not timedelta(0) < lasts <= LONGEST:
            return ActionResult(done=False, says=Sentence("controls-lasts-wrong"))
        if not await controls.write_pause(tx, name, operator=operator, reason=reason, notice=notice, lasts=lasts):
            return ActionResult(done=False, says=Sentence("controls-paused-already"))
        return ActionResult(done=True, says=Sentence("controls-paused", what=control_title(name)))

    return await journaled(pool, act, action="pause", operator=operator, reason=reason, reference=name)


async def resume(pool: Pool, name: str, *, operator: str, reason: str) -> ActionResult:
    """End a pause; that of a restored shop ends as a whole, after its checks."""
    if name == controls.RESTORE:
        return await resume_restored(pool, operator=operator, reason=reason)

    async def act(tx: Transaction) -> ActionResult:
        if name in {controls.BOT, controls.KIE} and await controls.read_pause(tx, controls.RESTORE):
            return ActionResult(done=False, says=Sentence("restore-resume-it"))
        if not await controls.delete_pause(tx, name):
            return ActionResult(done=False, says=Sentence("controls-not-paused"))
        return ActionResult(done=True, says=Sentence("controls-resumed", what=control_title(name)))

    return await journaled(pool, act, action="resume", operator=operator, reason=reason, reference=name)


async def drain(pool: Pool, instance: str, *, operator: str, reason: str) -> ActionResult:
    """Let an instance claim nothing more; refused for the last one that works."""

    async def act(tx: Transaction) -> ActionResult:
        draining = await lock_instances(tx)
        if instance not in draining:
            return ActionResult(done=False, says=NO_SUCH_INSTANCE)
        if draining[instance]:
            return ActionResult(done=False, says=Sentence("controls-draining-already"))
        if not any(not is_draining for name, is_draining in draining.items() if name != instance):
            return ActionResult(done=False, says=Sentence("controls-last-instance"))
        await want_drain(tx, instance, wanted=True)
        return ActionResult(done=True, says=Sentence("controls-draining", instance=instance))

    return await journaled(pool, act, action="drain", operator=operator, reason=reason, reference=instance)


async def undrain(pool: Pool, instance: str, *, operator: str, reason: str) -> ActionResult:
    async def act(tx: Transaction) -> ActionResult:
        draining = await lock_instances(tx)
        if instance not in draining:
            return ActionResult(done=False, says=NO_SUCH_INSTANCE)
        if not draining[instance]:
            return ActionResult(done=False, says=Sentence("controls-not-draining"))
        await want_drain(tx, instance, wanted=False)
        return ActionResult(done=True, says=Sentence("controls-undrained", instance=instance))

    return await journaled(pool, act, action="undrain", operator=operator, reason=reason, reference=instance)

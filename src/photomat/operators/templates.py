"""What an operator may do to templates and their examples: hide, add, forget. All journaled; changes count at once."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from photomat.db.pool import Pool, Transaction
from photomat.operators.actions import ActionResult, journaled
from photomat.templates import examples, stored
from photomat.templates.stored import Templates
from photomat.texts.sentence import Sentence

NO_SUCH_TEMPLATE: Final = Sentence("template-none")


async def hide_template(
    templates: Templates, template_id: str, *, hidden: bool, operator: str, reason: str
) -> ActionResult:
    """Hide a template from customers, or show it again; refused if nothing would change."""
    is_known = template_id in await templates.known()

    async def act(tx: Transaction) -> ActionResult:
        if not is_known:
            return ActionResult(done=False, says=NO_SUCH_TEMPLATE)
        if not await stored.hide_template(tx, template_id, hidden=hidden):
            return ActionResult(done=False, says=Sentence("action-so-already"))
        return ActionResult(done=True, says=Sentence("template-hidden" if hidden else "template-shown"))

    action = "hide template" if hidden else "unhide template"
    return await _journaled(templates.pool, act, action, template_id, operator=operator, reason=reason)


async def add_template(
    templates: Templates, template_id: str, definition: Mapping[str, Any], *, operator: str, reason: str
) -> ActionResult:
    """Add a template that was checked before; one with the same id is replaced."""
    is_known = template_id in await templates.known()

    async def act(tx: Transaction) -> ActionResult:
        await stored.add_template(tx, template_id, definition)
        return ActionResult(done=True, says=Sentence("template-replaced" if is_known else "template-added"))

    return await _journaled(templates.pool, act, "add template", template_id, operator=operator, reason=reason)


async def forget_example(pool: Pool, subject: str, *, operator: str, reason: str) -> ActionResult:
    """Delete an example, so that the next `examples make` makes it, and pays for it, again."""

    async def act(tx: Transaction) -> ActionResult:
        if not await examples.forget(tx, subject):
            return ActionResult(done=False, says=Sentence("example-none"))
        return ActionResult(done=True, says=Sentence("example-forgotten"))

    return await journaled(
        pool, act, action="forget example", operator=operator, reason=reason, reference=f"example:{subject}"
    )


async def note_examples(pool: Pool, made: str, *, operator: str) -> None:
    """Record in the journal what a run of `examples make` did."""

    async def act(_tx: Transaction) -> ActionResult:
        return ActionResult(done=True, says=Sentence("examples-made", made=made))

    await journaled(pool, act, action="make examples", operator=operator, reason=None, reference="examples")


async def _journaled(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[ActionResult]],
    action: str,
    template_id: str,
    *,
    operator: str,
    reason: str,
) -> ActionResult:
    return await journaled(
        pool, act, action=action, operator=operator, reason=reason, reference=f"template:{template_id}"
    )

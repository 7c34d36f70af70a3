"""What an operator may do with a user's data: hand it over, and have the user forgotten. Both are in the journal, by number."""

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import UserId
from photomat.operators.actions import ActionResult, journaled
from photomat.operators.users import NO_SUCH_USER
from photomat.privacy.forget import ask_to_forget
from photomat.privacy.personal_data import PersonalData
from photomat.texts.sentence import Sentence
from photomat.users.user import find_user


async def forget_user(
    pool: Pool, personal: PersonalData, user_id: UserId, *, operator: str, reason: str
) -> ActionResult:
    """Have a user forgotten, as /forget does; refused while something of theirs is open."""

    async def act(tx: Transaction) -> ActionResult:
        answer = await ask_to_forget(tx, personal, user_id, by="operator")
        if not answer.is_known:
            return NO_SUCH_USER
        if answer.refused:
            return ActionResult(
                done=False, says=Sentence("user-forget-blocked", user=user_id, why=Sentence(answer.refused[0]))
            )
        return ActionResult(done=True, says=Sentence("user-forget-begun", user=user_id))

    return await journaled(pool, act, action="forget", operator=operator, reason=reason, user_id=user_id)


async def note_export(pool: Pool, user_id: UserId, *, operator: str, reason: str | None) -> ActionResult:
    """Record that an operator takes an export of a user's data, before it is built."""

    async def act(tx: Transaction) -> ActionResult:
        if await find_user(tx, user_id) is None:
            return NO_SUCH_USER
        return ActionResult(done=True, says=Sentence("user-export-taken", user=user_id))

    return await journaled(pool, act, action="export", operator=operator, reason=reason, user_id=user_id)

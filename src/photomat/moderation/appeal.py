"""An appeal on its way: to the operators, who decide it, and back to the customer. Each message once by its key.

`AppealCard` is what an operator needs to decide: the text, the rule, how many strikes the user has.
"""

from collections.abc import Collection
from html import escape
from typing import Final

from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId, UserId
from photomat.kernel.text import cut
from photomat.messages.notices import NoticeButton, notify
from photomat.moderation.refusal import AppealOutcome, ContentRefusal, StrikePolicy, appeal, count_strikes
from photomat.telegram import callback_data

SHOWN_TEXT: Final = 2500


async def appeal_to_operators(
    tx: Transaction, refusal_id: int, *, user_id: UserId, operators: Collection[int], policy: StrikePolicy
) -> tuple[AppealOutcome, ContentRefusal | None]:
    """Record a customer's appeal once, and show it to every operator."""
    outcome, refusal = await appeal(tx, refusal_id, user_id=user_id)
    if outcome is AppealOutcome.SENT and refusal is not None:
        strikes = await count_strikes(tx, user_id, within=policy.within)
        for operator in sorted(operators):
            await notify(
                tx,
                key=f"appeal:{refusal_id}:to:{operator}",
                chat_id=ChatId(operator),
                text_key="content-appeal-card",
                facts={
                    "number": refusal_id,
                    "user": str(user_id),
                    "rule": escape(refusal.rule_id),
                    "model": escape(refusal.model),
                    "strikes": strikes,
                    "text": escape(cut(refusal.text or "—", SHOWN_TEXT)),
                },
                buttons=[
                    [
                        NoticeButton(
                            text_key="content-appeal-allow", data=callback_data.decide_appeal(refusal_id, "yes")
                        ),
                        NoticeButton(
                            text_key="content-appeal-decline", data=callback_data.decide_appeal(refusal_id, "no")
                        ),
                    ]
                ],
            )
    return outcome, refusal


async def notify_accepted(tx: Transaction, refusal: ContentRefusal, *, can_go_on: bool) -> None:
    """Notify the customer that the text is allowed; the button opens the card again, while there is one."""
    go_on = NoticeButton(text_key="content-appeal-go-on", data=callback_data.open_card(refusal.draft_id or 0))
    await notify(
        tx,
        key=f"appeal:{refusal.refusal_id}:accepted",
        chat_id=refusal.chat_id,
        text_key="content-appeal-accepted" if can_go_on else "content-appeal-accepted-anew",
        facts={"text": _quoted(refusal), "strike": int(refusal.counts)},
        buttons=[[go_on]] if can_go_on else [],
    )


async def notify_declined(tx: Transaction, refusal: ContentRefusal, *, answer: str) -> None:
    await notify(
        tx,
        key=f"appeal:{refusal.refusal_id}:declined",
        chat_id=refusal.chat_id,
        text_key="content-appeal-declined" if answer else "content-appeal-declined-plain",
        facts={"text": _quoted(refusal), "answer": escape(answer, quote=False)},
    )


def _quoted(refusal: ContentRefusal) -> str:
    return escape(cut(" ".join((refusal.text or "—").split()), 200))

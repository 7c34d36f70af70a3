"""The card of a draft that content rules refuse: why, what became of the money, what to do now."""

from html import escape

from photomat.bot.bans import until
from photomat.bot.buttons import AppealButton, ChangeButton, DraftAction, DraftButton
from photomat.bot.view import Rows, View, button
from photomat.catalog.model import Model
from photomat.moderation.refusal import ContentRefusal
from photomat.moderation.rules import Rule
from photomat.orders.outcome import ContentRefused
from photomat.texts.load import Say


def refused_card(say: Say, refused: ContentRefused, *, language: str) -> View:
    """In place of the card; the draft stays as it is until its text is changed."""
    lines = [
        say("content-refused", model=escape(refused.model.title_in(language))),
        reason_in_words(say, refused.rule, refused.refusal, language=language),
        say("content-no-money"),
        strike_line(say, refused),
        say("content-appeal-waits") if refused.refusal.waits else "",
    ]
    return View(text="\n\n".join(line for line in lines if line), rows=_rows(say, refused))


def reason_in_words(say: Say, rule: Rule | None, refusal: ContentRefusal, *, language: str) -> str:
    """Which rule it is, as the customer reads it: ours, the operator's, or the checker's own words."""
    if rule is not None and rule.is_shipped:
        return say(f"content-reason-{rule.id}")
    if rule is not None:
        own = rule.reason.get(language) or next(iter(rule.reason.values()))
        return say("content-reason-own", reason=escape(own, quote=False))
    if refusal.reason:
        return say("content-reason-own", reason=escape(refusal.reason, quote=False))
    return say("content-reason-checker")


def strike_line(say: Say, refused: ContentRefused) -> str:
    """How many strikes there are, and what follows; nothing where a refusal does not count."""
    policy = refused.policy
    if not refused.refusal.counts or not policy.limit:
        return ""
    if refused.ban is not None and refused.ban.until is not None:
        return say("content-strike-banned", strikes=refused.strikes, until=until(refused.ban))
    return say(
        "content-strike",
        strikes=refused.strikes,
        limit=policy.limit,
        days=policy.within.days,
        ban=policy.ban.days,
    )


def _rows(say: Say, refused: ContentRefused) -> Rows:
    draft, refusal = refused.draft, refused.refusal
    cancel = button(
        say("draft-cancel"), DraftButton(action=DraftAction.CANCEL, draft_id=draft.draft_id, revision=draft.revision)
    )
    question = _first_text(refused.model)
    change = (
        button(say("content-change"), ChangeButton(draft_id=draft.draft_id, question=question))
        if question is not None
        else button(
            say("draft-change"),
            DraftButton(action=DraftAction.CHANGE, draft_id=draft.draft_id, revision=draft.revision),
        )
    )
    may_appeal = refusal.appealed_at is None
    appeal = [button(say("content-appeal"), AppealButton(refusal_id=refusal.refusal_id))] if may_appeal else []
    return [[change], [*appeal, cancel]]


def _first_text(model: Model) -> int | None:
    """The number of the prompt, else of the first text of a model."""
    prompt = model.input_for("prompt") or next((each for each in model.inputs if each.type == "text"), None)
    return None if prompt is None else model.inputs.index(prompt)

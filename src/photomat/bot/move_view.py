"""Explain this charge: the whole story of one move, in the words of its owner. Pure.

When it was and how much, which order or payment it belongs to, what became of that, and the name under which support finds it.
"""

from collections.abc import Mapping
from html import escape
from typing import Final

from photomat.bot import move_words
from photomat.bot.buttons import JobAction, JobButton, StatementButton
from photomat.bot.move_words import when
from photomat.bot.views import Rows, View, button, to_home
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.texts.load import Say
from photomat.wallet.statement import JobHold
from photomat.wallet.story import GivenBack, Ordered, Paid, Story

LONGEST_PROMPT: Final = 150
LONGEST_REFERENCE: Final = 200
LONGEST_SMALL_REFERENCE: Final = 40
MOST_GIVEN_BACK: Final = 4
"""All of it, escaped, stays below the 4096 characters of a message."""

STARS: Final = "XTR"


def story_page(say: Say, story: Story, titles: Mapping[str, str], *, before: int) -> View:
    """One move explained; `before` leads back to where it was found."""
    move = story.move
    lines = [
        say(
            "wallet-story", sum=move_words.signed(say, move.amount), what=say(f"wallet-move-{move_words.kind_of(move)}")
        ),
        say("wallet-story-when", when=when(move.booked_at), after=move.balance_after),
        "",
        *_about(say, story, titles),
        *_back(say, story),
        "",
        say("wallet-story-number", reference=escape(cut(move.reference, LONGEST_REFERENCE))),
    ]
    return View(text="\n".join(lines), rows=_rows(say, story, before))


def _about(say: Say, story: Story, titles: Mapping[str, str]) -> list[str]:
    move, kind = story.move, move_words.kind_of(story.move)
    lines = []
    if story.order is not None and move.model is not None:
        lines += _order(say, story.order, move.model, titles)
    elif story.payment is not None:
        lines.append(_payment(say, story.payment))
    elif (told := move_words.what(say, move, titles)) != say(f"wallet-move-{kind}"):
        lines.append(told)
    if move.reason not in {"charge", "refund"}:
        lines.append(say(f"wallet-why-{kind}"))
    debt = move_words.of_debt(say, move)
    return [*lines, debt[0].upper() + debt[1:] + "."] if debt else lines


def _order(say: Say, order: Ordered, model: str, titles: Mapping[str, str]) -> list[str]:
    named = move_words.order(say, model, order.prompt, titles, longest=LONGEST_PROMPT)
    lines = [
        say("wallet-story-order", number=order.job_id, order=named),
        say("wallet-story-bought", when=when(order.bought_at), price=order.price),
    ]
    for hold in order.holds:
        lines.append(say("wallet-story-held", when=when(hold.held_at), amount=hold.amount))
        lines += _ending(say, hold)
    return lines


def _ending(say: Say, hold: JobHold) -> list[str]:
    if hold.closed_at is None:
        return [say("wallet-story-open")]
    is_charged = hold.closed_as == "charge"
    return [
        say(
            "wallet-story-charged" if is_charged else "wallet-story-released",
            when=when(hold.closed_at),
            amount=hold.amount,
        )
    ]


def _payment(say: Say, paid: Paid) -> str:
    is_stars = paid.currency == STARS
    amount = say("wallet-stars", count=paid.amount) if is_stars else Money(paid.amount, paid.currency)
    return say("wallet-story-paid", amount=amount, way=move_words.way(say, paid.provider), when=when(paid.paid_at))


def _back(say: Say, story: Story) -> list[str]:
    """What was given back of the move since; the newest, where there was much."""
    is_given = story.move.amount.minor < 0
    return [_given_back(say, one, is_given=is_given) for one in story.given_back[-MOST_GIVEN_BACK:]]


def _given_back(say: Say, one: GivenBack, *, is_given: bool) -> str:
    return say(
        "wallet-story-given-back" if is_given else "wallet-story-taken-back",
        when=when(one.booked_at),
        amount=one.amount,
        reference=escape(cut(one.reference, LONGEST_SMALL_REFERENCE)),
    )


def _rows(say: Say, story: Story, before: int) -> Rows:
    leave = [button(say("wallet-to-page"), StatementButton(before=before).pack()), to_home(say)]
    if story.order is None or not story.order.price.minor:
        return [leave]
    data = JobButton(job_id=story.order.job_id, action=JobAction.WHY).pack()
    return [[button(say("card-button-why", price=story.order.price), data)], leave]

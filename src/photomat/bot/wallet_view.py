"""The wallet in words: what is there, what is set aside, what is owed; and the statement, page by page. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from photomat.bot import move_words
from photomat.bot.buttons import MoveButton, Screen, StatementButton
from photomat.bot.rewards_view import rewards_rows
from photomat.bot.views import Rows, View, button, screen_button, to_create, to_home
from photomat.kernel.money import Money
from photomat.texts.load import Say
from photomat.wallet.open_holds import OpenHold
from photomat.wallet.posting import Balance
from photomat.wallet.statement import Move

NUMBERS_IN_ROW: Final = 4
HOLDS_NAMED: Final = 3
LONGEST_HELD_PROMPT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some moves, newest first. `before` is the key of this page, 0 the newest; None where there is no such page."""

    before: int
    moves: Sequence[Move]
    newer: int | None
    older: int | None


def balance_page(say: Say, balance: Balance, *, orders: int) -> View:
    """What is available, what so many running orders hold, and what is owed."""
    lines = [say("balance", available=balance.available)]
    if balance.held.minor:
        lines.append(say("wallet-held", held=balance.held, count=max(1, orders)))
    if balance.owed.minor:
        lines.append("\n" + say("wallet-owed", owed=balance.owed))
    return View(text="\n".join(lines), rows=_wallet_rows(say))


def statement_page(
    say: Say, balance: Balance, holds: Sequence[OpenHold], page: Page, titles: Mapping[str, str]
) -> View:
    """The moves of a page, each with a number that opens its story."""
    head = [say("wallet-statement", available=balance.available)]
    if holds:
        head.append(_held(say, holds, titles))
    if balance.owed.minor:
        head.append(say("wallet-owes", owed=balance.owed))
    lines = [_line(say, number, move, titles) for number, move in enumerate(page.moves, start=1)]
    tail = [say("wallet-statement-tap")] if lines else [say("wallet-statement-empty")]
    rows = [*_numbers(page), *_turns(page), [screen_button(say, "menu-balance", Screen.BALANCE), to_home(say)]]
    return View(text="\n\n".join(["\n".join(head), *lines, *tail]), rows=rows)


def _wallet_rows(say: Say) -> Rows:
    """Where one can go from the wallet."""
    return [
        [
            screen_button(say, "menu-topup", Screen.TOPUP),
            button(say("wallet-to-statement"), StatementButton(before=0).pack()),
        ],
        *rewards_rows(say),
        [to_create(say)],
        [to_home(say)],
    ]


def _held(say: Say, holds: Sequence[OpenHold], titles: Mapping[str, str]) -> str:
    held = Money(sum(hold.amount.minor for hold in holds), holds[0].amount.currency)
    named = [
        move_words.order(say, hold.model, hold.prompt, titles, longest=LONGEST_HELD_PROMPT)
        for hold in holds[:HOLDS_NAMED]
    ]
    if len(holds) > HOLDS_NAMED:
        named.append("…")
    return say("wallet-held-for", held=held, count=len(holds), orders=", ".join(named))


def _line(say: Say, number: int, move: Move, titles: Mapping[str, str]) -> str:
    told, debt = move_words.what(say, move, titles), move_words.of_debt(say, move)
    return say(
        "wallet-line",
        number=number,
        when=move_words.when(move.booked_at),
        sum=move_words.signed(say, move.amount),
        after=move.balance_after,
        what=f"{told} ({debt})" if debt else told,
    )


def _numbers(page: Page) -> Rows:
    buttons = [
        button(str(number), MoveButton(move_id=move.move_id, before=page.before).pack())
        for number, move in enumerate(page.moves, start=1)
    ]
    return [buttons[start : start + NUMBERS_IN_ROW] for start in range(0, len(buttons), NUMBERS_IN_ROW)]


def _turns(page: Page) -> Rows:
    newer = [] if page.newer is None else [button("◀", StatementButton(before=page.newer).pack())]
    older = [] if page.older is None else [button("▶", StatementButton(before=page.older).pack())]
    return [[*newer, *older]] if newer or older else []

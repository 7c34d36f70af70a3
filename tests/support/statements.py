"""A statement read from end to end, page by page, and back: every line follows from the one below it."""

from photomat.db.pool import Transaction
from photomat.kernel.ids import UserId
from photomat.payments.statement import StatementLine, newer_page, open_holds, own_line, statement
from photomat.wallet import ledger


async def statement_adds_up(tx: Transaction, user_id: UserId, *, limit: int) -> list[StatementLine]:
    """Read every page; the sums chain from nothing to the balance, the pages have no gap, and the way back is the same."""
    keys, moves = await _down(tx, user_id, limit)
    wallet = await ledger.balance(tx, user_id=user_id)
    after = [move.balance_after.minor for move in moves]
    assert [newer - move.amount.minor for newer, move in zip(after, moves, strict=True)] == [*after[1:], 0][
        : len(after)
    ]
    assert (after or [0])[0] == wallet.posted.minor
    assert sum(move.debt.minor for move in moves) == wallet.owed.minor
    assert sum(hold.amount.minor for hold in await open_holds(tx, user_id=user_id)) == wallet.held.minor
    assert await _up(tx, user_id, limit, keys) == list(reversed(keys))
    assert [await own_line(tx, user_id=user_id, move_id=move.move_id) for move in moves] == moves
    return moves


async def _down(tx: Transaction, user_id: UserId, limit: int) -> tuple[list[int], list[StatementLine]]:
    """The keys of all pages but the newest, and every move."""
    moves = page = await statement(tx, user_id=user_id, limit=limit)
    keys: list[int] = []
    while page and (page := await statement(tx, user_id=user_id, limit=limit, before=page[-1].move_id)):
        keys.append(moves[-1].move_id)
        moves = [*moves, *page]
    return keys, moves


async def _up(tx: Transaction, user_id: UserId, limit: int, keys: list[int]) -> list[int]:
    """The keys met on the way from the oldest page to the newest."""
    met = keys[-1:]
    for _ in keys:
        before = await newer_page(tx, user_id=user_id, before=met[-1], limit=limit)
        if before is None:
            break
        met.append(before)
    return met

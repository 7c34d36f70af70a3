"""Rows about what was given away cannot be bent by hand without the audit saying which rule broke."""

import pytest

from photomat.db.pool import transaction
from photomat.wallet import refunds
from support.books import honest_books, names, unnoticed
from support.database import connection_of, pool_of

QUOTE = """jsonb_build_object('price', 0, 'currency', 'RUB', 'usd_rate', '80',
                              'pass', jsonb_build_object('use_id', 1, 'code', 'SPRING', 'left', 1, 'price', 64))"""


CHANGES = (
    ("promo_uses", "DELETE FROM promo_uses WHERE code = 'SPRING'", "promo-credit-has-its-use"),
    ("promo_uses", "UPDATE promo_uses SET user_id = 42 WHERE code = 'SPRING'", "promo-credit-has-its-use"),
    (
        "promo_codes",
        "UPDATE promo_codes SET kind = 'percent', percent = 1 WHERE kind = 'sum'",
        "bonus-is-of-its-payment",
    ),
    ("promo_codes", "UPDATE promo_codes SET percent = 49 WHERE kind = 'percent'", "bonus-is-of-its-payment"),
    ("promo_codes", "UPDATE promo_codes SET used = 2 WHERE code = 'SPRING'", "promo-code-within-its-limits"),
    (
        "promo_uses",
        "INSERT INTO promo_uses (code, user_id, nth, origin) VALUES ('PERCENT', 45, 2, 'x')",
        "promo-code-within-its-limits",
    ),
    (
        "pass_uses",
        "INSERT INTO pass_uses (job_id, use_id) SELECT min(job_id), 1 FROM generation_jobs",
        "pass-pays-for-its-job",
    ),
    (
        "generation_jobs",
        f"UPDATE generation_jobs SET quote = {QUOTE} WHERE price = 0 AND user_id = 42",  # noqa: S608  our own constant
        "pass-pays-for-its-job",
    ),
    ("referrals", "UPDATE referrals SET inviter_id = 43", "referral-reward-has-its-referral"),
    ("referrals", "UPDATE referrals SET state = 'taken_back'", "referral-reward-has-its-referral"),
    ("referrals", "UPDATE referrals SET job_id = 1", "referral-follows-a-paid-job"),
    (
        "generation_jobs",
        "UPDATE generation_jobs SET price = 601 WHERE user_id = 45",
        "referral-follows-a-paid-job",
    ),
    ("referral_shares", "DELETE FROM referral_shares", "referral-share-is-of-its-payment"),
    ("referral_shares", "UPDATE referral_shares SET percent = 9", "referral-share-is-of-its-payment"),
    ("gifts", "DELETE FROM gifts WHERE state = 'open'", "open-gifts-are-in-the-gift-account"),
    (
        "gifts",
        "UPDATE gifts SET state = 'open', taker_id = NULL, closed_at = NULL, due_at = expires_at WHERE state = 'taken'",
        "open-gifts-are-in-the-gift-account",
    ),
    ("gifts", "UPDATE gifts SET taker_id = 44 WHERE state = 'taken'", "gift-went-one-way"),
    ("gifts", "ALTER TABLE gifts DROP CONSTRAINT gifts_one_an_origin", "keys-stand"),
)


async def test_a_change_is_found_by_name(database: str) -> None:
    async with connection_of(database) as connection:
        await honest_books(connection)
        assert await names(connection) == set()
        assert await unnoticed(connection, CHANGES) == []


@pytest.mark.breaks_invariants
@pytest.mark.parametrize(
    ("of", "found"),
    [
        ("promo:1", "promo-credit-has-its-use"),
        ("referral:45:friend", "referral-reward-has-its-referral"),
    ],
)
async def test_a_credit_turned_round_behind_its_rows_back_is_found(database: str, of: str, found: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as connection:
        await honest_books(connection)
        async with transaction(pool) as tx:
            await refunds.correct(tx, of=of, reference="c:1")
        assert await names(connection) == {found}

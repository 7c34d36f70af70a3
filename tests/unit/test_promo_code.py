"""How a promo code is written, which refusal comes first, and what a refund takes back of a bonus."""

from hypothesis import given
from hypothesis import strategies as st

from photomat.rewards.bonus import share_of
from photomat.rewards.promo import CodeUsage, PromoCode, PromoRefusal, normalize_code, refusal_for

FREE_FOR_ALL = PromoCode(code="SPRING", kind="sum", currency="RUB", amount=100)


def standing(**changes: object) -> CodeUsage:
    usual = {"used": 0, "used_by_them": 0, "is_over": False, "is_new_user": True}
    return CodeUsage(**usual | changes)  # type: ignore[arg-type]  # a test's own facts


def test_a_code_is_the_same_however_it_is_typed() -> None:
    assert [normalize_code(written) for written in ("spring", " Spring ", "SPRING", "весна-25")] == [
        "SPRING",
        "SPRING",
        "SPRING",
        "ВЕСНА-25",
    ]


@given(st.text(max_size=50))
def test_what_can_be_no_code_is_none_and_what_can_is_short_and_stays_as_it_is(written: str) -> None:
    code = normalize_code(written)
    assert len(code) <= 32
    assert normalize_code(code) == code


def test_each_refusal_has_its_own_reason() -> None:
    once = PromoCode(code="ONCE", kind="sum", currency="RUB", amount=1, most_uses=1, only_new=True)
    assert refusal_for(FREE_FOR_ALL, standing()) is None
    assert refusal_for(once, standing(used=1, used_by_them=1, is_over=True)) is PromoRefusal.YOURS
    assert refusal_for(once, standing(used=1, is_over=True)) is PromoRefusal.EXPIRED
    assert refusal_for(once, standing(used=1, is_new_user=False)) is PromoRefusal.USED_UP
    assert refusal_for(once, standing(is_new_user=False)) is PromoRefusal.ONLY_NEW


@given(st.integers(1, 10**6), st.lists(st.integers(1, 10**4), min_size=1, max_size=20))
def test_a_payment_given_back_in_any_pieces_takes_back_its_whole_bonus_and_never_more(
    bonus: int, pieces: list[int]
) -> None:
    taken = 0
    for piece in pieces:
        part = share_of(bonus, refunded=piece, of=sum(pieces), taken_back=taken)
        assert part >= 0
        taken += part
        assert taken <= bonus
    assert taken == bonus

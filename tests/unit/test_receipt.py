"""Receipts, purely: which numbers of a note name a transfer, and that what operators read fits under a file."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest

from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.payments.receipt import DuplicateReceipt, Receipt, ReceiptFile, ReceiptState
from photomat.payments.receipt_notices import REASONS, card_facts, decided_text
from photomat.payments.transfers import MAX_NOTE, normal_note, refs_of
from photomat.texts.load import LANGUAGES, load_texts

NOW = datetime(2026, 11, 15, 12, 30, tzinfo=UTC)
MAX_CAPTION_LENGTH = 1024
FIVE_HUNDRED = Money(50_000, "RUB")


@pytest.mark.parametrize(
    ("note", "refs"),
    [
        ("", []),
        ("вот чек, спасибо", []),
        ("500 рублей за 2026 год", []),
        ("50000 копеек", []),
        ("Операция № 12345-67890", ["1234567890"]),
        ("опер. 1234567890!", ["1234567890"]),
        ("СБП A1B2C3D4E5", ["a1b2c3d4e5"]),
        ("код P-17", ["p17"]),
        ("p17 и 777777 и 777777", ["p17", "777777"]),
        ("перевод 2026-11-15, или 15/11/2026, или 15-11-26", []),
        ("2026-11-15T12-30 операция 15112026001", ["15112026001"]),
        ("20261115 и 15112026", []),
        ("99999999 и 12345-15-11-2026", ["99999999", "1234515112026"]),
    ],
)
def test_a_reference_is_told_from_a_sum_a_date_and_a_word(note: str, refs: list[str]) -> None:
    assert refs_of(note, amount=FIVE_HUNDRED, details="") == refs


@pytest.mark.parametrize(
    "note",
    ["на карту 2202200011112222", "на 2202-2000-1111-2222", "на +7 900 123-45-67", "на 89001234567", "+79001234567"],
)
def test_the_numbers_everybody_pays_to_name_no_transfer(note: str) -> None:
    details = "Карта 2202 2000 1111 2222\\nСБП +7 (900) 123-45-67, Иван И."
    assert refs_of(note, amount=FIVE_HUNDRED, details=details) == []
    assert refs_of(f"{note}, операция 2202200011113333", amount=FIVE_HUNDRED, details=details) == ["2202200011113333"]


def test_a_note_is_one_line_of_bounded_length() -> None:
    assert normal_note("  a\n\tb  ") == "a b"
    assert len(normal_note("х" * 9999)) == MAX_NOTE


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_longest_card_fits_under_a_file(language: str) -> None:
    twin = DuplicateReceipt(
        receipt_id=10**9,
        user_id=UserId(10**15),
        state=ReceiptState.APPROVED,
        created_at=NOW,
        same_file=True,
        same_note=True,
    )
    say = load_texts().speaker(language)
    card = say("receipt-card-flagged", **card_facts(longest(), [twin] * 9))
    for text in (card, decided_text(say, longest())):
        assert len(unescape(re.sub(r"<[^>]+>", "", text))) <= MAX_CAPTION_LENGTH


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_usual_reason_has_its_words(language: str) -> None:
    say = load_texts().speaker(language)
    words = {say("receipt-reason", reason=reason) for reason in REASONS}
    assert words.isdisjoint(REASONS)
    assert len(words) == len(REASONS)


def longest() -> Receipt:
    """A receipt with everything as long as it can be."""
    return Receipt(
        receipt_id=10**9,
        topup_id=10**9,
        user_id=UserId(10**15),
        first_name="<" * 64,
        username="u" * 32,
        amount=Money(300_000_00, "RUB"),
        file=ReceiptFile(kind="photo", file_id="f", unique_id="u", sha256=None),
        note="&" * MAX_NOTE,
        refs=(),
        same_file_as=1,
        same_note_as=1,
        state=ReceiptState.DECLINED,
        created_at=NOW,
        decided_at=NOW,
        decided_by="o" * 80,
        reason="&" * 300,
        credited=None,
        attempts=0,
    )

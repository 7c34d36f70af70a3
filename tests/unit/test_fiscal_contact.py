"""What customers type when they are asked where receipts go: addresses, numbers, and everything else."""

import pytest

from photomat.fiscal.contacts import Contact, ContactRefused, read_contact


@pytest.mark.parametrize(
    ("typed", "kind", "value", "masked"),
    [
        ("anna@example.org", "email", "anna@example.org", "a•••@example.org"),
        ("  Anna.B+bot@Mail.EXAMPLE.org ", "email", "Anna.B+bot@mail.example.org", "A•••@mail.example.org"),
        ("mailto:a@b.xn--p1ai", "email", "a@b.xn--p1ai", "a•••@b.xn--p1ai"),
        ("+7 (900) 123-45-67", "phone", "79001234567", "+7•••4567"),
        ("8 900 123 45 67", "phone", "79001234567", "+7•••4567"),
        ("9001234567", "phone", "79001234567", "+7•••4567"),
        ("79001234567", "phone", "79001234567", "+7•••4567"),
        ("+442079460123", "phone", "442079460123", "+4•••0123"),
        ("+8 10 123 456 78 90", "phone", "8101234567890", "+8•••7890"),
    ],
)
def test_an_address_or_a_number_is_read(typed: str, kind: str, value: str, masked: str) -> None:
    contact = read_contact(typed, email_only=False)
    assert (contact.kind, contact.value, contact.masked) == (kind, value, masked)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "empty"),
        ("кот-космонавт", "empty"),
        ("500 ₽", "empty"),
        ("анна@почта.рф", "email"),
        ("anna@example", "email"),
        ("anna @example.org", "email"),
        ("a..b@example.org", "email"),
        ("a@b@example.org", "email"),
        ("a@-b.org", "email"),
        ("a\nb@example.org", "email"),
        (f"{'a' * 65}@example.org", "email"),
        (f"a@{'b' * 60}.{'c' * 60}.{'d' * 60}.{'e' * 60}.{'f' * 20}.org", "email"),
        ("12345", "phone"),
        ("+0 900 123 45 67", "phone"),
        ("+7 900 123 45 67 89 01 23", "phone"),
    ],
)
def test_anything_else_is_refused_with_a_reason(typed: str, why: str) -> None:
    with pytest.raises(ContactRefused) as refused:
        read_contact(typed, email_only=False)
    assert refused.value.why == why


def test_where_only_addresses_count_a_number_is_explained() -> None:
    for typed, why in (("+79001234567", "email-only"), ("кот", "email")):
        with pytest.raises(ContactRefused) as refused:
            read_contact(typed, email_only=True)
        assert refused.value.why == why
    assert read_contact("a@b.ru", email_only=True) == Contact(kind="email", value="a@b.ru")

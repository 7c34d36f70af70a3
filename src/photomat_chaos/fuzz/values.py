"""Hostile values: what no honest caller sends. Everything is decided by the `random.Random` handed in, so it repeats.

A payload is mutated where it stands (wrong types, missing and strange keys, monstrous values) and then dressed as bytes: JSON
as it should be, JSON in other encodings, JSON that Python's own writer would never write, half of it, or no JSON at all.
"""

import copy
import json
import random
from collections.abc import Callable
from typing import Any, Final

TEXTS: Final = (
    "",
    " ",
    "0",
    "null",
    "true",
    "\x00",
    "a\x00b",
    "\ud800",
    "\udfff\ud800",
    "é\u0301\u202e\u2066",
    "𝕬" * 70,
    "%s%n%00../../etc/passwd",
    "'; DROP TABLE users; --",
    "<b>not closed <a href='",
    "{0.__class__}",
    "@everyone",
    "-1",
    "1e999",
    "٣٣٣",
    "success",
    "fail",
    "ü" * 3000,
    "🙂" * 2100,
    "A" * 7000,
)
NUMBERS: Final = (0, -0, 1, -1, 2, 3, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 10**400)
ODD: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0.5,
    -0.0,
    1e308,
    5e-324,
    [],
    {},
    [[]],
    [None],
    {"": None},
    [{}],
    {"a": {"b": {"c": []}}},
)
RAW: Final[dict[str, Callable[[random.Random], str]]] = {
    "deep list": lambda chance: "[" * (depth := _depth(chance)) + "]" * depth,
    "deep object": lambda chance: '{"a":' * (depth := _depth(chance)) + "1" + "}" * depth,
    "unclosed": lambda chance: "[" * _depth(chance),
    "NaN": lambda chance: chance.choice(("NaN", "Infinity", "-Infinity")),
    "too large": lambda chance: chance.choice(("1e999", "-1e999", "1e400", "1.7976931348623159e308")),
    "too small": lambda _chance: "1e-5000",
    "many digits": lambda chance: "9" * chance.choice((25, 4000, 4299, 4301, 40_000)),
    "many decimals": lambda chance: "0." + "1" * chance.choice((400, 20_000)),
    "same key twice": lambda _chance: '{"id":1,"id":"2","taskId":"a","taskId":7}',
    "half a pair": lambda chance: chance.choice(
        (r'"\ud83d"', r'"\udc00\ud800"', r'"\u0000"', r'"\\u0000"', r'"\\\u0000"')
    ),
    "long list": lambda chance: "[" + "0," * chance.choice((100, 1000, 20_000)) + "0]",
    "wide object": lambda chance: (
        "{" + "".join(f'"{n}":{n},' for n in range(chance.choice((50, 500, 3000)))) + '"z":0}'
    ),
    "comment": lambda _chance: "/* */ 1",
    "single quotes": lambda _chance: "'a'",
}
"""JSON text no writer makes; it stands in a payload under a mark and is put in when the payload becomes text."""

MONSTER_BYTES: Final = 5 * 2**20
ENCODINGS: Final = ("utf-16", "utf-16-le", "utf-32-be", "utf-8-sig", "latin-1", "cp1251")


def nasty(chance: random.Random) -> Any:
    kind = chance.randrange(10)
    if kind < 4:  # noqa: PLR2004  shares of ten, here and below
        return chance.choice(TEXTS)
    if kind < 7:  # noqa: PLR2004
        return chance.choice(NUMBERS) + chance.choice((0, 0, 1, -1))
    if kind < 9:  # noqa: PLR2004
        return copy.deepcopy(chance.choice(ODD))
    return mark(chance.choice(tuple(RAW)))


def mark(name: str) -> str:
    """The placeholder of a raw text inside a payload."""
    return f"@raw {name}@"


def mutated(chance: random.Random, payload: Any, times: int) -> Any:
    """A copy of the payload with this many places made hostile."""
    found = json.loads(json.dumps(payload))
    for _ in range(times):
        place = _some_place(chance, found)
        if place is None:
            return nasty(chance)
        _spoil(chance, *place)
    return found


def as_text(chance: random.Random, payload: Any) -> str:
    """The payload as JSON text, with the raw texts put in."""
    text = json.dumps(payload, ensure_ascii=chance.random() < 0.5)  # noqa: PLR2004  one half
    for name, write in RAW.items():
        if mark(name) in text:
            text = text.replace(f'"{mark(name)}"', write(chance))
    return text


def dressed(chance: random.Random, payload: Any) -> bytes:
    """The payload as the bytes of a body: mostly plain JSON, else truncated, corrupted or in another encoding."""
    text = as_text(chance, payload)
    plain = text.encode("utf-8", "surrogatepass")
    dress = chance.randrange(100)
    if dress < 72:  # noqa: PLR2004  shares of a hundred, here and below
        return plain
    if dress < 80:  # noqa: PLR2004
        return plain[: chance.randrange(len(plain) + 1)]
    if dress < 85:  # noqa: PLR2004
        return _flipped(chance, plain)
    if dress < 90:  # noqa: PLR2004
        return text.encode(chance.choice(ENCODINGS), "replace")
    if dress < 95:  # noqa: PLR2004
        return plain + chance.choice((b"\x00", b"\xff\xfe", b"}", b" " * 1000, plain, b"\n{}"))
    if dress < 99 or chance.random() < 0.9:  # noqa: PLR2004
        return chance.randbytes(chance.choice((0, 1, 7, 200, 5000)))
    return b'{"data":{"taskId":"t"},"x":"' + b"A" * chance.choice((100_000, MONSTER_BYTES)) + b'"}'


def _depth(chance: random.Random) -> int:
    return chance.choice((3, 60, 300, 480, 700, 900, 950, 970, 980, 985, 990, 993, 996, 1000, 1005, 5000, 60_000))


def _some_place(chance: random.Random, payload: Any) -> tuple[Any, Any] | None:
    """A container inside the payload and a key of it, any depth alike."""
    places: list[tuple[Any, Any]] = []

    def visit(value: Any) -> None:
        keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        for key in keys:
            places.append((value, key))
            visit(value[key])

    visit(payload)
    return chance.choice(places) if places else None


def _spoil(chance: random.Random, container: Any, key: Any) -> None:
    changes = (
        lambda: container.__setitem__(key, nasty(chance)),
        lambda: container.__setitem__(key, nasty(chance)),
        lambda: container.__setitem__(key, nasty(chance)),
        lambda: container.__delitem__(key),
        lambda: container.__setitem__(key, [container[key]]),
        lambda: container.__setitem__(key, str(container[key])),
        lambda: _rename(chance, container, key),
    )
    chance.choice(changes)()


def _rename(chance: random.Random, container: Any, key: Any) -> None:
    if isinstance(container, dict):
        container[chance.choice((*TEXTS[:20], key.upper(), f"{key} "))] = container.pop(key)
    else:
        container.append(copy.deepcopy(container[key]))


def _flipped(chance: random.Random, body: bytes) -> bytes:
    spoiled = bytearray(body)
    for _ in range(chance.randint(1, 8)):
        if spoiled:
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
    return bytes(spoiled)

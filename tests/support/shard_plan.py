"""What sharding by bot changes, found mechanically: keys of the schema without `bot_id`, and statements of the source.

The result is the generated part of docs/scale.md.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from support.partitioned import PER_SHOP, REFERENCE, SchemaToShard

PACKAGE: Final = Path(__file__).parents[2] / "src" / "photomat"
VERB: Final = re.compile(r"^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b")
TABLE: Final = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:ONLY\s+)?(\w+)")
CONFLICT: Final = re.compile(r"\bON\s+CONFLICT\s*\(")
LOCKS: Final = re.compile(r"\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\b")
BOT: Final = re.compile(r"\bbot_id\b|photomat_our_bot")
COLUMNS: Final = (
    "statements",
    "name the bot",
    "by customer without the bot",
    "ON CONFLICT lists",
    "row locks without the bot",
    "read xmax",
)


def plan_text(schema: SchemaToShard) -> str:
    """Two tables in Markdown, and the tables that hold rows of one shop without saying which."""
    shops = f"Rows of one shop, not partitioned: {_listed(sorted(PER_SHOP))}."
    return "\n".join([*_keys(schema), "", *_statements(schema), "", shops])


def by_customer(schema: SchemaToShard) -> re.Pattern[str]:
    """What finds, joins or groups rows by a number that Telegram gives a customer or a chat, which other bots meet too."""
    keys = {name for one in schema.foreign_keys() if one["other"] in {"users", "wallets"} for name in one["columns"]}
    name = rf"(?:\w+\.)?(?:{'|'.join(sorted((keys | {'user_id', 'chat_id'}) - {'bot_id', 'currency'}))})\b"
    return re.compile(
        rf"\b{name}\s*(?:=|IN\b)|(?:=|\bUSING\s*\()\s*{name}|\bGROUP\s+BY\s+(?:[\w.]+,\s*)*{name}", re.IGNORECASE
    )


def _keys(schema: SchemaToShard) -> Iterator[str]:
    yield "| table | has `bot_id` | keys that get `bot_id` | foreign keys that get it |"
    yield "|---|---|---|---|"
    for table, has_bot in schema.tables.items():
        unique = [
            one["name"] for one in schema.unique_keys() if one["owner"] == table and "bot_id" not in one["columns"]
        ]
        unique += [
            one["name"] for one in schema.unique_indexes() if one["owner"] == table and "bot_id" not in one["text"]
        ]
        foreign = [one["name"] for one in schema.foreign_keys() if one["owner"] == table]
        yield f"| {table} | {'yes' if has_bot else 'no'} | {_listed(unique)} | {_listed(foreign)} |"


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"


def _statements(schema: SchemaToShard) -> Iterator[str]:
    yield f"| slice | {' | '.join(COLUMNS)} |"
    yield "|---|" + "---|" * len(COLUMNS)
    total: Counter[str] = Counter()
    customer = by_customer(schema)
    for folder in sorted(path for path in PACKAGE.iterdir() if path.is_dir()):
        counts = _count(folder, schema, customer)
        total += counts
        if counts["statements"]:
            yield f"| {folder.name} | {' | '.join(str(counts[name]) for name in COLUMNS)} |"
    yield f"| **all** | {' | '.join(str(total[name]) for name in COLUMNS)} |"


def _count(folder: Path, schema: SchemaToShard, customer: re.Pattern[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for file in sorted(folder.rglob("*.py")):
        for text in _texts(ast.parse(file.read_text(encoding="utf-8"))):
            if not VERB.match(text) or not schema.tables.keys() & set(TABLE.findall(text)):
                continue
            names_bot = bool(BOT.search(text))
            counts["statements"] += 1
            counts["name the bot"] += names_bot
            counts["by customer without the bot"] += bool(customer.search(text)) and not names_bot
            counts["ON CONFLICT lists"] += _conflicts(text)
            counts["row locks without the bot"] += bool(LOCKS.search(text)) and not names_bot
            counts["read xmax"] += "xmax" in text
    return counts


def _conflicts(text: str) -> int:
    target = re.search(r"INSERT\s+INTO\s+(\w+)", text)
    return len(CONFLICT.findall(text)) if target and target[1] not in REFERENCE else 0


def _texts(tree: ast.Module) -> Iterator[str]:
    """Literal strings; an f-string with the constants of its module filled in, and a space for anything else."""
    known: dict[str, str] = {}
    for line in tree.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value is not None:
            known[line.target.id] = _text(line.value, known)
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in inside:
            yield _text(node, known)


def _text(node: ast.expr, known: dict[str, str]) -> str:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part, known) for part in parts)
        case ast.FormattedValue(value=ast.Name(id=name)):
            return known.get(name, " ")
    return " "

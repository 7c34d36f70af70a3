"""What a simulated chat model answers: made from the last user message alone, always the same for the same message.

- An audio attachment is transcribed: one of a few sentences, chosen by the hash of its bytes, which is then the user's words.
- JSON is answered where `response_format` or the system message asks for it. Its form is the schema of `response_format`, else
  the first JSON object in the system message (a schema, or an example whose texts are replaced). A user message that is itself
  a JSON object is a map of fields: those of the same name are copied, its first text counts as the user's words.
- Otherwise the answer is the user's words with a few details added, as an improved prompt would look.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

MAX_DEPTH: Final = 8
TRANSCRIPTS: Final = (
    "Нарисуй рыжего кота на подоконнике, за окном идёт снег",
    "Сделай короткое видео: маяк на скале, волны и закат",
    "Напиши весёлую песню ко дню рождения для Маши",
    "Хочу логотип кофейни с чашкой и полумесяцем",
    "Нарисуй город будущего, дождь и неоновые вывески",
)
DETAILS: Final = ("soft light, fine detail, 35mm", "мягкий свет, высокая детализация, 35 мм")
"""What an improved prompt gains, in English and in Russian."""
SILENT: Final = ("question", "clarif", "reason", "error")
"""Parts of the names of fields that stay empty: the simulator has nothing to ask."""
TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
IMPROVED: Final = ("improved", "better", "enhanced")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatQuestion:
    """What the answer is made from."""

    system: str
    words: str
    """The text of the last user message."""
    audio: bytes | None = None
    wants_json: bool = False
    schema: Mapping[str, Any] | None = None


def answer_to(question: ChatQuestion) -> str:
    fields, words = _field_map(question.words)
    if question.audio is not None:
        words = transcript_of(question.audio)
    if question.wants_json or "json" in question.system.lower():
        return json.dumps(_json_answer(question, fields, words), ensure_ascii=False)
    return words if question.audio is not None else improved(words)


def transcript_of(audio: bytes) -> str:
    return TRANSCRIPTS[hashlib.sha256(audio).digest()[0] % len(TRANSCRIPTS)]


def improved(words: str) -> str:
    return f"{words.rstrip('. ')}, {DETAILS[not words.isascii()]}"


def _field_map(text: str) -> tuple[Mapping[str, Any], str]:
    """Read a user message that is a JSON object; any other message is words alone."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}, text
    if not isinstance(found, dict):
        return {}, text
    return found, next((value for value in found.values() if isinstance(value, str) and value), "")


def _json_answer(question: ChatQuestion, fields: Mapping[str, Any], words: str) -> Any:
    form = question.schema or _first_object(question.system)
    if form is None:
        return {**fields, "text": words}
    if "properties" in form or "$ref" in form:
        return SchemaFiller(root=form, fields=fields, words=words).value("", form)
    return {name: fields.get(name, words if isinstance(value, str) else value) for name, value in form.items()}


def _first_object(text: str) -> Mapping[str, Any] | None:
    decoder = json.JSONDecoder()
    for at, letter in enumerate(text):
        if letter != "{":
            continue
        try:
            found, _ = decoder.raw_decode(text, at)
        except ValueError:
            continue
        if isinstance(found, dict) and found:
            return found
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFiller:
    """Makes a value of a schema: copied by name, else chosen by the words, else the plainest that fits."""

    root: Mapping[str, Any]
    fields: Mapping[str, Any]
    words: str

    def value(self, name: str, given: Any, depth: int = 0) -> Any:
        schema = _resolved(given, self.root)
        kind = _kind(schema)
        if depth == 1 and name in self.fields and isinstance(self.fields[name], TYPES.get(kind, ())):
            return self.fields[name]
        if options := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
            return _chosen(options, self.words)
        if kind == "object" and depth < MAX_DEPTH:
            return {key: self.value(key, inner, depth + 1) for key, inner in schema.get("properties", {}).items()}
        if kind == "array" and depth < MAX_DEPTH:
            return [self.value(name, schema.get("items"), depth + 1)] * int(schema.get("minItems", 0))
        plain = {"integer": schema.get("minimum", 0), "number": schema.get("minimum", 0), "boolean": False}
        return _text(name, schema, self.words) if kind == "string" else plain.get(kind)


def _resolved(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a reference within the schema, and take the first real branch of a choice."""
    if not isinstance(schema, Mapping):
        return {}
    if isinstance(reference := schema.get("$ref"), str):
        found: Any = root
        for part in reference.removeprefix("#/").split("/"):
            found = found.get(part, {}) if isinstance(found, Mapping) else {}
        return found if isinstance(found, Mapping) else {}
    branches = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(branches, Sequence) and branches:
        types = [branch.get("type") for branch in branches if isinstance(branch, Mapping)]
        first = next((branch for branch in branches if branch.get("type") != "null"), branches[0])
        return {**first, "type": [first.get("type"), "null"]} if "null" in types else first
    return schema


def _kind(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type", "object" if "properties" in schema else "string")
    return str(next((one for one in kinds if one != "null"), "null") if isinstance(kinds, list) else kinds)


def _chosen(options: Sequence[Any], words: str) -> Any:
    """Choose the option that is mentioned in the words, else the first."""
    return next((one for one in options if isinstance(one, str) and one and one.lower() in words.lower()), options[0])


def _text(name: str, schema: Mapping[str, Any], words: str) -> str | None:
    if any(part in name.lower() for part in SILENT):
        return None if isinstance(schema.get("type"), list) else ""
    text = improved(words) if any(part in name.lower() for part in IMPROVED) else words
    return text[: schema["maxLength"]] if isinstance(schema.get("maxLength"), int) else text

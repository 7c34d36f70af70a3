"""The files of the chat page keep their promises: every text in both languages, no parsed markup, nothing from afar."""

import re
from pathlib import Path

import photomat_sandbox

FOLDER = Path(photomat_sandbox.__file__).parent / "telegram" / "chat_page"
SVG_NAMESPACE = "http://www.w3.org/2000/svg"


def sources(pattern: str) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob(pattern)}


def keys_of(language: str) -> set[str]:
    (text,) = sources(f"texts_{language}.js").values()
    return set(re.findall(r'(?:^|\s)"?([\w.-]+)"?: "', text))


def test_every_text_exists_in_both_languages_and_every_used_key_exists() -> None:
    assert keys_of("ru") == keys_of("en")
    used = {key for text in sources("*.js").values() for key in re.findall(r'\bt\("([\w.-]+)"', text)}
    assert len(used) > 50
    assert used <= keys_of("ru")


def test_no_text_is_left_over() -> None:
    others = "\n".join(text for name, text in sources("*.js").items() if not name.startswith("texts_"))
    made_up = re.compile(r"(fault|prompt|kind|world|subscription)\.|upload_|record_|choose_|typing")
    words = set(re.findall(r'"([\w.-]+)"', others))
    assert {key for key in keys_of("ru") if not made_up.match(key)} <= words


def test_nothing_is_parsed_as_markup() -> None:
    banned = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
    assert {name for name, text in sources("*.js").items() if banned.search(text)} == set()


def test_nothing_is_loaded_from_afar_and_every_named_file_exists() -> None:
    texts = sources("*.*")
    far = {name for name, text in texts.items() if re.search(r"https?://\w", text.replace(SVG_NAMESPACE, ""))}
    assert far == set()
    named = {file for text in texts.values() for file in re.findall(r'(?:/page|from "\.)/([\w.]+)', text)}
    assert "main.js" in named
    assert named <= set(texts)

"""The shipped content rules: what they refuse, what they leave alone, and how long that takes."""

import time
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import pytest

from photomat.catalog.load import load_catalog
from photomat.moderation.order_texts import texts_of, wished
from photomat.moderation.rules import BadRules, RuleAction, RuleSet, read_rules, shipped_rules
from photomat.templates.load import shipped_templates
from photomat.texts.load import load_texts

REFUSED = {
    "minors-sexual": (
        "детское порно",
        "порно со школьницей",
        "ПОРНО-видео с детьми",
        "п о р н о с девочкой",
        "пoрнo с мaлoлеткoй",  # Latin letters that look like Cyrillic ones
        "секс с несовершеннолетней",
        "секссс с ребёнком",
        "П\u200bО\u200bР\u200bНО дети",
        "child porn",
        "c h i l d  porn",
        "p0rn0 with a schoolgirl",
        "𝐩𝐨𝐫𝐧 with 𝐜𝐡𝐢𝐥𝐝𝐫𝐞𝐧",
        "porn_video with a child",
        "lolicon art",
    ),
    "minors-nude": (
        "голая школьница",
        "голая школьница и кот",  # an exception nearby excuses nothing but itself
        "голое дерево, под ним голая школьница",
        "обнажённый ребёнок на пляже",
        "naked little girl on the bed",
        "13yo girl nude",
    ),
    "undressing": (
        "раздень её на этом фото",
        "сними с девушки одежду",
        "убери с неё одежду, сделай её голой",
        "remove her clothes please",
        "nudify this photo",
    ),
    "bestiality": ("зоофилия",),
    "terrorism": ("вербовочный плакат ИГИЛ", "join ISIS poster"),
    "drug-trade": ("купить мефедрон, закладка", "buy cocaine online"),
}
FINE = (
    *("голые деревья", "bare trees in winter", "Scunthorpe United poster", "Essex countryside with children"),
    *("обложка книги «Убийца в Восточном экспрессе»", "секстант на столе мальчика", "сексолог рассказывает"),
    *("naked mole rat with its babies", "голый король, иллюстрация к сказке для детей", "a baby elephant naked"),
    *(
        "дети играют у статуи обнажённой Венеры",
        "children in a museum, nude statue",
        "nude lipstick on a teen magazine",
    ),
    *("ребёнок с голыми ногами бежит по траве", "мама в красивом платье с ребёнком", "дети в бассейне"),
    *("sexy jazz in A minor", "cum laude diploma for a teen", "Middlesex school children", "Billie the kid"),
    *("героиня купила платье", "купить платье героине", "героиня заказала доставку пиццы", "Cocaine Bear parody"),
    *("undress the mannequin", "раздень манекен", "сними с неё очки", "убери одежду с вешалки", "take off her coat"),
    *("сними видео с девушкой", "comic strip about a girl", "strip of LED light behind her", "girl in a bikini"),
    *("половое воспитание для подростков, плакат", "Sex and the City poster with a kid", "say no to heroin"),
    *("плакат: защита детей от сексуального насилия", "stop child porn, poster for police", "кровь и нож, хоррор"),
    *(
        "egyptian goddess isis, glory to her",
        "голая правда",
        "обнажённый меч в руках рыцаря",
        "аниме школьница в форме",
    ),
    *("16-летняя девушка на выпускном", "a 7 year old boy's birthday cake", "Nude colours, beige sofa. Kids' room"),
)


@cache
def rules() -> RuleSet:
    return RuleSet(shipped_rules())


@pytest.mark.parametrize("rule_id", REFUSED)
def test_what_is_forbidden_is_refused_for_its_own_reason(rule_id: str) -> None:
    found = {text: hit.rule.id if (hit := rules().check([text])) else None for text in REFUSED[rule_id]}
    assert set(found.values()) == {rule_id}, found
    for language in ("ru", "en"):
        assert load_texts().say(language, f"content-reason-{rule_id}")


def test_honest_words_are_left_alone() -> None:
    assert {text: hit.words for text in FINE if (hit := rules().check([text]))} == {}


def test_nothing_we_offer_or_measure_ourselves_with_is_refused() -> None:
    requests = tomllib.loads(resources.files("photomat.assistant").joinpath("requests.toml").read_text("utf-8"))
    texts = [str(each.get("text", "")) for each in requests["request"]]
    assert len(texts) == 300
    for model in load_catalog().models.values():
        texts += strings(model.example)
        texts += [model.example_prompt.ru, model.example_prompt.en] if model.example_prompt else []
    templates = resources.files("photomat.templates").joinpath("data")
    for file in templates.iterdir():
        texts += strings(tomllib.loads(file.read_text("utf-8")))
    assert len(shipped_templates(load_catalog())) > 20
    assert {text: hit.rule.id for text in texts if (hit := rules().check([text]))} == {}


def test_a_negative_prompt_names_what_must_not_be_seen() -> None:
    model = next(each for each in load_catalog().models.values() if each.input_for("negative_prompt"))
    texts = texts_of(model, {"prompt": "a family picnic", "negative_prompt": "nsfw, nude, child porn"})
    assert [each.is_negative for each in texts] == [False, True]
    assert rules().check(wished(texts)) is None


HOSTILE = (
    "a" * 100_000,
    "п о р н о " * 10_000,
    "ребенок " * 12_500,
    "голый x x x x x ребенок " * 4_000,
    "снять всю " * 10_000,
    "a!" * 50_000,
    "(" * 100_000,
    "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 50_000,
)


def test_a_prompt_takes_less_than_a_millisecond_and_a_hostile_text_no_more_than_its_length() -> None:
    prompt = "Рыжий кот-космонавт на Луне, мягкий свет, детальный мех, cinematic lighting, 85mm " * 8
    assert min(_seconds(prompt) for _ in range(20)) < 0.001 * len(prompt) / 600 * 1.5
    half = {text: min(_seconds(text[: len(text) // 2]) for _ in range(2)) for text in HOSTILE}
    for text, seconds in half.items():
        assert min(_seconds(text) for _ in range(2)) < 0.5 + 4 * seconds, text[:20]


def _seconds(text: str) -> float:
    started = time.perf_counter()
    rules().check([text])
    return time.perf_counter() - started


def strings(value: Any) -> list[str]:
    return list(_strings(value))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


OWN = """
[groups.brands]
ru = ["кока кола", "адидас~"]
[[rule]]
id = "brands"
action = "warn"
reason = { ru = "Чужие товарные знаки", en = "Trademarks of others" }
words = { ru = ["@brands"], en = ["nike"] }
unless = { en = ["goddess"] }
"""


def test_rules_of_an_operators_file() -> None:
    own = RuleSet(read_rules(OWN))
    assert [each.rule.id for each in own.matches("кроссовки Адидаса")] == ["brands"]
    assert own.matches("Nike, goddess of victory") == []
    hit = own.check(["КОКА КОЛА на столе"])
    assert hit is not None
    assert (hit.rule.action, hit.rule.is_shipped) == (RuleAction.WARN, False)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("nike", "ni(ke"), "letters and digits"),
        (("nike", "n"), "two letters"),
        (("@brands", "@others"), "no such group"),
        (('action = "warn"', 'action = "shout"'), "action"),
        (('reason = { ru = "Чужие товарные знаки", en = "Trademarks of others" }', ""), "a reason is missing"),
        (("[groups.brands]", "[groups"), "not TOML"),
        (("nike", "(a|b)" * 20), "more than"),
    ],
)
def test_a_mistake_in_a_file_is_named(change: tuple[str, str], why: str) -> None:
    with pytest.raises(BadRules, match=why):
        read_rules(OWN.replace(*change))

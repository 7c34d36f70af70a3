"""What a remark about an order on its card makes of its description."""

import pytest

from photomat.assistant.follow_up import changed_words, is_aside


@pytest.mark.parametrize(
    ("said", "after"),
    [
        ("а лучше собака", "собака"),
        ("a dog instead", "a dog"),
        ("it", "рыжий кот"),
        ("сделай", "рыжий кот"),
        ("make it", "рыжий кот"),
        ("добавь очки", "рыжий кот, добавь очки"),
        ("в стиле аниме", "рыжий кот, в стиле аниме"),
        ("в аниме стиле", "рыжий кот, в аниме стиле"),
        ("anime style", "рыжий кот, anime style"),
        ("in the style of Monet", "рыжий кот, in the style of Monet"),
        ("на белом фоне", "рыжий кот, на белом фоне"),
        ("ярче", "рыжий кот, ярче"),
        ("сделай грустнее", "рыжий кот, сделай грустнее"),
        ("a bit darker", "рыжий кот, a bit darker"),
        ("в лесу бежит волк", "в лесу бежит волк"),
        ("музей ночью", "музей ночью"),
        ("a tiger", "a tiger"),
    ],
)
def test_a_remark_replaces_adds_or_changes_nothing(said: str, after: str) -> None:
    assert changed_words("рыжий кот", said) == after


@pytest.mark.parametrize("said", ["сколько стоит?", "спасибо", "👍", "верните деньги", "how much is it?", "дешевле"])
def test_small_talk_and_questions_about_the_shop_are_no_remarks(said: str) -> None:
    assert is_aside(said, about="video")


@pytest.mark.parametrize("said", ["что на фото?", "кто это?", "верни цвет", "сколько здесь людей?", "добавь шляпу"])
def test_a_question_about_a_photo_is_about_its_card(said: str) -> None:
    assert not is_aside(said, about="image")

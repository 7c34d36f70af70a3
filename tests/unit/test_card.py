"""Every face of a bought card, in both languages; the same row always renders the same face."""

import html
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.storefront import AS_IN_ITS_FILE, storefront_of
from photomat.catalog.wishes import wishes
from photomat.delivery.fallbacks import FallbackReason
from photomat.delivery.next_steps import NextSteps
from photomat.delivery.outputs import Output
from photomat.delivery.render import FAR, PAUSED, CardView, LockedCard, Wait, progress_bar, render
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import BotId, ChatId, Fence, JobId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.kie.results import STEM_TITLE
from photomat.texts.load import LANGUAGES, load_texts

TEXTS = load_texts()
CATALOG = load_catalog()
EVERYTHING_SOLD = storefront_of(CATALOG, {}, accepts_callbacks=True)
MAX_ROWS = 4
MAX_ID = 2**63 - 1
MAX_CAPTION_LENGTH = 1024
MAX_TEXT_LENGTH = 4096
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NASTY = "<b>кот</b> & \"собака\" <script>alert('1')</script>"
FACES: dict[str, dict[str, Any]] = {
    "accepted": {"status": JobStatus.PENDING},
    "third in the queue": {"status": JobStatus.PENDING, "wait": Wait(place=3, starts_s=20)},
    "far in the queue": {"status": JobStatus.PENDING, "wait": Wait(place=FAR, starts_s=40)},
    "Kie takes no orders": {"status": JobStatus.PENDING, "wait": Wait(place=PAUSED)},
    "submitting": {"status": JobStatus.SUBMITTING},
    "slow": {"status": JobStatus.RUNNING, "slow": True, "locked_at": NOON + timedelta(seconds=130)},
    "running": {"status": JobStatus.RUNNING, "progress": 40},
    "overdue": {"status": JobStatus.RUNNING, "overdue": True},
    "overdue, never answered": {"status": JobStatus.SUBMITTING, "overdue": True},
    "stopped": {"status": JobStatus.RUNNING, "stopped": True},
    "done": {"status": JobStatus.DONE},
    "gift": {"status": JobStatus.DONE, "gift": True},
    "failed": {"status": JobStatus.FAILED, "fail_code": "kie-500"},
    "refused": {"status": JobStatus.FAILED, "fail_code": "refused-422"},
    "timed out": {"status": JobStatus.FAILED, "fail_code": "timeout"},
    "empty": {"status": JobStatus.FAILED, "fail_code": "empty"},
    "failed for no reason": {"status": JobStatus.FAILED, "fail_code": None},
    "canceled": {"status": JobStatus.CANCELED},
    "offered": {"status": JobStatus.CANCELED, "offered": True},
}
every_face = pytest.mark.parametrize("facts", list(FACES.values()), ids=list(FACES))
every_language = pytest.mark.parametrize("language", LANGUAGES)


def card(**facts: Any) -> LockedCard:
    """A locked card, with these facts of its row."""
    given: dict[str, Any] = {
        "job_id": JobId(7),
        "corr": "0123abcd",
        "bot_id": BotId(1),
        "user_id": UserId(2),
        "chat_id": ChatId(2),
        "message_id": MessageId(3),
        "model": "z-image",
        "title": "Z-Image <1>",
        "inputs": {"prompt": "кот-космонавт", "aspect_ratio": "16:9"},
        "language": "ru",
        "price": Money(64, "RUB"),
        "status": JobStatus.RUNNING,
        "fail_code": None,
        "gift": False,
        "offered": False,
        "overdue": False,
        "slow": False,
        "stopped": False,
        "progress": 0,
        "page": 0,
        "result_object": None,
        "wanted": 1,
        "slot_for": None,
        "fence": Fence(1),
        "attempts": 1,
        "failing_for": timedelta(0),
        "found_via": None,
        "doubtful": False,
        "delivered": False,
        "created_at": NOON,
        "locked_at": NOON,
    }
    return LockedCard(**given | facts)


def outputs(count: int) -> list[Output]:
    """So many outputs nobody has copied yet."""
    empty: dict[str, Any] = dict.fromkeys(("media", "mime", "size_bytes", "width", "height", "kept_as", "file_id"))
    return [
        Output(job_id=JobId(7), corr="c0ffee00", position=n, url=f"https://files.example/{n}.png", **empty)
        for n in range(count)
    ]


def face_of(shown: int = 1, **facts: Any) -> CardView:
    """The face of a card with these facts."""
    return render(card(**facts), outputs(shown), model=CATALOG.models["z-image"], texts=TEXTS)


def acts(face: CardView) -> list[str]:
    """What the buttons would do."""
    return [str(button.data).rpartition(":")[2] for row in face.keyboard for button in row]


def visible(face: CardView) -> str:
    """The text as Telegram counts it: without tags, entities decoded."""
    return html.unescape(re.sub(r"<[^<>]*>", "", face.text))


@every_language
def test_a_mark_of_ai_stands_under_results_alone_and_within_the_caption(language: str) -> None:
    said = TEXTS.say(language, "content-ai-mark")
    for setting, line in (("on", said), ("сделано <роботом>", "сделано &lt;роботом&gt;"), ("", None)):
        long = card(language=language, status=JobStatus.DONE, inputs={"prompt": "кот " * 500, "aspect_ratio": "16:9"})
        face = render(long, outputs(2), model=CATALOG.models["z-image"], texts=TEXTS, mark=setting)
        assert (line is None) or face.text.endswith(line)
        assert face.album is not None
        assert line is None or face.album.text.endswith(line)
        assert len(visible(face)) <= MAX_CAPTION_LENGTH
        running = card(language=language, status=JobStatus.RUNNING)
        assert said not in render(running, [], model=None, texts=TEXTS, mark=setting).text


@every_face
@every_language
def test_every_face_can_be_told_and_is_the_same_each_time(facts: dict[str, Any], language: str) -> None:
    face = face_of(**facts, language=language)
    assert face == face_of(**facts, language=language)
    assert "Z-Image &lt;1&gt;" in face.text
    assert "кот-космонавт" in face.text
    assert "16:9" in face.text
    assert "{" not in face.text


@pytest.mark.parametrize("status", [JobStatus.FAILED, JobStatus.CANCELED])
@every_language
def test_a_free_order_that_came_to_nothing_speaks_of_no_money(status: JobStatus, language: str) -> None:
    face = face_of(status=status, price=Money(0, "RUB"), language=language)
    assert "0" not in visible(face).replace("16:9", "")
    assert ("Бесплатная генерация снова ваша" if language == "ru" else "free generation is yours again") in face.text


@every_face
def test_the_two_languages_differ(facts: dict[str, Any]) -> None:
    russian, english = (face_of(**facts, language=language) for language in LANGUAGES)
    if facts["status"] is not JobStatus.DONE or facts.get("gift"):
        assert russian.text != english.text
    assert acts(russian) == acts(english)
    assert russian.ring_kind == english.ring_kind


@every_face
def test_no_face_is_the_face_of_another_state(facts: dict[str, Any]) -> None:
    same = [name for name, other in FACES.items() if face_of(**other) == face_of(**facts)]
    twins = [{"submitting"}, {"failed", "failed for no reason"}, {"overdue", "overdue, never answered"}]
    assert len(same) == 1 or set(same) in twins


@every_face
@every_language
def test_what_people_wrote_is_escaped(facts: dict[str, Any], language: str) -> None:
    face = face_of(**facts, language=language, inputs={"prompt": NASTY, "aspect_ratio": "<u>x</u>"})
    assert "<script>" not in face.text
    assert "<u>" not in face.text
    assert NASTY in visible(face)
    assert "<u>x</u>" in visible(face)


@every_face
@every_language
def test_a_long_prompt_fits_where_it_is_shown(facts: dict[str, Any], language: str) -> None:
    face = face_of(**facts, language=language, inputs={"prompt": "<&>щ" * 1250, "aspect_ratio": "16:9"})
    assert len(visible(face)) <= (MAX_CAPTION_LENGTH if face.output else MAX_TEXT_LENGTH)
    assert "…" in face.text


@every_face
def test_buttons_fit_into_64_bytes_whatever_the_job(facts: dict[str, Any]) -> None:
    face = face_of(12, **facts, job_id=JobId(MAX_ID), page=11)
    for row in face.keyboard:
        for button in row:
            assert 1 <= len(str(button.data).encode()) <= 64
            assert str(button.data).startswith(f"j:{MAX_ID}:")
            assert button.text


@pytest.mark.parametrize(
    ("name", "expected", "ring"),
    [
        ("accepted", ["cancel"], None),
        ("submitting", [], None),
        ("running", [], None),
        ("overdue", ["cancel"], None),
        ("stopped", [], "failed"),
        ("done", ["like", "files", "info"], "done"),
        ("gift", ["like", "files", "info"], "done"),
        ("failed", ["again"], "failed"),
        ("canceled", ["again"], None),
        ("offered", ["accept"], "offer"),
    ],
)
def test_a_face_offers_what_can_be_done_now_and_rings_for_news_only(
    name: str, expected: list[str], ring: str | None
) -> None:
    face = face_of(**FACES[name])
    assert (acts(face), face.ring_kind) == ([*expected, "sos"], ring), "every card leads to support, last"


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("kie-422", "fail-content"),
        ("refused-400", "fail-content"),
        ("kie-451", "fail-content"),
        ("kie-500", "fail-provider"),
        ("kie-fail", "fail-provider"),
        ("timeout", "fail-timeout"),
        ("empty", "fail-empty"),
        (None, "fail-provider"),
    ],
)
@every_language
def test_a_failure_is_explained_in_our_own_words(code: str | None, key: str, language: str) -> None:
    face = face_of(status=JobStatus.FAILED, fail_code=code, language=language)
    assert TEXTS.say(language, key) in face.text


def test_a_result_shows_its_page_and_the_way_to_its_neighbours() -> None:
    pages = {page: face_of(3, status=JobStatus.DONE, page=page) for page in range(3)}
    assert [face.output.position for face in pages.values() if face.output] == [0, 1, 2]
    assert [[button.data for button in face.keyboard[0]] for face in pages.values()] == [
        ["j:7:page:2", "j:7:noop", "j:7:page:1"],
        ["j:7:page:0", "j:7:noop", "j:7:page:2"],
        ["j:7:page:1", "j:7:noop", "j:7:page:0"],
    ]
    assert [face.keyboard[0][1].text for face in pages.values()] == ["1/3", "2/3", "3/3"]
    assert [face.album is not None for face in pages.values()] == [True, False, False], "whoever turns pages has them"


@pytest.mark.parametrize(
    ("facts", "offered"),
    [
        ({"mime": "image/png"}, ["animate", "enhance", "edit", "background"]),
        ({"mime": None}, ["animate", "enhance", "edit", "background"]),
        ({"mime": "video/mp4"}, ["enhance-video", "extend-video", "revideo"]),
        ({"mime": "audio/mpeg", "is_track": True}, ["extend-song", "cover", "clip"]),
        ({"mime": "audio/wav"}, ["avatar", "clean-audio"]),
        ({"mime": "application/json"}, []),
        ({"mime": "image/svg+xml"}, []),
    ],
)
@every_language
def test_a_result_offers_what_starts_from_its_bytes(facts: dict[str, Any], offered: list[str], language: str) -> None:
    shown = [replace(output, **facts) for output in outputs(3)]
    locked = card(status=JobStatus.DONE, page=2, job_id=JobId(MAX_ID), language=language)
    model = CATALOG.models["z-image"]
    face = render(locked, shown, model=model, texts=TEXTS, next_steps=NextSteps(storefront=EVERYTHING_SOLD))
    assert [act for act in acts(face) if act in wishes()] == offered
    positions = {
        str(button.data).split(":")[3] for row in face.keyboard for button in row if ":next:" in str(button.data)
    }
    assert positions == ({"2"} if offered else set()), "the shown output, not another one"
    assert "variant" in acts(face)
    assert len(face.keyboard) <= MAX_ROWS
    assert all(len(str(button.data).encode()) <= 64 for row in face.keyboard for button in row)


def test_nothing_is_offered_that_is_not_sold() -> None:
    hidden = {
        "recraft/remove-background": replace(AS_IN_ITS_FILE, hidden=True),
        "z-image": replace(AS_IN_ITS_FILE, hidden=True),
    }
    sold = NextSteps(storefront=storefront_of(CATALOG, hidden, accepts_callbacks=True))
    face = render(
        card(status=JobStatus.DONE), outputs(1), model=CATALOG.models["z-image"], texts=TEXTS, next_steps=sold
    )
    assert [act for act in acts(face) if act in {"background", "enhance", "variant"}] == ["enhance"]


def test_a_favourite_has_a_full_heart_and_each_heart_asks_for_the_other() -> None:
    hearts = [face_of(status=JobStatus.DONE, is_favourite=liked).keyboard[-1][0] for liked in (False, True)]
    assert [(heart.text, str(heart.data)) for heart in hearts] == [("🤍", "j:7:like"), ("❤️", "j:7:unlike")]


def test_a_page_that_is_not_there_shows_the_last() -> None:
    face = face_of(2, status=JobStatus.DONE, page=9)
    assert face.output is not None
    assert face.output.position == 1


def test_a_single_result_has_no_pages_and_only_a_result_has_media() -> None:
    assert acts(face_of(1, status=JobStatus.DONE)) == ["like", "files", "info", "sos"]
    for name, facts in FACES.items():
        assert (face_of(**facts).output is not None) == (name in {"done", "gift"})


def test_a_result_in_words_is_shown_escaped_and_cut_and_the_whole_can_be_had_as_a_file() -> None:
    face = face_of(0, status=JobStatus.DONE, result_object={"text": "<b>" + "а" * 5000})
    assert face.output is None
    assert "&lt;b&gt;аааа" in face.text
    assert TEXTS.say("ru", "card-text-cut") in face.text
    assert face.keyboard[-1][1].text == "📎 Файлом"
    assert len(visible(face)) <= MAX_TEXT_LENGTH
    short = face_of(0, status=JobStatus.DONE, result_object={"text": "привет"})
    assert short.text.endswith("\n\nпривет")


@every_language
def test_a_caption_with_everything_in_it_leaves_room_for_a_reason(language: str) -> None:
    part = replace(outputs(1)[0], title="т" * 500)
    full = card(
        status=JobStatus.DONE,
        gift=True,
        language=language,
        title="М" * 300,
        inputs={"prompt": "😀<&>" * 1000, "aspect_ratio": "16:9"},
        result_object={"seed": 2**62},
    )
    face = render(full, [part], model=CATALOG.models["z-image"], texts=TEXTS)
    reasons = max(len(TEXTS.say(language, f"why-{why}", photo_mb=10, file_mb=50)) for why in FallbackReason) + 2
    units = len(visible(face).encode("utf-16-le")) // 2
    assert units + reasons <= MAX_CAPTION_LENGTH
    assert "😀" in face.text, "what there is room for of the prompt is there"
    assert f"seed: {2**62}" in face.text


def test_an_order_is_told_as_it_was_bought_and_by_the_catalogue_where_nothing_was_written() -> None:
    assert "Z-Image &lt;1&gt;" in face_of(status=JobStatus.DONE).text
    assert "<b>Z-Image</b>" in face_of(status=JobStatus.DONE, title=None).text
    gone = render(card(title=None, model="gone/1"), [], model=None, texts=TEXTS)
    assert "<b>gone/1</b>" in gone.text
    assert "16:9" in gone.text


def test_a_part_of_a_track_is_named_in_the_customers_language() -> None:
    stems = [replace(output, title=title) for output, title in zip(outputs(2), ("stem-drums", "Дорога"), strict=True)]
    faces = [render(card(status=JobStatus.DONE, page=page), stems, model=None, texts=TEXTS) for page in (0, 1)]
    assert [face.part for face in faces] == ["Барабаны", "Дорога"]
    assert "<b>Барабаны</b>" in faces[0].text
    assert all(STEM_TITLE not in face.text for face in faces)


def test_the_bar_fills_up() -> None:
    assert "%" not in face_of(status=JobStatus.RUNNING, progress=0).text, "Kie has reported none"
    assert "▓▓▓▓░░░░░░ 40 %" in face_of(status=JobStatus.RUNNING, progress=40).text
    assert [progress_bar(percent) for percent in (0, 30, 90)] == [
        "░░░░░░░░░░ 0 %",
        "▓▓▓░░░░░░░ 30 %",
        "▓▓▓▓▓▓▓▓▓░ 90 %",
    ]


@pytest.mark.parametrize(
    ("usual_s", "words"),
    [
        (None, "около 60 с"),
        (3, "около 3 с"),
        (42, "около 40 с"),
        (88, "около 90 с"),
        (100, "около 2 мин"),
        (600, "около 10 мин"),
    ],
)
def test_the_usual_time_is_ours_and_before_there_is_one_that_of_the_models_pace(
    usual_s: int | None, words: str
) -> None:
    for status in (JobStatus.PENDING, JobStatus.RUNNING):
        assert words in face_of(status=status, wait=Wait(usual_s=usual_s)).text


def test_a_waiting_customer_reads_the_place_and_when_it_starts() -> None:
    assert "В очереди: 3-й, начнём примерно через 20 с" in face_of(**FACES["third in the queue"]).text
    assert "впереди больше 50" in face_of(**FACES["far in the queue"]).text
    paused = face_of(**FACES["Kie takes no orders"])
    assert "сколько ждать, не знаю" in paused.text
    assert acts(paused) == ["cancel", "sos"]


def test_a_slow_job_says_how_long_it_took_and_an_overdue_one_offers_both_ways_out() -> None:
    slow = face_of(**FACES["slow"], wait=Wait(usual_s=42))
    assert "прошло больше 2 мин, обычно около 40 с" in slow.text
    assert acts(slow) == ["sos"]
    overdue = face_of(**FACES["overdue"])
    assert "Можно подождать" in overdue.text
    assert "отменить: сумма сразу вернётся" in overdue.text
    assert acts(overdue) == ["cancel", "sos"]

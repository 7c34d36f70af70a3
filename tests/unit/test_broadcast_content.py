"""What an operator writes for a broadcast is refused in words where Telegram would refuse it, and shown safely on a page."""

import pytest

from photomat.broadcasts.content import BroadcastButton, BroadcastContent, BroadcastMedia, check_content
from photomat.broadcasts.markup import as_page, check_markup, visible_length
from photomat.broadcasts.segment import Segment, problem_with, segment_from_json
from photomat.kernel.errors import Rejected
from photomat.operators.broadcasts import problem_of
from photomat.texts.load import load_texts
from photomat.texts.sentence import Sentence
from photomat_sandbox.telegram.formatting import parse_html

GOOD = (
    "Просто текст & всё > ничего",
    '<b>жирный <i>и курсив</i></b> <a href="https://example.com/?a=1&amp;b=2">ссылка</a>',
    '<tg-spoiler>тайна</tg-spoiler> <span class="tg-spoiler">и эта</span>',
    "<blockquote expandable>цитата</blockquote><pre>x</pre><code>y</code>",
    "<STRONG>a</STRONG> &lt;b&gt; &#128512;",
)
BAD = (
    ("<div>a</div>", "broadcast-tag-unknown"),
    ("<span>a</span>", "broadcast-tag-unknown"),
    ("<b>a", "broadcast-tag-not-closed"),
    ("a</b>", "broadcast-tag-not-opened"),
    ("<b><i>a</b></i>", "broadcast-tag-crossed"),
    ("1 < 2", "broadcast-loose-bracket"),
    ('<a href="javascript:alert(1)">a</a>', "broadcast-link-bad"),
    ("<a>a</a>", "broadcast-link-bad"),
    ("<script>alert(1)</script>", "broadcast-tag-unknown"),
)


@pytest.mark.parametrize("text", GOOD)
def test_what_telegram_takes_is_taken_and_measured_as_telegram_does(text: str) -> None:
    check_markup(text)
    plain, _ = parse_html(text)
    assert visible_length(text) == len(plain.encode("utf-16-le")) // 2


@pytest.mark.parametrize(("text", "key"), BAD)
def test_what_telegram_refuses_is_refused_in_words(text: str, key: str) -> None:
    with pytest.raises(Rejected) as refused:
        check_content(BroadcastContent(text_ru=text))
    assert refused.value.text_key == key
    problem = problem_of(BroadcastContent(text_ru=text), Segment())
    assert problem is not None
    assert problem.plain
    assert problem.in_(load_texts().speaker("ru"))


def test_a_page_shows_it_without_a_way_to_run_anything() -> None:
    shown = as_page('<b onclick="x">a</b> "q" &lt;script&gt;\n<a href="https://e.com">l</a>')
    assert shown == '<b>a</b> &quot;q&quot; &lt;script&gt;<br><span class="link">l</span>'


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (BroadcastContent(text_ru=" "), "broadcast-text-empty"),
        (BroadcastContent(text_ru="x" * 4097), "broadcast-text-long"),
        (BroadcastContent(text_ru="x", text_en="😀" * 2049), "broadcast-text-long"),
        (BroadcastContent(text_ru="x" * 1025, media=BroadcastMedia(kind="photo", file_id="f")), "broadcast-text-long"),
        (BroadcastContent(text_ru="x", media=BroadcastMedia(kind="photo")), "broadcast-media-one"),
        (BroadcastContent(text_ru="x", media=BroadcastMedia(kind="photo", upload=b"")), "broadcast-media-large"),
        (BroadcastContent(text_ru="x", button=BroadcastButton(title_ru="")), "broadcast-button-title"),
        (BroadcastContent(text_ru="x", button=BroadcastButton(title_ru="a")), "broadcast-button-one"),
        (BroadcastContent(text_ru="x", button=BroadcastButton(title_ru="a", url="file:///etc")), "broadcast-link-bad"),
        (BroadcastContent(text_ru="x", button=BroadcastButton(title_ru="a", opens="wallet")), "broadcast-button-opens"),
    ],
)
def test_what_cannot_be_sent_is_refused(content: BroadcastContent, key: str) -> None:
    with pytest.raises(Rejected) as refused:
        check_content(content)
    assert refused.value.text_key == key


def test_limits_are_reached_exactly() -> None:
    check_content(BroadcastContent(text_ru="<b>" + "x" * 4096 + "</b>"))
    check_content(BroadcastContent(text_ru="x" * 1024, media=BroadcastMedia(kind="video", file_id="f")))


def test_a_segment_survives_its_row_and_contradictions_are_refused() -> None:
    whole = Segment(language="en", paid=False, ordered_within_days=3, balance_from=0, kind="image", user_ids=[1, 2])
    assert segment_from_json(whole.as_json()) == whole
    assert segment_from_json(Segment().as_json()) == Segment()
    assert problem_with(whole) is None
    assert problem_with(Segment(never_ordered=True, model="z-image")) == Sentence("broadcast-segment-contradiction")
    assert problem_with(Segment(user_ids=[])) == Sentence("broadcast-segment-ids")
    assert problem_with(Segment(ordered_within_days=0)) == Sentence("broadcast-segment-days")
    assert problem_with(Segment(language="de")) == Sentence("broadcast-segment-language")

"""What an operator reads at three in the morning: every kind has its words in both languages, whole and well-formed."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from photomat.alerts.incident import Figures, IncidentKind, IncidentNotice, IncidentPhase
from photomat.alerts.rules import RULES
from photomat.alerts.sender import message_of
from photomat.kernel.ids import ChatId, Fence
from photomat.texts.load import LANGUAGES, load_texts

FIGURES: dict[IncidentKind, Figures] = {
    IncidentKind.NO_ACTIVE: {"alive": 2},
    IncidentKind.TWO_ACTIVE: {"active": 2},
    IncidentKind.AUDIT: {"count": 1, "names": "<b>ledger-balances"},
    IncidentKind.PROOF_MISSING: {"hours": 27},
    IncidentKind.STOPPED_JOBS: {"count": 3, "job": 1017},
    IncidentKind.UNDELIVERED: {"count": 4, "job": 9, "minutes": 12},
    IncidentKind.PARKED_DELIVERIES: {"count": 1, "job": 5},
    IncidentKind.REFUSED_MEDIA: {"count": 1, "job": 5},
    IncidentKind.UNREAD_RESULTS: {"count": 2, "job": 5, "fields": "resultJson.<b>organUrl"},
    IncidentKind.PARKED_UPDATES: {"count": 1},
    IncidentKind.ORPHANS: {"count": 6},
    IncidentKind.KIE_KEY: {},
    IncidentKind.KIE_CREDITS: {"credits": 12},
    IncidentKind.KIE_PAUSED: {"code": 402, "count": 8},
    IncidentKind.OLD_TRANSACTION: {"pid": 4242, "minutes": 31},
    IncidentKind.DISK: {"free": 312, "threshold": 1024},
    IncidentKind.PARTITIONS: {"tables": "job_events, callbacks", "left": 1200},
    IncidentKind.DATABASE_SIZE: {"size": 480, "threshold": 450},
    IncidentKind.RECEIPTS_WAITING: {"count": 2, "receipt": 7, "minutes": 61},
    IncidentKind.TICKETS_WAITING: {"count": 2, "ticket": 45, "minutes": 61},
    IncidentKind.APPEALS_WAITING: {"count": 2, "minutes": 75},
    IncidentKind.RESULTS_STORE: {"count": 3, "minutes": 12},
    IncidentKind.BACKUP: {"hours": 30, "wanted": 24, "error": "pg_dump failed: <b>no room"},
    IncidentKind.FISCAL_RECEIPTS: {"late": 5, "blocked": 2, "fiscal": 91},
    IncidentKind.TAX_SERVICE: {"count": 6, "cause": "password"},
    IncidentKind.SHOP_RECEIPTS: {"count": 3, "setting": "YOOKASSA_RECEIPTS", "reason": "Receipt is <b>missing"},
}
TAGS = re.compile(r"</?(?:b|code)>")


def notice(
    kind: IncidentKind,
    *,
    about: IncidentPhase = IncidentPhase.OPEN,
    language: str = "ru",
    lasted_s: float | None = None,
) -> IncidentNotice:
    """A notice as it is claimed."""
    return IncidentNotice(
        incident_id=12,
        admin_id=ChatId(1),
        about=about,
        fence=Fence(1),
        attempts=1,
        kind=kind,
        figures=FIGURES[kind],
        opened_at=datetime(2026, 11, 15, 3, 12, tzinfo=UTC),
        lasted=None if lasted_s is None else timedelta(seconds=lasted_s),
        language=language,
    )


def test_every_kind_is_watched_once() -> None:
    assert sorted(watch.kind for watch in RULES) == sorted(IncidentKind)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", IncidentKind)
def test_every_kind_says_what_happened_and_what_to_do_in_valid_markup(kind: IncidentKind, language: str) -> None:
    text = message_of(load_texts(), notice(kind, language=language))
    assert "👉" in text
    assert "photomat incidents" in text
    assert "03:12 UTC" in text
    tags = TAGS.findall(text)
    assert tags[::2] == [tag.replace("</", "<") for tag in tags[1::2]], "each opens and closes, none inside another"
    assert "<" not in TAGS.sub("", text)
    assert len(text) < 1000
    for name, figure in FIGURES[kind].items():
        if name == "cause":
            continue  # it chooses the sentence
        assert str(figure).replace("<", "&lt;").replace(">", "&gt;") in text or kind is IncidentKind.UNDELIVERED


@pytest.mark.parametrize(
    ("seconds", "words"), [(20, "меньше минуты"), (840, "14 мин"), (3600, "1 ч 0 мин"), (90_061, "25 ч 1 мин")]
)
def test_the_end_says_how_long_it_lasted(seconds: float, words: str) -> None:
    text = message_of(load_texts(), notice(IncidentKind.AUDIT, about=IncidentPhase.OVER, lasted_s=seconds))
    assert text == f"✅ Прошло: <b>Сверка не сходится</b>\n\nДлилось {words}. Инцидент 12."


@pytest.mark.parametrize(("code", "advice"), [(401, "KIE_API_KEY"), (402, "Top up"), (433, "Raise the limit")])
def test_a_pause_names_its_cause(code: int, advice: str) -> None:
    paused = replace(notice(IncidentKind.KIE_PAUSED, language="en"), figures={"code": code, "count": 1})
    assert advice in message_of(load_texts(), paused)

"""Every sentence exists in both languages with the same variables, and none is unused or missing."""

import ast
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import get_args

import pytest
from fluent.runtime.types import fluent_number
from fluent.syntax import FluentParser
from fluent.syntax.ast import Message, VariableReference
from fluent.syntax.visitor import Visitor

import photomat
from photomat.app.personal_data import BLOCKERS, TABLES
from photomat.app.settings import Settings
from photomat.bot.admin.action_views import REASONS
from photomat.bot.admin.buttons import AdminPage, BroadcastAction, BroadcastSegment, Verb
from photomat.bot.admin.job_views import STEPS
from photomat.bot.admin.today_views import OPENS
from photomat.bot.admin.views import MENU
from photomat.bot.app import COMMANDS, OPERATORS_COMMANDS
from photomat.bot.moderation.handlers import ANSWERS as APPEAL_ANSWERS
from photomat.bot.support.views import REASONS as TICKET_REASONS
from photomat.bot.wallet.views import BOTH_WAYS, ONE_WAY, PAYMENT_SOURCES, REFERRALS
from photomat.catalog.formula import UNIT_WORDS
from photomat.catalog.input import FILE_KINDS, InputType
from photomat.catalog.model import STRENGTHS
from photomat.catalog.storefront import EVERYTHING, MENU_CATEGORIES, MENU_GROUPS, OfferFilter
from photomat.catalog.wishes import wishes
from photomat.catalog.words import VoiceAccent, VoiceSex
from photomat.delivery.caption import KNOWN_NAMES
from photomat.delivery.fallbacks import FallbackReason
from photomat.delivery.next_steps import OFFERED
from photomat.delivery.render import failure_word
from photomat.delivery.resend import ResendAnswer
from photomat.jobs.gallery import GalleryFilter
from photomat.jobs.job import ANSWER_TITLE, JobStatus
from photomat.jobs.timeline import Tag
from photomat.kie.results import STEM_TITLES
from photomat.messages.notices import FileKind
from photomat.moderation.rules import shipped_rules
from photomat.operators.explain import WORDS
from photomat.operators.money import OWNED
from photomat.operators.orphans import SAYS as ATTACH_SAYS
from photomat.orders.outcome import LimitKind as LimitWhy
from photomat.payments.notices import ReceivedKey
from photomat.payments.options import PaymentMethod
from photomat.payments.receipt import ReceiptState
from photomat.reports.backlog import BACKLOGS
from photomat.reports.health import ABSORBED
from photomat.reports.orphans import WHY as ORPHAN_WHY
from photomat.rewards.promo import PromoRefusal
from photomat.support.thread import SupportLimit
from photomat.support.ticket import TicketEvent, Topic
from photomat.texts.load import LANGUAGES, MissingText, load_texts

CODE = Path(photomat.__file__).parent
SPEAKERS = {
    "say",
    "_say",
    "hint",
    "EndedMessage",
    "screen_button",
    "Refused",
    "Rejected",
    "notify",
    "_tell",
    "_credit_and_notify",
    "NoticeButton",
    "Sentence",
}
IN_TEMPLATE = re.compile(r"""\bt\(\s*["']([a-z0-9-]+)["']\s*[,)]""")
STARTS_IN_TEMPLATE = re.compile(r"""["']([a-z0-9-]+-)["'] ~""")
IN_CODE = re.compile(r'"(console-[a-z0-9-]+[a-z0-9])"')
STARTS_IN_CODE = re.compile(r'"(console-[a-z0-9-]+-){')
A_KEY = re.compile(r"[a-z]+(-[a-z_]+)*")
OPERATORS_READ = {"cannot-be-corrected", "gives-back-too-much", "no-such-move", "no-such-payment", "not-charged"}
"""What the ledger refuses an operator; `operators/money.py` and `payments.py` say it in English."""

PROVIDERS_SAY = {"provider-refused", "refund-refused", "refund-by-hand"}
"""A payment provider's no, for rows and logs: the customer reads that this way does not work now."""

MOVES = ONE_WAY | {f"{reason}-{way}" for reason in BOTH_WAYS for way in ("in", "out")} | {"gift-back", "topup-back"}
OTHERS = ("card-", "ring-", "fail-", "alert-")
"""Keys that `delivery` puts together from a job's row, and `alerts` from an incident's kind."""


class _Variables(Visitor):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: VariableReference) -> None:  # noqa: N802  fluent's name
        self.names.add(node.id.name)


def sentences(language: str) -> dict[str, set[str]]:
    """Every key with its variables."""
    files = [file for file in resources.files("photomat.texts").joinpath(language).iterdir() if file.is_file()]
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    found: dict[str, set[str]] = {}
    for entry in FluentParser().parse(source).body:
        if isinstance(entry, Message):
            assert entry.id.name not in found, f"{entry.id.name} is there twice"
            variables = _Variables()
            variables.visit(entry)
            found[entry.id.name] = variables.names
    return found


def keys_in_code() -> set[str]:
    """Every key that stands literally in a call that speaks."""
    return {key for file in CODE.rglob("*.py") for key in _keys_of(ast.parse(file.read_text(encoding="utf-8")))}


def _keys_of(tree: ast.AST) -> Iterator[str]:
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in SPEAKERS:
            named = [keyword.value for keyword in call.keywords if keyword.arg in {"key", "text_key"}]
            for argument in [*call.args[:2], *named]:
                yield from _literals(argument)


def _literals(argument: ast.expr) -> Iterator[str]:
    if isinstance(argument, ast.IfExp):
        yield from _literals(argument.body)
        yield from _literals(argument.orelse)
    elif isinstance(argument, ast.Constant) and isinstance(argument.value, str) and "-" in argument.value:
        yield argument.value


def keys_of_console() -> set[str]:
    """Every key that a template of the console says, and those that begin like what a page or template puts together."""
    templates = [file.read_text(encoding="utf-8") for file in (CODE / "console" / "templates").glob("*.html")]
    code = [file.read_text(encoding="utf-8") for file in (CODE / "console").rglob("*.py")]
    said = {key for source in templates for key in IN_TEMPLATE.findall(source)}
    said |= {key for source in code for key in IN_CODE.findall(source)}
    starts = {start for source in templates for start in STARTS_IN_TEMPLATE.findall(source)}
    starts |= {start for source in code for start in STARTS_IN_CODE.findall(source)}
    return said | {key for key in sentences("ru") if key.startswith(tuple(starts))}


def keys_made_up() -> set[str]:
    """The keys that code puts together."""
    return {
        *(f"form-ask-{kind}" for kind in get_args(InputType)),
        *(f"export-file-{name.replace('_', '-')}" for name, table in TABLES.items() if table.of_user),
        *(f"why-{why}" for why in FallbackReason),
        *(f"why-unit-{word}" for word in UNIT_WORDS),
        *(f"prices-rate-{word}" for word in UNIT_WORDS),
        *(f"order-files-{kind}" for kind in FILE_KINDS),
        *STEM_TITLES,
        ANSWER_TITLE,
        *KNOWN_NAMES.values(),
        *(f"tap-limit-{why}" for why in LimitWhy),
        *(f"promo-refused-{why}" for why in PromoRefusal),
        *(f"tap-resend-{asked}" for asked in ResendAnswer),
        *(f"history-fail-{failure_word(code)}" for code in (None, "kie-422", "timeout", "empty", "input-gone")),
        *(f"pay-way-{way}" for way in get_args(PaymentMethod)),
        *get_args(ReceivedKey),
        *(f"lang-{language}" for language in LANGUAGES),
        *(f"transfer-toast-{state}" for state in ReceiptState),
        *(f"wallet-move-{kind}" for kind in MOVES),
        *(f"wallet-why-{kind}" for kind in MOVES - {"charge", "refund"}),
        *(f"wallet-way-{way}" for way in PAYMENT_SOURCES),
        *(f"wallet-referral-{way}" for way in REFERRALS),
        *(f"setting-about-{name.replace('_', '-')}" for name in Settings.model_fields),
        *(f"command-{command}" for command in (*COMMANDS, *OPERATORS_COMMANDS)),
        *(f"admin-page-{page}" for page in (*MENU, AdminPage.MENU)),
        *(key for key, _page in OPENS.values()),
        *(f"admin-status-{status}" for status in JobStatus),
        *(f"admin-step-{step.removesuffix('_at')}" for step in STEPS),
        *(f"admin-{what}-{verb}" for verb in Verb for what in ("confirm", "yes")),
        *(f"admin-verb-{verb}" for verb in Verb if verb.is_about_job or verb.is_about_user),
        *(f"admin-ask-{verb}" for verb in Verb if verb.asks_sum),
        *(f"admin-reason-{reason}" for reasons in REASONS.values() for reason in reasons),
        *(f"admin-cast-ask-{act}" for act in (BroadcastAction.START, BroadcastAction.RESUME, BroadcastAction.DELETE)),
        *(f"admin-cast-segment-{each}" for each in BroadcastSegment),
        *(f"admin-cast-step-{each}" for each in ("draft", "ready")),
        *(f"gallery-filter-{only}" for only in GalleryFilter),
        *(f"health-loop-{loop}" for loop in BACKLOGS),
        *(blocker.text_key for blocker in BLOCKERS),
        *(f"health-step-{step}" for step in ("callback", "settle", "show")),
        *(f"health-absorbed-{name}" for name in ABSORBED),
        *(f"content-reason-{rule.id}" for rule in shipped_rules()),
        *APPEAL_ANSWERS.values(),
        *(f"support-topic-{topic}" for topic in Topic),
        *(f"support-limit-{what}" for what in SupportLimit),
        *(f"ticket-event-{event}" for event in TicketEvent),
        *(f"ticket-file-{kind}" for kind in get_args(FileKind)),
        *(f"ticket-reason-{reason}" for reasons in TICKET_REASONS.values() for reason in reasons),
        *("ticket-topic", "ticket-job", "ticket-where"),
        *(f"next-{wish}" for offered in OFFERED.values() for wish in offered),
        *(f"wish-{wish.id}" for wish in (*MENU_CATEGORIES, EVERYTHING)),
        *(f"group-{group.id}{asks}" for group in MENU_GROUPS for asks in ("", "-ask")),
        *(f"good-{mark}" for mark in ("best", "cheap", "fast-cheap", *STRENGTHS)),
        *(f"wish-short-{wish}" for wish in wishes()),
        *(f"list-{only}" for only in OfferFilter if only is not OfferFilter.ALL),
        *OWNED.values(),
        *ATTACH_SAYS.values(),
        *ORPHAN_WHY.values(),
        *(key for key in sentences("ru") if key.startswith("did-")),
        *(f"step-{tag.replace(' ', '-')}" for tag in Tag),
        *(f"move-{reason}" for reason in WORDS),
        *(f"voice-{use}-{fact}" for use in ("only", "sign") for fact in (*get_args(VoiceSex), *get_args(VoiceAccent))),
    }


def test_both_languages_have_the_same_sentences_with_the_same_variables() -> None:
    assert sentences("ru") == sentences("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_that_is_used_exists(language: str) -> None:
    never_shown = {"not-an-update", "card-gone", "card-is-media"} | OPERATORS_READ | PROVIDERS_SAY
    used = {key for key in keys_in_code() | keys_made_up() | keys_of_console() if A_KEY.fullmatch(key)} - never_shown
    assert used - sentences(language).keys() == set()


def test_no_sentence_is_left_over() -> None:
    single_words = {
        "greeting",
        "home",
        "help",
        "question",
        "balance",
        "history",
        "parked",
        "resent",
        "original",
        "invited",
    }
    ours = {key for key in sentences("ru") if not key.startswith(OTHERS)}
    unused = ours - keys_in_code() - keys_made_up() - keys_of_console() - single_words
    assert unused == set(), "no `say` names these; a key of one word is not recognised: give it a topic, `topic-word`"


def test_a_missing_key_and_a_missing_fact_are_refused() -> None:
    texts = load_texts()
    with pytest.raises(MissingText, match="no-such"):
        texts.say("ru", "no-such")
    with pytest.raises(MissingText, match="greeting"):
        texts.say("ru", "greeting", name="Анна")


@pytest.mark.parametrize(("limit", "words"), [(1, "1 символа"), (21, "21 символа"), (1000, "1000 символов")])
def test_numbers_choose_their_plural_and_are_not_grouped(limit: int, words: str) -> None:
    assert words in load_texts().say("ru", "form-limit-length", limit=limit)


def test_a_fact_may_be_called_language() -> None:
    assert load_texts().speaker("ru")("broadcast-to-language", language="en") == "язык: английский"


def test_a_long_fact_is_said_whole() -> None:
    said = load_texts().say("ru", "card-done", model="Z-Image", inputs="&quot;" * 999, price="1 ₽")
    assert said.count("&quot;") == 999
    assert "Z-Image" in said


def test_braces_in_a_fact_are_said_as_they_are() -> None:
    assert load_texts().say("ru", "draft-input", title="{value}", value="a{0}b}") == "{value}: a{0}b}"


def test_a_text_that_only_inserts_is_said_as_fluent_says_it() -> None:
    texts = load_texts()
    for language, bundle in texts.bundles.items():
        pattern = bundle.get_message("draft-input").value
        assert pattern is not None
        for number in (0, -3, 1_234_567):
            written = fluent_number(number, useGrouping=False)
            said, _ = bundle.format_pattern(pattern, {"title": written, "value": written})
            assert texts.say(language, "draft-input", title=number, value=number) == said

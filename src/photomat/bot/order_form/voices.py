"""The list of voices a question offers, with filters by sex and accent. Pure.

A voice that has a sample gets a button to hear it beside its own; the two are narrow, so its description stands in the text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import ceil
from typing import Final, get_args

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import HearVoiceButton, OptionButton, VoicesButton
from photomat.bot.order_form.form import Form
from photomat.bot.view import Rows, button, page_turns
from photomat.catalog.input import Input
from photomat.catalog.words import VoiceAccent, VoiceFacts, VoiceSex
from photomat.kernel.text import cut
from photomat.texts.load import Say

ON_A_PAGE: Final = 6
"""With the lines that describe them, as many as a phone shows at once."""
MAX_LABEL_LENGTH: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One voice, by its number among the options of its question; `name` is its label up to the dash."""

    number: int
    label: str
    facts: VoiceFacts
    has_sample: bool

    @property
    def name(self) -> str:
        return self.label.partition(" — ")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceFilter:
    sex: VoiceSex | None = None
    accent: VoiceAccent | None = None

    def fits(self, voice: Voice) -> bool:
        return self.sex in {None, voice.facts.sex} and self.accent in {None, voice.facts.accent}


ALL_VOICES: Final = VoiceFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class VoicePage:
    """A page of the voices that fit the filter, the first being 0; one beyond the last is the last."""

    voices: Sequence[Voice]
    only: VoiceFilter = ALL_VOICES
    page: int = 0

    @property
    def fitting(self) -> list[Voice]:
        return [each for each in self.voices if self.only.fits(each)]

    @property
    def pages(self) -> int:
        return max(1, ceil(len(self.fitting) / ON_A_PAGE))

    @property
    def number(self) -> int:
        return min(self.page, self.pages - 1)

    @property
    def shown(self) -> list[Voice]:
        return self.fitting[self.number * ON_A_PAGE : (self.number + 1) * ON_A_PAGE]

    @property
    def filters(self) -> list[dict[str, VoiceFilter]]:
        """What a tap on each filter leads to, by its name; sexes and accents apart. A filter that is set is taken off."""
        sexes = {each: replace(self.only, sex=each) for each in get_args(VoiceSex)}
        accents = {each: replace(self.only, accent=each) for each in get_args(VoiceAccent)}
        return [
            self._offered(sexes, without=replace(self.only, sex=None)),
            self._offered(accents, without=replace(self.only, accent=None)),
        ]

    def is_set(self, name: str) -> bool:
        return name in {self.only.sex, self.only.accent}

    def _offered(self, filters: Mapping[str, VoiceFilter], *, without: VoiceFilter) -> dict[str, VoiceFilter]:
        """Those that leave some of the voices but not all."""
        of_all = self._count(without)
        return {
            name: without if self.is_set(name) else only
            for name, only in filters.items()
            if self.is_set(name) or 0 < self._count(only) < of_all
        }

    def _count(self, only: VoiceFilter) -> int:
        return sum(only.fits(each) for each in self.voices)


def is_voice_choice(asked: Input, known: Mapping[str, VoiceFacts]) -> bool:
    return any(each in known for each in asked.options)


def voices_of(
    asked: Input, known: Mapping[str, VoiceFacts], *, samples: frozenset[str], language: str
) -> tuple[Voice, ...]:
    return tuple(
        Voice(
            number=number,
            label=asked.label(option, language),
            facts=known.get(option, VoiceFacts()),
            has_sample=option in samples,
        )
        for number, option in enumerate(asked.options)
    )


def voice_lines(say: Say, page: VoicePage) -> list[str]:
    lines = [say("form-options-page", page=page.number + 1, pages=page.pages)] if page.pages > 1 else []
    if any(each.has_sample for each in page.shown):
        lines += ["", *(escape(voice_in_words(say, each)) for each in page.shown), "", say("voice-list-hint")]
    return lines


def voice_rows(say: Say, form: Form, page: VoicePage) -> Rows:
    turns = page_turns(
        (say("voice-list-previous"), say("voice-list-next")),
        lambda number: _list_button(form, page.only, page=number),
        page=page.number,
        has_more=page.number + 1 < page.pages,
    )
    filters = [[_filter(say, form, page, name, to) for name, to in row.items()] for row in page.filters if row]
    return [*filters, *(_voice_row(say, form, each) for each in page.shown), *turns]


def voice_in_words(say: Say, voice: Voice) -> str:
    """Who it is: «👩 Ana Rita — плавный, светлый 🇬🇧»."""
    accent = voice.facts.accent
    known = _with_sex(say, voice, voice.label)
    return f"{known} {say(f'voice-sign-{accent}')}" if accent else known


def sample_caption(say: Say, voice: Voice, *, drawn: bool) -> str:
    return say("voice-sample-drawn" if drawn else "voice-sample", voice=escape(voice_in_words(say, voice)))


def choose_button(say: Say, form: Form, voice: Voice) -> InlineKeyboardButton:
    data = OptionButton(form_id=form.form_id, turn=form.turn, option=voice.number)
    return button(say("voice-choose"), data)


def _voice_row(say: Say, form: Form, voice: Voice) -> list[InlineKeyboardButton]:
    label = _with_sex(say, voice, voice.name) if voice.has_sample else voice_in_words(say, voice)
    pick = OptionButton(form_id=form.form_id, turn=form.turn, option=voice.number)
    row = [button(cut(label, MAX_LABEL_LENGTH), pick)]
    if voice.has_sample:
        hear = HearVoiceButton(form_id=form.form_id, turn=form.turn, option=voice.number)
        row.append(button(say("voice-hear"), hear))
    return row


def _with_sex(say: Say, voice: Voice, text: str) -> str:
    sex = voice.facts.sex
    return f"{say(f'voice-sign-{sex}')} {text}" if sex else text


def _filter(say: Say, form: Form, page: VoicePage, name: str, leads_to: VoiceFilter) -> InlineKeyboardButton:
    label = say(f"voice-only-{name}")
    return button(say("voice-only-set", name=label) if page.is_set(name) else label, _list_button(form, leads_to))


def _list_button(form: Form, only: VoiceFilter, *, page: int = 0) -> VoicesButton:
    return VoicesButton(form_id=form.form_id, turn=form.turn, sex=only.sex, accent=only.accent, page=page)

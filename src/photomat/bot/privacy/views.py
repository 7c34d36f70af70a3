"""The pages of /privacy, /export and /forget, and the question for consent."""

from collections.abc import Sequence
from datetime import timedelta
from html import escape

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import ConsentAction, ConsentButton, PrivacyAction, PrivacyButton
from photomat.bot.context import PrivacyOptions, UpdateContext
from photomat.bot.price_views import span
from photomat.bot.view import Rows, View, button, to_home
from photomat.kernel.money import Money
from photomat.texts.load import Say
from photomat.users.consent import Consent


def privacy_page(ctx: UpdateContext, options: PrivacyOptions, consent: Consent | None) -> View:
    """What is stored, why, for how long, and who receives it; the operator's own document, if there is one."""
    say, kept = ctx.say, options.kept_days
    parts = [
        say("privacy-stored"),
        say(
            "privacy-kept",
            drafts=_days(say, kept["drafts"]),
            files=_days(say, kept["input_files"]),
            copies=_days(say, kept["result_copies"]),
            updates=_days(say, kept["updates"]),
            notices=_days(say, kept["notices"]),
            tickets=_days(say, kept["tickets"]),
            refused=_days(say, kept["refused_texts"]),
        ),
        say("privacy-receivers", providers=_receivers(say, options)),
        _operator(say, options.url, ctx.config.support.contact),
        say("privacy-rights"),
    ]
    if consent is not None:
        given = f"{consent.given_at:%d.%m.%Y}"
        parts.append(say("privacy-consent", version=escape(consent.version), given=given))
    rows = [
        [
            button(say("privacy-export"), PrivacyButton(action=PrivacyAction.EXPORT)),
            button(say("privacy-forget"), PrivacyButton(action=PrivacyAction.FORGET)),
        ]
    ]
    if consent is not None:
        rows.append([button(say("privacy-withdraw"), PrivacyButton(action=PrivacyAction.WITHDRAW))])
    return View(text="\n\n".join(parts), rows=[*rows, [to_home(say)]])


def _days(say: Say, days: int) -> str:
    return say("privacy-days", days=days) if days else say("privacy-days-always")


def _receivers(say: Say, options: PrivacyOptions) -> str:
    named = ", ".join(say(f"wallet-way-{each}") for each in options.payment_providers)
    return say("privacy-paid-with", names=named) if named else say("privacy-paid-stars")


def _operator(say: Say, url: str | None, contact: str) -> str:
    who = say("privacy-contact", contact=escape(contact)) if contact else say("privacy-contact-here")
    return f"{who}\n{say('privacy-document', url=escape(url))}" if url is not None else who


def export_queued(say: Say) -> View:
    return View(text=say("export-queued"), rows=[[to_home(say)]])


def export_wait(say: Say, wait: timedelta) -> View:
    return View(text=say("export-wait", wait=span(say, wait)), rows=[[to_home(say)]])


def forget_page(say: Say, *, balance: Money, owed: Money) -> View:
    """What goes, what stays, what becomes of the balance; the button names the sum that was shown."""
    parts = [say("forget-page")]
    if balance.minor:
        parts.append(say("forget-balance", balance=balance))
    if owed.minor:
        parts.append(say("forget-debt", owed=owed))
    parts.append(say("forget-elsewhere"))
    confirm = PrivacyButton(action=PrivacyAction.CONFIRM, shown=balance.minor)
    rows: Rows = [
        [button(say("forget-confirm"), confirm)],
        [button(say("forget-keep"), PrivacyButton(action=PrivacyAction.PAGE))],
    ]
    return View(text="\n\n".join(parts), rows=rows)


def forget_blocked(say: Say, reasons: Sequence[str]) -> View:
    lines = [f"• {say(reason)}" for reason in reasons]
    back = button(say("privacy-back"), PrivacyButton(action=PrivacyAction.PAGE))
    return View(text="\n".join([say("forget-blocked"), "", *lines]), rows=[[back]])


def forget_begun(say: Say) -> View:
    return View(text=say("forget-begun"), rows=[])


def withdrawn(say: Say) -> View:
    return View(
        text=say("consent-withdrawn"), rows=[[button(say("privacy-back"), PrivacyButton(action=PrivacyAction.PAGE))]]
    )


def ask_consent(ctx: UpdateContext, *, draft_id: int = 0, update: int = 0) -> View:
    """The question, in place of the card of a draft or of the answer to an update."""
    say, document = ctx.say, ctx.orders.consent
    url = None if document is None else document.url
    read = InlineKeyboardButton(text=say("consent-read"), url=url) if url else None
    agree = ConsentButton(action=ConsentAction.AGREE, draft_id=draft_id, update=update)
    decline = ConsentButton(action=ConsentAction.DECLINE, draft_id=draft_id, update=update)
    show = ConsentButton(action=ConsentAction.READ, draft_id=draft_id, update=update)
    rows: Rows = [
        [button(say("consent-agree"), agree)],
        [read or button(say("consent-read"), show), button(say("consent-decline"), decline)],
    ]
    return View(text=say("consent-ask"), rows=rows)


def consent_text(ctx: UpdateContext, *, draft_id: int, update: int) -> View:
    """Our own document, with the same choice below it."""
    say = ctx.say
    agree = ConsentButton(action=ConsentAction.AGREE, draft_id=draft_id, update=update)
    back = ConsentButton(action=ConsentAction.BACK, draft_id=draft_id, update=update)
    decline = ConsentButton(action=ConsentAction.DECLINE, draft_id=draft_id, update=update)
    rows: Rows = [
        [button(say("consent-agree"), agree)],
        [button(say("consent-back"), back), button(say("consent-decline"), decline)],
    ]
    return View(text=say("consent-document"), rows=rows)


def consent_declined(say: Say) -> View:
    return View(text=say("consent-declined"), rows=[[to_home(say)]])


def consent_thanks(say: Say) -> View:
    return View(text=say("consent-thanks"), rows=[[to_home(say)]])

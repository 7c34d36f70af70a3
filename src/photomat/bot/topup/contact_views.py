"""Where fiscal receipts go: the question before the first payment, and the page that changes the answer. Pure."""

from html import escape

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import ContactAction, FiscalContactButton, PayButton, PayStep, Screen
from photomat.bot.view import View, button, screen_button, to_home
from photomat.fiscal.contacts import Contact, ContactProblem
from photomat.kernel.money import Money
from photomat.payments.options import PaymentMethod
from photomat.texts.load import Say


def contact_question(say: Say, *, email_only: bool, amount: Money, method: PaymentMethod, draft_id: int) -> View:
    """Asked before an invoice; the way back leads to the sums."""
    back = PayButton(step=PayStep.SUMS, way=method, amount=0, draft_id=draft_id)
    text = f"{_ask(say, email_only=email_only)}\n\n{say('fiscal-contact-then', sum=amount)}"
    return View(text=text, rows=[[button(say("pay-back"), back)]], expects_text=True)


def change_question(say: Say, *, email_only: bool) -> View:
    return View(text=_ask(say, email_only=email_only), rows=[[_to_page(say)]], expects_text=True)


def contact_again(say: Say, why: ContactProblem, *, email_only: bool) -> View:
    return View(text=_problem(say, why, email_only=email_only), rows=[], expects_text=True)


def contact_page(say: Say, contact: Contact | None, *, is_new: bool = False) -> View:
    leave = [screen_button(say, "menu-balance", Screen.BALANCE), to_home(say)]
    if contact is None:
        name = button(say("fiscal-contact-name"), FiscalContactButton(action=ContactAction.CHANGE))
        return View(text=say("fiscal-contact-none"), rows=[[name], leave])
    shown = escape(contact.shown)
    text = say("fiscal-contact-saved", contact=shown) if is_new else say("fiscal-contact-page", contact=shown)
    change = button(say("fiscal-contact-change"), FiscalContactButton(action=ContactAction.CHANGE))
    delete = button(say("fiscal-contact-delete"), FiscalContactButton(action=ContactAction.DELETE))
    return View(text=text, rows=[[change, delete], leave])


def _ask(say: Say, *, email_only: bool) -> str:
    return say("fiscal-contact-ask", email_only="yes" if email_only else "no")


def _problem(say: Say, why: ContactProblem, *, email_only: bool) -> str:
    match why:
        case "email":
            return say("fiscal-contact-wrong-email")
        case "phone":
            return say("fiscal-contact-wrong-phone")
        case "email-only":
            return say("fiscal-contact-email-only")
        case "empty":
            return say("fiscal-contact-not-understood", email_only="yes" if email_only else "no")


def _to_page(say: Say) -> InlineKeyboardButton:
    return button(say("pay-back"), FiscalContactButton(action=ContactAction.SHOW))

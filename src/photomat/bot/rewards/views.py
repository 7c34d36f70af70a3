"""Promo codes, invitations and gifts in words and buttons. Pure."""

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import GiftBackButton, RewardAction, RewardButton, Screen
from photomat.bot.price_views import span
from photomat.bot.view import Rows, View, button, screen_button, to_home, to_pictures
from photomat.kernel.money import Money
from photomat.rewards.gifts import Gift, GiftState
from photomat.rewards.payouts import ReferralTerms
from photomat.rewards.promo import CodeRefused, PromoCode
from photomat.rewards.referrals import Invitations
from photomat.texts.load import Say


def rewards_rows(say: Say) -> Rows:
    return [
        [_opens(say("rewards-promo"), RewardAction.PROMO), _opens(say("rewards-gift"), RewardAction.GIFT)],
        [_opens(say("rewards-invite"), RewardAction.INVITE)],
    ]


def ask_promo(say: Say) -> View:
    return View(text=say("promo-ask"), rows=[[to_home(say)]], expects_text=True)


def promo_used(say: Say, code: PromoCode) -> View:
    return View(text=_promo_gives(say, code), rows=[[to_pictures(say)], [to_home(say)]])


def promo_refused(say: Say, written: str, refused: CodeRefused) -> View:
    """Why a code brings nothing, and where to go on; a user who guessed too often reads until when to wait."""
    key, topup = f"promo-refused-{refused.why}", screen_button(say, "menu-topup", Screen.TOPUP)
    if refused.wait is not None:
        return View(text=say(key, wait=span(say, refused.wait)), rows=[[topup], [to_home(say)]])
    text = "\n\n".join((say(key, code=escape(written.strip()[:40])), say("promo-once-more")))
    again, leave = _opens(say("promo-again"), RewardAction.PROMO), screen_button(say, "button-leave", Screen.HOME)
    return View(text=text, rows=[[again], [topup, leave]], expects_text=True)


def invite_page(say: Say, invited: Invitations, *, link: str, terms: ReferralTerms | None) -> View:
    lines = [say("invite-title"), "", *_promises(say, terms), say("invite-link", link=escape(link))]
    lines += ["", say("invite-brought", friends=invited.friends, rewarded=invited.rewarded, earned=invited.earned)]
    share = _share(say("invite-share"), link, say("invite-share-text"))
    return View(text="\n".join(lines), rows=[[share], [to_home(say)]])


def friend_greeting(say: Say, terms: ReferralTerms | None) -> str:
    if terms is None or not terms.friend.minor:
        return say("invited")
    return say("invited-reward", reward=terms.friend)


def ask_gift(say: Say, *, available: Money, waiting: Sequence[Gift]) -> View:
    """Ask for a sum; gifts that were not opened yet can be taken back here."""
    rows = [[_back(say, gift)] for gift in waiting]
    if not available.minor:
        onward = [screen_button(say, "menu-topup", Screen.TOPUP), to_home(say)]
        return View(text=say("gift-nothing"), rows=[*rows, onward])
    return View(text=say("gift-ask", available=available), rows=[*rows, [to_home(say)]], expects_text=True)


def gift_page(say: Say, gift: Gift, *, link: str) -> View:
    share = _share(say("gift-share"), link, say("gift-share-text", amount=gift.amount))
    text = say("gift-made", amount=gift.amount, link=escape(link))
    return View(text=text, rows=[[share], [_back(say, gift)], [to_home(say)]])


def gift_returned(say: Say, gift: Gift, *, owed_before: Money, owed: Money) -> str:
    """What a returned gift became: money on the balance, as far as no debt took it."""
    paid = Money(owed_before.minor - owed.minor, owed.currency)
    if paid.minor <= 0:
        return say("gift-returned", amount=gift.amount)
    rest = Money(gift.amount.minor - paid.minor, paid.currency)
    return say("gift-returned-owing", amount=gift.amount, paid=paid, rest=rest)


def gift_opened(say: Say, gift: Gift | None, *, is_mine: bool, is_giver: bool) -> str:
    if gift is None:
        return say("gift-unknown")
    if is_mine:
        return say("gift-taken" if gift.just_taken else "gift-yours", amount=gift.amount)
    if is_giver:
        return say("gift-own") if gift.state is GiftState.OPEN else say("gift-own-over")
    return say("gift-over")


def _promises(say: Say, terms: ReferralTerms | None) -> list[str]:
    if terms is None:
        return []
    lines = [say("invite-you", reward=terms.inviter)] if terms.inviter.minor else []
    lines += [say("invite-friend", reward=terms.friend)] if terms.friend.minor else []
    lines += [say("invite-percent", percent=terms.percent)] if terms.percent else []
    return [*lines, ""] if lines else []


def _promo_gives(say: Say, code: PromoCode) -> str:
    name = escape(code.code)
    match code.kind:
        case "sum":
            return say("promo-sum", code=name, amount=code.money)
        case "percent" if code.money is None:
            return say("promo-percent", code=name, percent=code.percent)
        case "percent":
            return say("promo-percent-most", code=name, percent=code.percent, most=code.money)
        case _:
            return say("promo-free", code=name, count=code.generations, most=code.money)


def _opens(text: str, action: RewardAction) -> InlineKeyboardButton:
    return button(text, RewardButton(action=action))


def _back(say: Say, gift: Gift) -> InlineKeyboardButton:
    return button(say("gift-back", amount=gift.amount), GiftBackButton(gift_id=gift.gift_id))


def _share(label: str, link: str, text: str) -> InlineKeyboardButton:
    """Telegram's own page that asks whom to send it to."""
    return InlineKeyboardButton(text=label, url=f"https://t.me/share/url?{urlencode({'url': link, 'text': text})}")

"""The page where a person pays a bill, or part of it, or cancels it. Plain forms: it works without a script.

Afterwards it redirects to the shop's return URL. A URL of Telegram leads out of the sandbox, where there is no chat: then
the page says to go back to the chat instead.
"""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from html import escape
from pathlib import Path
from string import Template
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from photomat_sandbox.pay.bills import TO_THE_CENT, Bill, SimulatedProvider
from photomat_sandbox.transcript import Transcript

FOLDER: Final = Path(__file__).parent / "payment_page"
OUTSIDE: Final = frozenset({"t.me", "telegram.me", "telegram.dog", ""})
SIGNS: Final = {"RUB": "₽", "USD": "$", "EUR": "€", "KZT": "₸", "BYN": "Br", "UAH": "₴"}
PART: Final = Decimal("0.5")
OUTCOMES: Final = {
    "paid": ("✓", "Оплачено", "Вернитесь в чат: деньги уже на пути к вашему кошельку."),
    "canceled": ("✕", "Оплата отменена", "Деньги не списаны. Вернитесь в чат."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentPage:
    provider: SimulatedProvider
    transcript: Transcript
    title: str

    def add_routes(self, app: web.Application) -> None:
        app.router.add_get("/pay/page.css", _style)
        app.router.add_get("/pay/{bill_id}", self.show)
        app.router.add_post("/pay/{bill_id}", self.act)

    async def show(self, request: web.Request) -> web.Response:
        return _html(self._page(self._bill(request)))

    async def act(self, request: web.Request) -> web.StreamResponse:
        """Do what the button says, then redirect; a bill that was closed meanwhile is only shown."""
        bill, pressed = self._bill(request), str((await request.post()).get("do", ""))
        if bill.state == "open":
            self._press(bill, pressed)
        if urlsplit(bill.return_url).hostname in OUTSIDE | {None}:
            raise web.HTTPSeeOther(request.path)
        raise web.HTTPSeeOther(bill.return_url)

    def _press(self, bill: Bill, pressed: str) -> None:
        match pressed:
            case "pay":
                self.provider.pay(bill.bill_id)
            case "part" if self.provider.allows_partial:
                self.provider.pay(bill.bill_id, _part(bill))
            case "cancel":
                self.provider.cancel(bill.bill_id)
            case _:
                raise web.HTTPBadRequest(text="unknown button")
        summary = f"a person pressed {pressed} on bill {bill.bill_id}"
        detail = {"bill_id": bill.bill_id}
        self.transcript.add(world=self.provider.vendor, kind="effect", name="page", summary=summary, detail=detail)

    def _bill(self, request: web.Request) -> Bill:
        bill = self.provider.bill(request.match_info["bill_id"])
        if bill is None:
            raise web.HTTPNotFound(text="Такого счёта нет.")
        return bill

    def _page(self, bill: Bill) -> str:
        return Template((FOLDER / "page.html").read_text(encoding="utf-8")).substitute(
            title=escape(self.title),
            amount=escape(_money(bill.amount, bill.currency)),
            description=escape(bill.description or "Без описания"),
            number=escape(bill.bill_id),
            state=bill.state,
            body=self._buttons(bill) if bill.state == "open" else _outcome(bill),
        )

    def _buttons(self, bill: Bill) -> str:
        part = f"Оплатить часть: {_money(_part(bill), bill.currency)}"
        buttons = [_button("pay", f"Оплатить {_money(bill.amount, bill.currency)}")]
        buttons += [_button("part", part)] if self.provider.allows_partial else []
        buttons += [_button("cancel", "Отказаться")]
        return f'<form method="post">{"".join(buttons)}</form>'


def _button(act: str, words: str) -> str:
    return f'<button name="do" value="{act}" class="{act}">{escape(words)}</button>'


def _outcome(bill: Bill) -> str:
    mark, head, words = OUTCOMES[bill.state]
    arrived = f"<p>Получено {escape(_money(bill.paid, bill.currency))}</p>" if bill.state == "paid" else ""
    returned = f"<p>Возвращено {escape(_money(bill.refunded, bill.currency))}</p>" if bill.refunded else ""
    return (
        f'<section role="status"><b class="mark">{mark}</b><h2>{head}</h2>{arrived}{returned}<p>{words}</p></section>'
    )


def _part(bill: Bill) -> Decimal:
    return max((bill.amount * PART).quantize(TO_THE_CENT, rounding=ROUND_DOWN), TO_THE_CENT)


def _money(amount: Decimal, currency: str) -> str:
    number = f"{amount:,.2f}".replace(",", "\N{NO-BREAK SPACE}").replace(".", ",").removesuffix(",00")
    return f"{number}\N{NO-BREAK SPACE}{SIGNS.get(currency, currency)}"


async def _style(_request: web.Request) -> web.StreamResponse:
    return web.FileResponse(FOLDER / "page.css", headers={"Cache-Control": "no-cache"})


def _html(page: str) -> web.Response:
    return web.Response(text=page, content_type="text/html", headers={"Cache-Control": "no-store"})

"""The routes under `/sandbox/` for money: pay a bill, look at one, repeat a payment's update, live a subscription."""

from collections.abc import Callable
from typing import Final

from aiohttp import web

from photomat_sandbox.control import read_object
from photomat_sandbox.telegram import person_acts, subscriptions
from photomat_sandbox.telegram.acting import Handler, acting_person, checked
from photomat_sandbox.telegram.bills import Bill
from photomat_sandbox.telegram.messages import Message
from photomat_sandbox.telegram.payments import repeat_payment
from photomat_sandbox.telegram.people import Person
from photomat_sandbox.telegram.person_acts import ImpossibleError
from photomat_sandbox.telegram.stars import Subscription
from photomat_sandbox.telegram.world import TelegramWorld

MOST_REPEATS: Final = 1000
Act = Callable[[TelegramWorld, Subscription], object]


class PaymentSide:
    """Pays for the people of one world."""

    def __init__(self, world: TelegramWorld) -> None:
        self.world = world

    def register(self, app: web.Application) -> None:
        """Add the routes."""
        app.router.add_get("/sandbox/chats/{user_id}/invoice", checked(self.show_invoice))
        app.router.add_get("/sandbox/chats/{user_id}/subscriptions", self.list_subscriptions)
        app.router.add_post("/sandbox/chats/{user_id}/pay", checked(self.pay))
        app.router.add_post("/sandbox/chats/{user_id}/repeat_payment", checked(self.repeat))
        acts: dict[str, Act] = {
            "renew": subscriptions.renew,
            "fail": subscriptions.fail,
            "cancel": subscriptions.cancel,
            "resume": subscriptions.resume,
        }
        for name, act in acts.items():
            app.router.add_post(f"/sandbox/subscriptions/{{charge_id}}/{name}", checked(self._changing(act)))

    async def show_invoice(self, request: web.Request) -> web.Response:
        """Give the bill behind a link as the payment dialog shows it."""
        person, bill = acting_person(self.world, request), self._bill(request.query.get("link", ""))
        running = self.world.stars.running(user_id=person.user_id, link=bill.link, now=self.world.now())
        return web.json_response({**bill.as_seen(), "subscribed_until": running.until if running else None})

    async def pay(self, request: web.Request) -> web.Response:
        """Pay an invoice by its message or its link."""
        person, body = acting_person(self.world, request), await read_object(request)
        if link := body.get("link"):
            query_id = person_acts.pay_bill(self.world, person, self._bill(str(link)))
        else:
            query_id = person_acts.pay(self.world, person, int(body.get("message_id") or 0))
        return web.json_response({"query_id": query_id})

    async def repeat(self, request: web.Request) -> web.Response:
        """Tell the bot again of the last payment, or of the one with `charge_id`, `count` times."""
        person, body = acting_person(self.world, request), await read_object(request)
        count = int(body.get("count", 1))
        if not 1 <= count <= MOST_REPEATS:
            raise ImpossibleError(f"count must be between 1 and {MOST_REPEATS}")
        message = self._payment_message(person, str(body.get("charge_id") or ""))
        return web.json_response({"update_ids": repeat_payment(self.world, message, count=count)})

    async def list_subscriptions(self, request: web.Request) -> web.Response:
        """Give the person's subscriptions, newest first."""
        person = acting_person(self.world, request)
        mine = [one for one in self.world.stars.subscriptions.values() if one.user_id == person.user_id]
        shown = [one.as_control(now=self.world.now()) for one in reversed(mine)]
        return web.json_response({"subscriptions": shown})

    def _changing(self, act: Act) -> Handler:
        async def change(request: web.Request) -> web.StreamResponse:
            subscription = self.world.stars.subscription_with(request.match_info["charge_id"])
            if subscription is None:
                raise web.HTTPNotFound(text='{"error": "no such subscription"}', content_type="application/json")
            act(self.world, subscription)
            return web.json_response(subscription.as_control(now=self.world.now()))

        return change

    def _bill(self, link: str) -> Bill:
        bill = self.world.bills.get(link)
        if bill is None:
            raise ImpossibleError("nobody made this invoice link")
        return bill

    def _payment_message(self, person: Person, charge_id: str) -> Message:
        for message in reversed(self.world.chats[person.user_id].values()):
            payment = message.extra.get("successful_payment")
            if payment and charge_id in {"", payment["telegram_payment_charge_id"]}:
                return message
        raise ImpossibleError(f"{person.first_name} has made no such payment")

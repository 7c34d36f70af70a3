"""Routes under `/sandbox/` by which the chat page and tests act as a person: write, tap, send files, pay, subscribe."""

from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from photomat_sandbox.control import read_object, refusal
from photomat_sandbox.telegram import payments, person_acts
from photomat_sandbox.telegram.errors import ApiError, JsonObject
from photomat_sandbox.telegram.file_on_disk import FileOnDisk, content_of
from photomat_sandbox.telegram.messages import ChatMessage, as_seen
from photomat_sandbox.telegram.payments import repeat_payment
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.person_acts import ImpossibleError
from photomat_sandbox.telegram.stars import StarBill, StarSubscription
from photomat_sandbox.telegram.world import TelegramWorld, commands_for

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
FILE_KINDS: Final = {"photo", "voice", "audio", "video", "document", "animation"}
NEW_ALBUM: Final = "new"
MAX_REPEATS: Final = 1000
Act = Callable[[TelegramWorld, StarSubscription], object]


def acting_person(world: TelegramWorld, request: web.Request) -> ChatPerson:
    """Return the person whose id is in the path."""
    number = request.match_info["user_id"]
    person = world.people.get(int(number)) if number.isdigit() else None
    if person is None:
        raise web.HTTPNotFound(text='{"error": "nobody has this id"}', content_type="application/json")
    return person


def checked(handler: Handler) -> Handler:
    """Answer 400 with a sentence where the act is impossible or the request is invalid."""

    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except (ImpossibleError, ValueError, TypeError) as error:
            raise refusal(str(error)) from error
        except ApiError as error:
            raise refusal(error.description) from error

    return handle


class UserRoutes:
    def __init__(self, world: TelegramWorld) -> None:
        self.world = world

    def register(self, app: web.Application) -> None:
        app.router.add_post("/sandbox/people", self.add_person)
        app.router.add_get("/sandbox/people", self.list_people)
        app.router.add_get("/sandbox/chats/{user_id}", self.show_chat)
        acts: dict[str, Handler] = {
            "text": self.send_text,
            "file": self.send_file,
            "tap": self.tap,
            "block": self.block,
            "unblock": self.unblock,
            "deactivate": self.deactivate,
            "delete": self.delete,
        }
        for name, handler in acts.items():
            app.router.add_post(f"/sandbox/chats/{{user_id}}/{name}", checked(handler))
        app.router.add_get("/sandbox/files/{file_unique_id}", self.give_file)

    async def add_person(self, request: web.Request) -> web.Response:
        body = await read_object(request)
        if not isinstance(body.get("first_name"), str) or not body["first_name"].strip():
            raise refusal("a person needs a first_name")
        wanted = body.get("user_id")
        if wanted is not None and (not isinstance(wanted, int) or wanted <= 0):
            raise refusal("user_id must be a positive number")
        person = self.world.add_person(
            first_name=body["first_name"].strip(),
            username=body.get("username") or None,
            language_code=body.get("language_code") or "ru",
            user_id=wanted,
        )
        return web.json_response(person.as_control())

    async def list_people(self, _request: web.Request) -> web.Response:
        people = [person.as_control() for person in self.world.people.values()]
        return web.json_response({"people": people})

    async def show_chat(self, request: web.Request) -> web.Response:
        person = acting_person(self.world, request)
        return web.json_response(
            {
                "messages": [as_seen(message) for message in self.world.chat_messages(person.user_id)],
                "reply_keyboard": person.reply_keyboard,
                "keyboard_options": person.keyboard_options,
                "blocked": person.blocked,
                "started": person.started,
                "pinned": person.pinned or [],
                "commands": commands_for(self.world, person),
                "bot": {
                    "first_name": self.world.bot.first_name,
                    "username": self.world.bot.username,
                    "description": self.world.names.get("description", {}).get("", ""),
                },
            }
        )

    async def send_text(self, request: web.Request) -> web.Response:
        person, body = acting_person(self.world, request), await read_object(request)
        message = person_acts.write(self.world, person, str(body.get("text") or ""), reply_to=body.get("reply_to"))
        return web.json_response(as_seen(message))

    async def send_file(self, request: web.Request) -> web.Response:
        person, form = acting_person(self.world, request), await request.post()
        file, kind = form.get("file"), str(form.get("kind") or "document")
        if not isinstance(file, web.FileField) or kind not in FILE_KINDS:
            raise ImpossibleError("send a multipart form with kind and file")
        album = str(form.get("album") or "") or None
        message = await person_acts.send_file(
            self.world,
            person,
            content_of(file.file),
            kind=kind,
            name=file.filename,
            caption=str(form.get("caption") or ""),
            album=person_acts.new_album(self.world) if album == NEW_ALBUM else album,
        )
        return web.json_response(as_seen(message))

    async def tap(self, request: web.Request) -> web.Response:
        """Press an inline button, found by its position or by its data."""
        person, body = acting_person(self.world, request), await read_object(request)
        message = person_acts.visible_message(self.world, person, int(body.get("message_id") or 0))
        button = _find_button(message, body)
        if "callback_data" in button:
            query_id = person_acts.tap(self.world, person, message.message_id, button)
            return web.json_response({"query_id": query_id})
        if "pay" in button:
            return web.json_response({"query_id": person_acts.pay(self.world, person, message.message_id)})
        return web.json_response({"query_id": None, **{k: v for k, v in button.items() if k != "text"}})

    async def block(self, request: web.Request) -> web.Response:
        person_acts.set_blocked(self.world, acting_person(self.world, request), blocked=True)
        return web.json_response({"blocked": True})

    async def unblock(self, request: web.Request) -> web.Response:
        person_acts.set_blocked(self.world, acting_person(self.world, request), blocked=False)
        return web.json_response({"blocked": False})

    async def deactivate(self, request: web.Request) -> web.Response:
        acting_person(self.world, request).deactivated = True
        return web.json_response({"deactivated": True})

    async def delete(self, request: web.Request) -> web.Response:
        person, body = acting_person(self.world, request), await read_object(request)
        for_whom = body.get("for", "self")
        if for_whom not in {"self", "both"}:
            raise ImpossibleError("for must be self or both")
        number = int(body.get("message_id") or 0)
        person_acts.delete(self.world, person, number, for_both=for_whom == "both")
        return web.json_response({"deleted": True})

    async def give_file(self, request: web.Request) -> web.StreamResponse:
        file = self.world.files.by_unique_id(request.match_info["file_unique_id"])
        if file is None:
            raise web.HTTPNotFound
        headers = {"Cache-Control": "max-age=86400", "X-Content-Type-Options": "nosniff"}
        content = self.world.files.content(file)
        if isinstance(content, bytes):
            return web.Response(body=content, content_type=file.mime, headers=headers)
        return await _streamed(request, content, headers={**headers, "Content-Type": file.mime})


async def _streamed(request: web.Request, content: FileOnDisk, *, headers: dict[str, str]) -> web.StreamResponse:
    answer = web.StreamResponse(headers=headers)
    answer.content_length = len(content)
    await answer.prepare(request)
    for chunk in content.chunks():
        await answer.write(chunk)
    await answer.write_eof()
    return answer


def _find_button(message: ChatMessage, body: JsonObject) -> JsonObject:
    rows = message.inline_keyboard or []
    if "data" in body:
        found = [button for row in rows for button in row if button.get("callback_data") == body["data"]]
    else:
        row, column = int(body.get("row", -1)), int(body.get("column", -1))
        there = 0 <= row < len(rows) and 0 <= column < len(rows[row])
        found = [rows[row][column]] if there else []
    if not found:
        raise ImpossibleError(f"message {message.message_id} has no such button")
    if "disabled" in found[0]:
        raise ImpossibleError("this button is disabled")
    return found[0]


class UserPaymentRoutes:
    def __init__(self, world: TelegramWorld) -> None:
        self.world = world

    def register(self, app: web.Application) -> None:
        app.router.add_get("/sandbox/chats/{user_id}/invoice", checked(self.show_invoice))
        app.router.add_get("/sandbox/chats/{user_id}/subscriptions", self.list_subscriptions)
        app.router.add_post("/sandbox/chats/{user_id}/pay", checked(self.pay))
        app.router.add_post("/sandbox/chats/{user_id}/repeat_payment", checked(self.repeat))
        acts: dict[str, Act] = {
            "renew": payments.renew,
            "fail": payments.fail_renewal,
            "cancel": payments.cancel,
            "resume": payments.resume,
        }
        for name, act in acts.items():
            app.router.add_post(f"/sandbox/subscriptions/{{charge_id}}/{name}", checked(self._changing(act)))

    async def show_invoice(self, request: web.Request) -> web.Response:
        """Return the invoice behind a link as the payment dialog shows it."""
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
        """Send the update of the last payment, or of the one with `charge_id`, `count` more times."""
        person, body = acting_person(self.world, request), await read_object(request)
        count = int(body.get("count", 1))
        if not 1 <= count <= MAX_REPEATS:
            raise ImpossibleError(f"count must be between 1 and {MAX_REPEATS}")
        message = self._payment_message(person, str(body.get("charge_id") or ""))
        return web.json_response({"update_ids": repeat_payment(self.world, message, count=count)})

    async def list_subscriptions(self, request: web.Request) -> web.Response:
        """Return the person's subscriptions, newest first."""
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

    def _bill(self, link: str) -> StarBill:
        bill = self.world.bills.get(link)
        if bill is None:
            raise ImpossibleError("nobody made this invoice link")
        return bill

    def _payment_message(self, person: ChatPerson, charge_id: str) -> ChatMessage:
        for message in reversed(self.world.chats[person.user_id].values()):
            payment = message.extra.get("successful_payment")
            if payment and charge_id in {"", payment["telegram_payment_charge_id"]}:
                return message
        raise ImpossibleError(f"{person.first_name} has made no such payment")

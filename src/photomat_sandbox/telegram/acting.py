"""What every route of a person's side shares: who acts, and a sentence for what cannot be done."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from photomat_sandbox.control import refusal
from photomat_sandbox.telegram.errors import ApiError
from photomat_sandbox.telegram.people import Person
from photomat_sandbox.telegram.person_acts import ImpossibleError
from photomat_sandbox.telegram.world import TelegramWorld

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def acting_person(world: TelegramWorld, request: web.Request) -> Person:
    """Find the person whose id is in the path."""
    number = request.match_info["user_id"]
    person = world.people.get(int(number)) if number.isdigit() else None
    if person is None:
        raise web.HTTPNotFound(text='{"error": "nobody has this id"}', content_type="application/json")
    return person


def checked(handler: Handler) -> Handler:
    """Answer 400 with a sentence where the act is impossible or the order makes no sense."""

    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except (ImpossibleError, ValueError, TypeError) as error:
            raise refusal(str(error)) from error
        except ApiError as error:
            raise refusal(error.description) from error

    return handle

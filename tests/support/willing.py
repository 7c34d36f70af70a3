"""A willing customer: reads the question on the screen, answers with what fits, changes the rest on the card, and buys.

Which input is asked stands in the conversation's row; every answer goes through the chat: a text, a tap on a button that is
there, a file. Nothing here knows a model.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from photomat.bot.buttons import VoicesButton
from photomat.bot.order_form.form import Form, form_from_data, is_typed
from photomat.catalog.formula import is_given
from photomat.catalog.input import FileKind, Input
from photomat.catalog.model import Model
from photomat.catalog.storefront import PICTURE, menu_category_of, menu_group_of
from photomat.db.pool import Connection, Pool
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.messages import as_seen
from support.customer import Customer, words_of
from support.handled import Handled
from support.patience import until
from support.phone_files import PhoneFile, phone_files
from support.wanted import Wanted

MAX_ACTIONS: Final = 120
RESULT_PATIENCE_S: Final = 300.0
RECENT: Final = 8
PRICE: Final = re.compile(r"\d[\d\s\u00a0\u202f]*(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Willing:
    """One person with time and money."""

    customer: Customer
    handled: Handled
    connection: Pool | Connection
    files: Mapping[FileKind, PhoneFile] = field(default_factory=phone_files)
    acts: list[str] = field(default_factory=list)
    """What was done so far, for the message of a failure."""

    async def opens(self, model: Model, *, by_search: bool) -> None:
        """Find a model as people do: on the first page of its list, else by its name; and pick it."""
        if not by_search:
            wish = menu_category_of(model)
            group = menu_group_of(wish)
            await self.says("/start")
            if wish is PICTURE or group is None:
                await self.taps("m:create")
            else:
                await self.taps(f"mg:{group.id}")
                await self.taps(f"ml:{wish.id}:")
        if not self._ways_to(model):
            await self.says(f"/search {model.title_in('ru')}")
        places = self._ways_to(model)
        assert places, self.story(f"{model.id} is not there to be picked")
        await self.presses(*places[-1])

    async def fills_in(self, wanted: Wanted) -> None:
        """Answer every question until there is a card, then change on it what was not asked."""
        await self._answers(wanted)
        for each in wanted.model.inputs:
            have = (await self.draft())["inputs"]
            if each.name in wanted.inputs and not is_given(have.get(each.name)):
                await self._opens_change(wanted.model, each)
                await self._answers(wanted)

    async def buys(self) -> tuple[int, Decimal]:
        """Tap [Create]; give the card's message and the price that stands on the button."""
        place, button = self._button("d:create:")
        found = PRICE.search(button["text"])
        shown = Decimal(re.sub(r"[\s\u00a0\u202f]", "", found.group()).replace(",", ".")) if found else Decimal(0)
        await self.presses(place, button)
        return place, shown

    async def draft(self) -> dict[str, Any]:
        """The newest order of this person that is not bought yet."""
        row = await self.connection.fetchrow(
            "SELECT * FROM drafts WHERE user_id = $1 ORDER BY draft_id DESC LIMIT 1", self.customer.person.user_id
        )
        assert row is not None, self.story("there is no draft")
        return dict(row)

    async def says(self, text: str) -> None:
        """Write, and wait until the bot is done with it."""
        await self._does(f"«{text[:40]}»", lambda: self.customer.says(text))

    async def taps(self, data: str) -> None:
        """Tap the newest button whose data begin so."""
        await self.presses(*self._button(data))

    async def presses(self, message_id: int, button: dict[str, Any]) -> None:
        """Tap a button, and wait until the bot is done with it."""
        await self._does(f"[{button['text']}]", lambda: self.customer.presses(message_id, button))

    async def sends(self, kind: Any) -> None:
        """Send a file of a kind, and wait until the bot is done with it."""
        file, world = self.files[kind], self.customer.telegram.world
        await person_acts.send_file(world, self.customer.person, file.content, kind=file.sent_as, name=file.name)
        await self._is_handled(f"📎 {file.name}")

    def story(self, what: str) -> str:
        """What went wrong, and what led to it."""
        seen = [words_of(one)[:300] for one in self.customer.screen()[-3:]]
        return f"{what}\nafter {' → '.join(self.acts[-25:])}\nthe screen ends with {seen}"

    def _ways_to(self, model: Model) -> list[tuple[int, dict[str, Any]]]:
        """The buttons that pick a model, wherever they lead back to."""
        return [one for one in self._found("n", newest=True) if one[1]["callback_data"].endswith(f":{model.id}")]

    async def _answers(self, wanted: Wanted) -> None:
        for _ in range(MAX_ACTIONS):
            form = await self.form()
            if form is None:
                return
            before = len(self.acts)
            await self._answers_one(wanted, form)
            after = await self.form()
            stuck = after == form and len(self.acts) > before and not self._turned_a_page
            assert not stuck, self.story(f"{wanted.model.id}: {form.asking} does not go on with {wanted.inputs}")
        raise AssertionError(self.story("the questions do not end"))

    @property
    def _turned_a_page(self) -> bool:
        return self.acts[-1].startswith("page")

    async def form(self) -> Form | None:
        """What is being asked, if anything is."""
        row = await self.connection.fetchval(
            "SELECT data FROM conversations WHERE user_id = $1 AND state IS NOT NULL", self.customer.person.user_id
        )
        data = json.loads(row) if isinstance(row, str) else row
        return form_from_data(data) if data else None

    async def _answers_one(self, wanted: Wanted, form: Form) -> None:
        asked = wanted.model.input(form.asking)
        if asked is None:
            await self.taps(f"o:{form.form_id}:{form.turn}:{wanted.way}")
            return
        value = wanted.value(asked)
        if value is None:
            await self._steps(form, "skip")
        elif asked.type == "list":
            await self._answers_list(form, asked, value)
        elif asked.type == "files":
            await self._sends_up_to(form, asked, len(form.gathered), len(value))
        else:
            await self._answers_with(form, asked, value)

    async def _answers_list(self, form: Form, asked: Input, lines: Sequence[Any]) -> None:
        if form.field is not None:
            await self._answers_field(form, asked, lines)
        elif is_typed(asked) and not form.gathered:
            await self.says("\n".join(_typed(asked, line) for line in lines))
        elif len(form.gathered) < len(lines):
            await self._steps(form, "more")
        elif asked.main and len(asked.fields) > 1 and not _is_walked(asked, form, lines) and self._has(form, "walk"):
            await self._steps(form, "walk")
        else:
            await self._steps(form, "done")

    async def _answers_field(self, form: Form, asked: Input, lines: Sequence[Any]) -> None:
        field_ = next(each for each in asked.fields if each.name == form.field)
        value = lines[form.at].get(field_.name)
        if value is None:
            await self._steps(form, "skip")
        elif field_.type == "files":
            count = len(form.gathered[form.at].get(field_.name, ()))
            await self._sends_up_to(form, field_, count, len(value))
        else:
            await self._answers_with(form, field_, value)

    async def _answers_with(self, form: Form, asked: Input, value: Any) -> None:
        match asked.type:
            case "choice":
                await self._taps_option(form, asked.options.index(value))
            case "switch":
                await self._taps_option(form, 0 if value == "true" else 1)
            case "file":
                await self.sends(asked.files.kind if asked.files else "image")
            case "task" | "track":
                await self.taps(f"pj:{form.form_id}:{form.turn}:")
            case _:
                await self.says(str(value))

    async def _taps_option(self, form: Form, number: int) -> None:
        """Tap an option, turning pages until it is there."""
        data = f"o:{form.form_id}:{form.turn}:{number}"
        for page in range(1, MAX_ACTIONS):
            if self._found(data, exact=True):
                await self.presses(*self._found(data, exact=True)[-1])
                return
            voices = VoicesButton(form_id=form.form_id, turn=form.turn, page=page).pack()
            await self.taps(voices if self._found(voices, exact=True) else f"op:{form.form_id}:{form.turn}:{page}")

    async def _sends_up_to(self, form: Form, asked: Input, have: int, wanted: int) -> None:
        if have < wanted:
            await self.sends(asked.files.kind if asked.files else "image")
        else:
            await self._steps(form, "done")

    async def _steps(self, form: Form, step: str) -> None:
        await self.taps(f"q:{form.form_id}:{form.turn}:{step}")

    def _has(self, form: Form, step: str) -> bool:
        return bool(self._found(f"q:{form.form_id}:{form.turn}:{step}"))

    async def _opens_change(self, model: Model, asked: Input) -> None:
        """From the card to the question of one input, which may stand under the further settings."""
        await self.taps("d:change:")
        draft = (await self.draft())["draft_id"]
        data = f"e:{draft}:{model.inputs.index(asked)}"
        if not self._found(data, exact=True):
            await self.taps("d:more:")
        places = self._found(data, exact=True)
        assert places, self.story(f"{model.id}: {asked.name} cannot be changed on the card")
        await self.presses(*places[-1])
        form = await self.form()
        assert form is not None, self.story(f"{model.id}: {asked.name} is not asked again")
        assert form.asking == asked.name, self.story(f"{model.id}: asked for {form.asking}, not {asked.name}")

    async def _does(self, act: str, do: Callable[[], object]) -> None:
        do()
        await self._is_handled(act)

    async def _is_handled(self, act: str) -> None:
        """Wait for the bot; what was done a moment ago is the newest update."""
        self.acts.append(act)
        try:
            await self.handled.update(self.customer.telegram.world.updates.next_id - 1)
        except AssertionError as error:
            raise AssertionError(self.story(str(error))) from error

    def _button(self, data: str) -> tuple[int, dict[str, Any]]:
        found = self._found(data)
        assert found, self.story(f"there is no button {data}")
        return found[-1]

    def _found(self, data: str, *, exact: bool = False, newest: bool = False) -> list[tuple[int, dict[str, Any]]]:
        """The buttons whose data begin so, oldest first; `newest`: only on the last message with buttons."""
        shown = [one for one in self._recent() if one["inline_keyboard"]]
        return [
            (message["message_id"], button)
            for message in (shown[-1:] if newest else shown)
            for row in message["inline_keyboard"]
            for button in row
            if (given := str(button.get("callback_data", ""))) == data or (not exact and given.startswith(data))
        ]

    async def gets(self, card: int) -> dict[str, Any]:
        """Wait until the phone rings for this card; give what the card shows then."""
        await until(
            lambda: any(ring["reply_to"] == card for ring in self._rings()),
            within_s=RESULT_PATIENCE_S,
            about=lambda: self.story(f"no ring of {card}"),
        )
        found = self.customer.message(card)
        assert found is not None, self.story(f"card {card} is gone")
        return found

    def _rings(self) -> list[dict[str, Any]]:
        return [one for one in self._recent() if one["from"] == "bot" and one["reply_to"]]

    def _recent(self) -> list[dict[str, Any]]:
        """The end of the screen; what stands above it nobody scrolls back to."""
        telegram = self.customer.telegram
        return [as_seen(one) for one in telegram.world.chat_messages(self.customer.person.user_id)[-RECENT:]]


def _typed(asked: Input, line: Any) -> str:
    """A line as somebody types it: what it is about, or its parts with bars between them."""
    if not isinstance(line, dict):
        return str(line)
    return str(line[asked.main]) if asked.main else " | ".join(str(line[each.name]) for each in asked.fields)


def _is_walked(asked: Input, form: Form, lines: Sequence[Any]) -> bool:
    wanted = {name for line in lines for name in line if name != asked.main}
    return wanted <= {name for line in form.gathered for name in line}

"""Every model is bought in the chat, by a few willing customers at once, and each result is looked at on its card.

The limits of the outside worlds are other tests' stories: here no budget ever fills, so that hundreds of orders take a minute.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from pathlib import Path
from typing import Any, Final, TypeAlias

from photomat.catalog.answers import measured
from photomat.catalog.formula import is_given
from photomat.catalog.input import FileKind
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Catalog, Model
from photomat.db.pool import Pool
from support.database import pool_of
from support.handled import Handled, watching
from support.phone_files import PhoneFile, phone_files
from support.system import System, running_system
from support.wanted import Wanted, everything, only_what_is_needed
from support.willing import Willing

CATALOG: Final[Catalog] = load_catalog()
SOLD: Final = [model for model in CATALOG.models.values() if model.is_sellable and model.instead is None]
CUSTOMERS: Final = 10
Feature: TypeAlias = tuple[object, ...]
WELCOME_MINOR: Final = 10**9
RUBLES_A_CREDIT: Final = Decimal("0.005") * 80 * 2
SHOWN_AS: Final[Mapping[str, frozenset[str]]] = {
    "png": frozenset({"photo"}),
    "jpeg": frozenset({"photo"}),
    "webp": frozenset({"photo", "document"}),
    "mp4": frozenset({"video"}),
    "mov": frozenset({"video", "document"}),
    "mp3": frozenset({"audio"}),
    "wav": frozenset({"audio", "document"}),
    "json": frozenset({"text", "document", "photo"}),
}
"""How a card shows a file, by the end of its name; an object is a text, or the masks in it."""

FREE_BUDGETS: Final = """
    CREATE FUNCTION spend_nothing() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.taken := '{}'; RETURN NEW; END $$;
    CREATE TRIGGER spend_nothing BEFORE INSERT OR UPDATE ON budgets FOR EACH ROW EXECUTE FUNCTION spend_nothing();
"""
NEWEST_JOB: Final = "SELECT * FROM generation_jobs WHERE user_id = $1 ORDER BY job_id DESC LIMIT 1"


@dataclass(slots=True, kw_only=True)
class Market:
    """Customers, what they still want, and what went wrong so far."""

    system: System
    pool: Pool
    handled: Handled
    by_search: bool
    files: Mapping[FileKind, PhoneFile] = field(default_factory=phone_files)
    trouble: dict[str, str] = field(default_factory=dict)
    bought: list[str] = field(default_factory=list)

    async def sells(self, models: Iterable[Model], want: Callable[[Model], Wanted]) -> None:
        """Let a few customers share these models out and buy each once."""
        left = deque(models)

        async def one(number: int) -> None:
            shopper = await Shopper.new(self, f"Покупатель {number}")
            while left:
                wanted = want(left.popleft())
                try:
                    await shopper.buys(wanted)
                except AssertionError as error:
                    self.trouble[wanted.model.id] = str(error)
                    shopper = await Shopper.new(self, f"Покупатель {number}, снова")
            await shopper.leaves()

        async with asyncio.TaskGroup() as group:
            for number in range(CUSTOMERS):
                group.create_task(one(number))


@dataclass(slots=True, kw_only=True)
class Shopper:
    """One customer of the market, who remembers what was spent and made."""

    market: Market
    willing: Willing
    spent: Decimal = Decimal(0)
    made: set[str] = field(default_factory=set)

    @classmethod
    async def new(cls, market: Market, name: str) -> "Shopper":
        """Somebody new."""
        customer = market.system.customer(name)
        willing = Willing(customer=customer, handled=market.handled, connection=market.pool, files=market.files)
        return cls(market=market, willing=willing)

    async def buys(self, wanted: Wanted) -> None:
        """Buy one model, and before it whatever it is made from; look at the result and at the money."""
        for parent in self._lacking(wanted):
            await self.buys(only_what_is_needed(parent))
        model = wanted.model
        await self.willing.opens(model, by_search=self.market.by_search)
        await self.willing.fills_in(wanted)
        draft = await self.willing.draft()
        assert draft["model"] == model.id, self.willing.story(f"the card is for {draft['model']}, not {model.id}")
        card, shown = await self.willing.buys()
        found = await self.willing.gets(card)
        job = dict(await self.market.pool.fetchrow(NEWEST_JOB, self.willing.customer.person.user_id) or {})
        assert (job["model"], job["status"]) == (model.id, "done"), self.willing.story(f"{job}")
        await self._checks_money(model, job, shown)
        self._checks_order(wanted, job)
        self._checks_card(model, job, found)
        self.spent += Decimal(job["price"])
        self.made.add(model.id)
        self.market.bought.append(model.id)

    async def leaves(self) -> None:
        """At the end exactly what the cards said is gone."""
        await self.willing.says("/balance")
        left = f"{(WELCOME_MINOR - self.spent) / 100:,.2f}".replace(",", " ").replace(".", ",")
        words = self.willing.customer.screen()[-1]["text"].replace("\u00a0", " ").replace("\u202f", " ")
        assert left.removesuffix(",00") in words, self.willing.story(f"not {left} but {words}")

    def _lacking(self, wanted: Wanted) -> list[Model]:
        """A model whose result is needed, where this customer has none that fits."""
        asked = [each for each in wanted.model.inputs if each.type in {"task", "track"} and each.name in wanted.inputs]
        for each in asked:
            sources = [model for model in SOLD if model.id in each.of or model.category in each.of]
            if not self.made & {model.id for model in sources}:
                return [min(sources, key=_effort)]
        return []

    async def _checks_money(self, model: Model, job: Mapping[str, Any], shown: Decimal) -> None:
        price = Decimal(job["price"]) / 100
        assert shown == price, f"{model.id}: the card said {shown}, {price} was charged"
        wanted = _price_of(model, job, await self._chosen_before(job), self.market.files)
        assert price == wanted, f"{model.id}: {price} was charged, the catalogue says {wanted} for {job['inputs']}"

    async def _chosen_before(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """What the jobs this one goes on from were ordered with; some prices follow it."""
        earlier = {
            name: value["job"] for name, value in job["inputs"].items() if isinstance(value, dict) and "job" in value
        }
        query = "SELECT coalesce(request -> 'body', inputs) FROM generation_jobs WHERE job_id = $1"
        bodies = {name: await self.market.pool.fetchval(query, job_id) for name, job_id in earlier.items()}
        return {f"{name}:{key}": value for name, body in bodies.items() for key, value in body.items()}

    def _checks_order(self, wanted: Wanted, job: Mapping[str, Any]) -> None:
        """Everything the customer said reached Kie, and every file lies with Kie itself."""
        order = self.market.system.kie.world.tasks[job["external_task_id"]].order
        lost = {name for name in wanted.inputs if not is_given(job["inputs"].get(name))}
        assert not lost, f"{wanted.model.id}: {lost} were said and are not in the order {job['inputs']}"
        sent = {name for name in wanted.inputs if name not in order.given and name not in wanted.model.omits}
        assert not sent, f"{wanted.model.id}: {sent} did not reach Kie: {dict(order.given)}"
        assert "{'file':" not in str(order.given), f"{wanted.model.id}: a reference left the house: {order.given}"

    def _checks_card(self, model: Model, job: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        """The card shows what Kie made, all of it, with words below."""
        made = self.market.system.kie.world.tasks[job["external_task_id"]].results
        suffix = "json" if model.output == "json" else made[0].rpartition(".")[2]
        is_seen_through = _is_seen_through(model, job, suffix)
        shown_as = {"document"} if is_seen_through else SHOWN_AS[suffix]
        assert found["kind"] in shown_as, f"{model.id}: {found['kind']} for {suffix}: {found}"
        says_why = "прозрачность теряет" in str(found["caption"] or "")
        assert says_why == is_seen_through, f"{model.id}: {found['caption']}"
        assert suffix == "json" or job["result_urls"][: len(made)] == made, (
            f"{model.id}: {job['result_urls']}, not {made}"
        )
        assert str(found["text"] or found["caption"] or "").strip(), f"{model.id}: the card says nothing"
        assert job["unread_fields"] is None, f"{model.id}: nobody read {job['unread_fields']}"


def _price_of(
    model: Model, job: Mapping[str, Any], before: Mapping[str, Any], files: Mapping[FileKind, PhoneFile]
) -> Decimal:
    """What the catalogue says: credits of these inputs and of the files we know, in rubles, rounded up to a kopeck."""
    if model.free:
        return Decimal(0)
    facts = {
        each.name: [files[each.files.kind].facts] * (len(given) if isinstance(given, list) else 1)
        for each in model.inputs
        if each.files is not None and is_given(given := job["inputs"].get(each.name))
    }
    credits_ = model.credits_for({**job["inputs"], **before}, measured(facts))
    return (credits_ * RUBLES_A_CREDIT).quantize(Decimal("0.01"), rounding=ROUND_CEILING)


def _is_seen_through(model: Model, job: Mapping[str, Any], suffix: str) -> bool:
    """Whether the picture has nothing behind what it shows: what a photo of Telegram cannot be."""
    is_asked_for = model.category == "background-removal" or job["inputs"].get("background") == "transparent"
    return is_asked_for and suffix in {"png", "webp"}


def _effort(model: Model) -> int:
    """How much has to be said to order a model; one that is made from another comes last."""
    needed = only_what_is_needed(model).inputs
    return len(needed) + 10 * sum(each.type in {"task", "track"} and each.name in needed for each in model.inputs)


def sample() -> list[Model]:
    """A few models that have every feature of those on sale: protocols, categories, kinds of input, ways to price."""
    left, chosen = set[Feature]().union(*map(_features, SOLD)), list[Model]()
    while left:
        chosen.append(max(SOLD, key=lambda model: (len(_features(model) & left), -len(model.inputs))))
        left -= _features(chosen[-1])
    return chosen


def _features(model: Model) -> set[Feature]:
    units = [model.unit, *(extra.unit for extra in model.extras), *([model.step] if model.step else [])]
    return {
        ("protocol", model.protocol),
        ("category", model.category),
        ("output", model.output),
        ("free", model.free),
        ("callback", model.needs_callback),
        ("omits", bool(model.omits)),
        ("never", bool(model.never)),
        ("extras", bool(model.extras)),
        *(("input", each.type, each.files.kind if each.files else None, bool(each.fields)) for each in model.inputs),
        *(("made from", source) for each in model.inputs for source in each.of),
        *(("measure", count.measure) for unit in units for count in unit.counts),
    }


@asynccontextmanager
async def open_market(
    database: str, folder: Path, *, by_search: bool, files: Mapping[FileKind, PhoneFile] | None = None
) -> AsyncIterator[Market]:
    """One real instance between both simulators, whose limits never bind."""
    async with pool_of(database, size=4) as pool:
        await pool.execute(FREE_BUDGETS)
        async with running_system(database, folder, 0.05) as system, watching(database) as handled:
            system.kie.world.change(
                {"creates_per_10_s": 0, "queries_per_s": 0, "running_limit": 0, "credits": 10**9, "picture_side_px": 64}
            )
            await system.start(
                WELCOME_CREDIT=str(WELCOME_MINOR), ORDERS_PER_MINUTE="0", MOST_RUNNING="0", FREE_PER_DAY="0"
            )
            yield Market(system=system, pool=pool, handled=handled, by_search=by_search, files=files or phone_files())


async def buy_all(database: str, folder: Path, models: list[Model], *, all_inputs: bool) -> None:
    """Sell these models with all they can take, or with the least; fail with every one that could not be bought."""
    async with open_market(database, folder, by_search=all_inputs) as market:
        await market.sells(models, everything if all_inputs else only_what_is_needed)
        told = "\n\n".join(f"{name}: {why}" for name, why in market.trouble.items())
        assert not market.trouble, f"{len(market.trouble)} of {len(models)}:\n{told}"
        assert set(market.bought) >= {model.id for model in models}

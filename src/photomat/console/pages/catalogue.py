"""The catalogue: every model with its margin and quality, one model with its price editor, and the templates.

A price is tried before it is set: the form is sent by GET, the page shows every sample before and after and what the guard
objects to, and only then offers the form that sets it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Final, cast

from aiohttp import web

from photomat.catalog.formula import plain
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.overrides import stored_rules
from photomat.catalog.pricing import Override, OverrideKind
from photomat.catalog.storefront import MENU_CATEGORIES, can_be_turned_on, menu_category_of
from photomat.console.charts import sparkline
from photomat.console.lists import csv_response
from photomat.console.page import Action, ActionContext, Page, PageContext
from photomat.console.written import whole
from photomat.kernel.errors import Rejected
from photomat.kernel.money import read_minor
from photomat.operators.catalog import (
    SWITCHES,
    ModelSwitch,
    NewTitle,
    Objections,
    PriceChange,
    PricePreview,
    change_price,
    guard,
    preview,
    rename_model,
    switch_model,
)
from photomat.operators.controls import pause, resume
from photomat.operators.templates import hide_template
from photomat.reports.catalogue import ModelRow, ModelState, list_models, read_model
from photomat.reports.period import last_days
from photomat.reports.sales import done_by_day
from photomat.work.controls import MODEL, read_pauses

HOME: Final = "/console/catalogue"
PRICE_KINDS: Final = ("markup", "fixed", "discount", "free", "clear")
OPTIONS_SHOWN: Final = 12
RULES_SHOWN: Final = 12
SPARK_DAYS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceWish:
    """A price change as it was asked for; `override` None clears every rule."""

    override: Override | None
    from_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a wish would do."""

    wish: PriceWish
    rows: Sequence[PricePreview]
    objections: Objections


async def show_catalogue(ctx: PageContext) -> web.Response:
    rows = await list_models(ctx.config.orders, paused=(await read_pauses(ctx.pool)).models)
    states = {state.value: sum(1 for row in rows if row.state is state) for state in ModelState}
    found = [row for row in rows if _fits(ctx, row)]
    if ctx.wants_csv:
        return _csv(ctx, found)
    return ctx.render(
        "catalogue.html",
        rows=found,
        total=len(rows),
        states=states,
        categories=[each.id for each in MENU_CATEGORIES],
        category_of=menu_category_of,
        whole=lambda amount: whole(amount, ctx.language),
    )


def _fits(ctx: PageContext, row: ModelRow) -> bool:
    words = (ctx.query.text("q") or "").casefold().split()
    named = f"{row.model.id} {row.model.title_in('ru')} {row.model.title_in('en')}".casefold()
    category, state = ctx.query.text("category"), ctx.query.choice("state", list(ModelState))
    return (
        all(word in named for word in words)
        and (category is None or menu_category_of(row.model).id == category)
        and (state is None or row.state == state)
    )


def _csv(ctx: PageContext, rows: Sequence[ModelRow]) -> web.Response:
    header = (
        *("model", "title", "category", "state", "featured", "price from", "cost", "margin %"),
        *("jobs 30 d", "failed %", "revenue", "median s", "p90 s"),
    )
    return csv_response(
        "catalogue.csv",
        header,
        [
            (
                row.model.id,
                row.model.title_in(ctx.language),
                row.model.category,
                row.state.value,
                row.featured,
                row.price and row.price.price,
                row.price and row.price.cost,
                row.margin_percent,
                row.figures.sales.jobs if row.figures else 0,
                row.figures.sales.failure_percent if row.figures else None,
                row.figures.sales.revenue if row.figures else None,
                row.figures and row.figures.median_s and round(row.figures.median_s, 1),
                row.figures and row.figures.p90_s and round(row.figures.p90_s, 1),
            )
            for row in rows
        ],
    )


async def show_model(ctx: PageContext) -> web.Response:
    pauses = await read_pauses(ctx.pool)
    row = await read_model(ctx.config.orders, ctx.request.match_info["model_id"], paused=pauses.models)
    if row is None:
        raise web.HTTPNotFound
    return ctx.render(
        "catalogue_model.html",
        row=row,
        model=row.model,
        pause=pauses.of_model(row.model.id),
        category=menu_category_of(row.model).id,
        can_be_sold=row.model.off is not None and can_be_turned_on(row.model),
        inputs=[(each, _limits(ctx, each)) for each in row.model.inputs],
        prices=await ctx.config.orders.prices_of(row.model) if row.model.prices else None,
        rules=await stored_rules(ctx.pool, row.model.id, limit=RULES_SHOWN),
        by_day=await _by_day(ctx, row.model.id),
        kinds=PRICE_KINDS,
        trial=_trial(ctx, row),
        now=ctx.operator.now,
        rates=ctx.config.orders.rates,
        whole=lambda amount: whole(amount, ctx.language),
        plain=plain,
        in_words=lambda inputs: _in_words(ctx, row.model, inputs),
    )


async def _by_day(ctx: PageContext, model_id: str) -> str:
    period = await last_days(ctx.pool, SPARK_DAYS, zone=ctx.config.zone)
    done = await done_by_day(ctx.pool, model_id, since=period.since, zone=ctx.config.zone)
    values = [done.get(period.first + timedelta(days=number), 0) for number in range(period.days)]
    return sparkline(values, title=ctx.say("console-catalogue-by-day"))


def _limits(ctx: PageContext, each: Input) -> str:
    """What an input accepts, in the reader's words."""
    found: list[str] = []
    if each.options:
        labels = [_label(ctx, each, value) for value in each.options[:OPTIONS_SHOWN]]
        found.append(" · ".join(labels) + (" …" if len(each.options) > OPTIONS_SHOWN else ""))
    for key, value in (("least", each.least), ("most", each.most), ("length", each.max_length or each.total_length)):
        if value is not None:
            found.append(ctx.say(f"console-catalogue-limit-{key}", value=plain(value)))
    if each.files is not None:
        found.append(" ".join((each.files.kind, "/".join(each.files.formats))).strip())
    if each.max_items is not None:
        found.append(ctx.say("console-catalogue-limit-items", value=each.max_items))
    return ", ".join(found)


def _label(ctx: PageContext, each: Input, value: str) -> str:
    label = each.labels.get(value)
    return label.of(ctx.language) if label else value


def _in_words(ctx: PageContext, model: Model, inputs: Mapping[str, str]) -> str:
    """The inputs of a sample by their titles: `Формат 16:9 · Длительность, с 5`."""
    said = []
    for name, value in inputs.items():
        asked = model.input(name)
        title = asked.title.of(ctx.language) if asked is not None and asked.title is not None else name
        said.append(f"{title} {value if asked is None else _label(ctx, asked, value)}")
    return " · ".join(said) or ctx.say("console-catalogue-usual")


def _trial(ctx: PageContext, row: ModelRow) -> Trial | None:
    """What the asked price would do; None while nothing, or something that cannot be read, is asked for."""
    wish = _wish(ctx, dict(ctx.request.query))
    if wish is None or not row.model.prices:
        return None
    rates = ctx.config.orders.rates
    return Trial(
        wish=wish,
        rows=preview(row.model, rates, row.rules, wish.override),
        objections=guard(row.model, rates, row.rules, wish.override),
    )


def _wish(ctx: PageContext, fields: dict[str, str]) -> PriceWish | None:
    kind = fields.get("kind")
    if kind == "clear":
        return PriceWish(override=None, from_at=None)
    value = _value(kind, fields.get("value", ""))
    if kind not in PRICE_KINDS or value is None:
        return None
    until, from_at = _moment(ctx, fields.get("until", "")), _moment(ctx, fields.get("from", ""))
    return PriceWish(override=Override(kind=cast("OverrideKind", kind), value=value, until=until), from_at=from_at)


def _value(kind: str | None, written: str) -> Decimal | None:
    try:
        match kind:
            case "free":
                return Decimal(0)
            case "fixed":
                minor = read_minor(written)
                return Decimal(minor) if minor > 0 else None
            case "markup" | "discount":
                value = Decimal(written.strip().replace(",", "."))
                most = 100 if kind == "discount" else 1000
                return value if value.is_finite() and 0 < value < most else None
    except (ValueError, InvalidOperation):
        pass
    return None


def _moment(ctx: PageContext, written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written).replace(tzinfo=ctx.config.zone)
    except ValueError:
        return None


def _model_of(ctx: PageContext) -> Model:
    model = ctx.config.orders.catalog.models.get(ctx.request.match_info["model_id"])
    if model is None:
        raise web.HTTPNotFound
    return model


def _page_of(model: Model) -> str:
    return f"{HOME}/{model.id}"


async def set_price(ctx: ActionContext) -> web.Response:
    model = _model_of(ctx)
    wish = _wish(ctx, dict(ctx.form))
    if wish is None:
        return await ctx.tell(ctx.say("console-catalogue-bad-price"), is_good=False, back=_page_of(model))
    change = PriceChange(
        model=model,
        override=wish.override,
        operator=ctx.operator.name,
        reason=ctx.reason,
        from_at=wish.from_at,
        confirmed=ctx.is_confirmed,
    )
    try:
        result = await change_price(ctx.pool, change, rates=ctx.config.orders.rates)
    except Rejected as error:
        return await ctx.refuse(error, back=_page_of(model))
    return await ctx.done(result, back=_page_of(model))


async def switch(ctx: ActionContext) -> web.Response:
    model, turn = _model_of(ctx), ctx.form.get("turn", "")
    if turn not in SWITCHES:
        raise web.HTTPNotFound
    result = await switch_model(
        ctx.pool, model, cast("ModelSwitch", turn), operator=ctx.operator.name, reason=ctx.reason
    )
    return await ctx.done(result, back=_page_of(model))


async def rename(ctx: ActionContext) -> web.Response:
    model = _model_of(ctx)
    new = NewTitle(
        ru=ctx.form.get("ru", "").strip() or None,
        en=ctx.form.get("en", "").strip() or None,
        back=ctx.form.get("back") == "yes",
    )
    result = await rename_model(ctx.pool, model, new, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=_page_of(model))


async def pause_model(ctx: ActionContext) -> web.Response:
    model = _model_of(ctx)
    written = ctx.form.get("minutes", "").strip()
    minutes = int(written) if written.isascii() and written.isdigit() and len(written) < 7 else 0  # noqa: PLR2004  two years
    result = await pause(
        ctx.pool,
        f"{MODEL}{model.id}",
        operator=ctx.operator.name,
        reason=ctx.reason,
        notice=ctx.form.get("notice"),
        lasts=timedelta(minutes=minutes) if minutes else None,
    )
    return await ctx.done(result, back=_page_of(model))


async def resume_model(ctx: ActionContext) -> web.Response:
    model = _model_of(ctx)
    result = await resume(ctx.pool, f"{MODEL}{model.id}", operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=_page_of(model))


async def show_templates(ctx: PageContext) -> web.Response:
    known = list((await ctx.config.templates.known()).values())
    storefront = await ctx.config.orders.storefront()
    if ctx.wants_csv:
        header = ("template", "title", "group", "models", "hidden", "added")
        rows = [
            (
                each.template.id,
                each.template.title.of(ctx.language),
                each.template.group,
                " ".join(each.template.models),
                each.hidden,
                each.added,
            )
            for each in known
        ]
        return csv_response("templates.csv", header, rows)
    titles = await ctx.config.orders.titles(ctx.language)
    return ctx.render("catalogue_templates.html", known=known, storefront=storefront, titles=titles)


async def switch_template(ctx: ActionContext) -> web.Response:
    result = await hide_template(
        ctx.config.templates,
        ctx.request.match_info["template_id"],
        hidden=ctx.form.get("turn") != "unhide",
        operator=ctx.operator.name,
        reason=ctx.reason,
    )
    return await ctx.done(result, back=f"{HOME}/templates")


PAGES: Final = (
    Page("/catalogue", show_catalogue),
    Page("/catalogue/templates", show_templates),
    Page("/catalogue/{model_id:.+}", show_model),
)
ACTIONS: Final = (
    Action("/catalogue/templates/{template_id}/switch", switch_template),
    Action("/catalogue/{model_id:.+}/price", set_price),
    Action("/catalogue/{model_id:.+}/switch", switch),
    Action("/catalogue/{model_id:.+}/rename", rename),
    Action("/catalogue/{model_id:.+}/pause", pause_model),
    Action("/catalogue/{model_id:.+}/resume", resume_model),
)

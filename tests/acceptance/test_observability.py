"""One purchase, watched from outside: its figures at /metrics and its trace at a collector, without a secret in either."""

import signal
from pathlib import Path

import aiohttp
import pytest

from photomat.kernel.trace import root_id_of, trace_id_of
from support.endings import ends_well
from support.exposition import MADE_BY_PROMETHEUS, names_of, queries, selectors, value, values_of
from support.patience import until
from support.receivers import Receiver, running_receiver
from support.system import TOKEN, Instance, System, open_shop, running_system

PROMPT = "тайный кот-космонавт с планеты Шарлотта"
SOON = {"OTEL_BSP_SCHEDULE_DELAY": "50"}
STEPS = {"update.handle", "order.purchase", "job.submit", "job.poll", "job.settle", "job.deliver", "job.ring"}
CALLS = {"kie.createTask", "kie.recordInfo", "telegram.editMessageMedia", "telegram.sendMessage"}


async def test_one_purchase_is_measured_and_is_one_trace(database: str, tmp_path: Path) -> None:
    async with (
        running_receiver() as collector,
        open_shop(
            database, tmp_path, METRICS_TOKEN="figures", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, **SOON
        ) as system,
    ):
        anna = system.customer()
        card = await anna.buys(PROMPT)
        await system.instance.says("RING")
        text = await scraped(system.instance)
        measures_the_purchase(text)
        knows_every_query(text)
        await until(lambda: "job.ring" in names_in_job_trace(collector, str_of(system)))
        await tells_one_story(collector, system)
        await ends_well(system, anna, cards=(card,))


@pytest.mark.prove
async def test_a_trace_goes_on_in_another_process(database: str, tmp_path: Path) -> None:
    async with (
        running_receiver() as collector,
        running_system(
            database,
            tmp_path,
            LEASE_S="1",
            DELIVERY_LEASE_S="1",
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            **SOON,
        ) as system,
    ):
        first = await system.start(FAILPOINT="deliver.after_fetch")
        anna = system.customer()
        await anna.buys(PROMPT)
        assert await first.ends() == -signal.SIGKILL
        second = await system.start()
        await second.says("RING")
        await until(lambda: "job.ring" in names_in_job_trace(collector, str_of(system)))
        await tells_one_story(collector, system)


async def scraped(instance: Instance) -> str:
    headers = {"Authorization": "Bearer figures"}
    async with aiohttp.ClientSession(headers=headers) as session, session.get(f"{instance.url}/metrics") as answer:
        assert answer.status == 200
        return await answer.text()


def measures_the_purchase(text: str) -> None:
    def total(name: str, **labels: str) -> float:
        found = value(text, name, **labels)
        assert found is not None, f"{name} {labels} is missing"
        return found

    money = "photomat_money_minor_units_total"
    assert total(money, move="credit", reason="welcome", currency="RUB") == 10_000
    assert total(money, move="hold", reason="job", currency="RUB") == 64
    assert total(money, move="charge", reason="charge", currency="RUB") == 64
    assert total("photomat_jobs_created_total", kind="image") == 1
    assert total("photomat_jobs_ended_total", kind="image", outcome="done") == 1
    assert total("photomat_kie_request_seconds_count", call="createTask", outcome="ok") == 1
    assert total("photomat_telegram_request_seconds_count", method="editMessageMedia", outcome="ok") >= 1
    assert total("photomat_http_request_seconds_count", route="/telegram/webhook", status="200") >= 3
    assert total("photomat_http_request_seconds_count", route="/kie/callback/{token}", status="200") >= 1
    assert total("photomat_delivery_seconds_count", rung="url") == 1
    assert total("photomat_tap_to_picture_seconds_count") == 1
    assert total("photomat_loop_item_seconds_count", loop="submits") == 1
    assert total("photomat_pool_acquire_seconds_count") > 10
    assert total("photomat_database_up") == 1
    assert total("photomat_active") == 1
    assert total("photomat_backlog_rows", loop="submits") == 0
    assert total("photomat_disk_free_bytes") > 0
    labels = {label for _, labels in values_of(text) for label in labels}
    assert not [label for label in labels if TOKEN in label[1] or "http" in label[1] or "кот" in label[1]]


def knows_every_query(text: str) -> None:
    """The rules and the dashboard read only what a running instance gives."""
    given = names_of(text) | MADE_BY_PROMETHEUS
    missing = {(where, name) for where, query in queries() for name, _ in selectors(query) if name not in given}
    assert missing == set()


def str_of(system: System) -> str:
    """The correlation id of the only job, from the log."""
    (line,) = [line for line in system.story.splitlines() if "[JOB_CREATED]" in line]
    return line.split("[")[1].split("]")[0]


def names_in_job_trace(collector: Receiver, corr: str) -> set[str]:
    trace_id = trace_id_of(corr).to_bytes(16)
    return {span.name for span in collector.spans() if span.trace_id == trace_id}


async def tells_one_story(collector: Receiver, system: System) -> None:
    corr, job = str_of(system), await system.job()
    trace_id, root_id = trace_id_of(corr).to_bytes(16), root_id_of(corr).to_bytes(8)
    spans = [span for span in collector.spans() if span.trace_id == trace_id]
    assert {span.name for span in spans} >= STEPS | CALLS
    (root,) = [span for span in spans if span.span_id == root_id]
    assert (root.name, root.parent_span_id) == ("update.handle", b"")
    ids = {span.span_id for span in spans}
    assert [span.name for span in spans if span is not root and span.parent_span_id not in ids] == []
    for span in spans:
        given = {one.key: one.value for one in span.attributes}
        assert given["photomat.correlation_id"].string_value == corr
        if span.name.startswith("job."):
            assert given["photomat.job_id"].int_value == job["job_id"]
        assert not span.events, "an event of an exception quotes its message"
    sent = collector.everything
    card_url = str(job["result_urls"][0])
    for secret in (TOKEN, TOKEN.partition(":")[2], PROMPT, "Шарлотта", "://", card_url, system.kie.world.key):
        assert secret.encode() not in sent, secret

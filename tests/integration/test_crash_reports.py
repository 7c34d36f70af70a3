"""Reports to Sentry: an unexpected error arrives with the way it took, and with no secret, URL, prompt or local variable."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from photomat.app.crash_reports import MOST_A_MINUTE, report_crashes, require_sentry
from photomat.app.live_settings import secrets_of
from photomat.app.settings import GivenSettings, Settings
from photomat.app.tracing import require_otel
from photomat.kernel.crashes import report_crash
from photomat.kernel.errors import Corrupt, OutcomeUnknown, Startup, Transient
from photomat.kernel.ids import InstanceId
from photomat.kernel.logs import correlated
from photomat.work.loop import Loop, LoopStep
from support.patience import until
from support.receivers import Receiver, running_receiver

TOKEN = "4242:AAsecret-token-of-the-bot"
KIE_KEY = "kie-key-0123456789"
PASSWORD = "database-password"
URL = f"https://api.telegram.org/bot{TOKEN}/sendMessage"
PROMPT = "a private prompt about my neighbour"
SECRETS = (TOKEN, "AAsecret-token-of-the-bot", KIE_KEY, PASSWORD, URL, "api.telegram.org", PROMPT, "neighbour")


def settings_for(url: str | None) -> Settings:
    return GivenSettings(
        bot_token=TOKEN,
        kie_api_key=KIE_KEY,
        database_url=f"postgresql://photomat:{PASSWORD}@db.internal/photomat",
        sentry_dsn=None if url is None else url.replace("://", "://publickey@") + "/7",
        sentry_environment="tests",
    )


@asynccontextmanager
async def reporting() -> AsyncIterator[Receiver]:
    async with running_receiver() as sentry, AsyncExitStack() as stack:
        report_crashes(stack, settings_for(sentry.url), instance=InstanceId("host-1"))
        yield sentry


def events(sentry: Receiver) -> list[dict[str, Any]]:
    """The events of the envelopes that arrived: a header, then a header and a body for each item."""
    lines = [line for body in sentry.bodies for line in body.splitlines() if line.startswith(b"{")]
    return [found for line in lines if "exception" in (found := json.loads(line))]


async def handler(_item: str) -> None:
    """A step that fails as a careless one would: with secrets in its locals, its message and its cause."""
    token, prompt, headers = TOKEN, PROMPT, {"Authorization": f"Bearer {KIE_KEY}"}
    try:
        refuse(f"{URL} said no to {prompt}: {headers}")
    except ValueError as error:
        raise RuntimeError(f"could not call {URL} with {token} for {prompt!r}") from error


def refuse(why: str) -> None:
    raise ValueError(why)


async def one_item(_limit: int) -> list[str]:
    return ["one"]


async def test_a_report_holds_the_way_and_no_secret() -> None:
    async with reporting() as sentry:
        step = LoopStep(name="sends", claim=one_item, do=handler, width=1)
        with correlated("1a2b3c4d"):
            await Loop(step, wake=asyncio.Event()).run_once()
        await until(lambda: events(sentry))
        (event,) = events(sentry)
        everything = sentry.everything.decode()
        assert [secret for secret in SECRETS if secret in everything] == []
        assert event["tags"] == {"where": "STEP_ERROR", "correlation_id": "1a2b3c4d"}
        assert (event["environment"], event["server_name"]) == ("tests", "host-1")
        assert event["release"].startswith("photomat@")
        cause, error = event["exception"]["values"]
        assert (cause["type"], error["type"]) == ("ValueError", "RuntimeError")
        assert (cause["value"], error["value"]) == ("", ""), "a library's message quotes values"
        frames = error["stacktrace"]["frames"]
        assert frames[-1]["function"] == "handler"
        assert not [frame for frame in frames if "vars" in frame or "context_line" in frame]
        assert not {"breadcrumbs", "request", "user", "extra", "modules", "contexts"} & set(event)
        assert len(sentry.everything) < 20_000


async def test_our_own_message_is_masked() -> None:
    async with reporting() as sentry:
        with correlated(None):
            report_crash(Corrupt(f"job 17 has two charges, see {URL} and {KIE_KEY}"), "JOB_STOPPED")
        await until(lambda: events(sentry))
        (event,) = events(sentry)
        assert "job 17 has two charges" in event["exception"]["values"][0]["value"]
        assert [secret for secret in SECRETS if secret in sentry.everything.decode()] == []


async def test_the_outside_worlds_troubles_are_no_crashes_and_a_storm_is_cut() -> None:
    async with reporting() as sentry:
        for error in (Transient("busy"), OutcomeUnknown("lost"), ConnectionResetError(), TimeoutError()):
            report_crash(error, "STEP_ERROR")
        for number in range(MOST_A_MINUTE + 20):
            report_crash(KeyError(number), "STEP_ERROR")
        await until(lambda: len(events(sentry)) >= MOST_A_MINUTE)
    assert len(events(sentry)) == MOST_A_MINUTE
    assert {event["exception"]["values"][0]["type"] for event in events(sentry)} == {"KeyError"}
    report_crash(KeyError("after the end"), "STEP_ERROR")
    assert len(events(sentry)) == MOST_A_MINUTE


def test_a_secret_is_known_whole_and_in_parts() -> None:
    found = secrets_of(settings_for("http://127.0.0.1:1"))
    assert {TOKEN, "AAsecret-token-of-the-bot", KIE_KEY, PASSWORD} <= found
    assert not {"RUB", "127.0.0.1", "db.internal", "photomat"} & found, "a host or a name would mask half of a report"


@pytest.mark.parametrize(
    ("blocked", "setting"), [("sentry_sdk", "SENTRY_DSN"), ("opentelemetry", "OTEL_EXPORTER_OTLP_ENDPOINT")]
)
def test_a_missing_extra_is_said_at_the_start(blocked: str, setting: str) -> None:
    lines = (
        f"import sys; sys.modules[{blocked!r}] = None; sys.argv = ['photomat', 'run']",
        "from photomat.cli.main import main; main()",
    )
    environment = {setting: "http://key@127.0.0.1:9/1", "DATA_DIR": "/nonexistent", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    said = " ".join((done.stdout + done.stderr).split())
    assert f"{setting} is set" in said
    assert "make extra EXTRAS=" in said
    assert "Traceback" not in said


def test_a_dsn_that_is_none_is_said_at_the_start() -> None:
    with pytest.raises(Startup, match="SENTRY_DSN is not a DSN"):
        require_sentry(GivenSettings(sentry_dsn="sentry"))
    require_sentry(settings_for(None))
    require_otel(settings_for(None))

"""Who gets into the console: passwords, links, roles, forged forms. Every page and action that exists is attacked."""

import asyncio
import re
from urllib.parse import urlencode

import pytest
from yarl import URL

from photomat.console.access import FORM_COOKIE
from photomat.console.app import ACTIONS, PAGES
from photomat.operators.access import Owners, Role, end_session, list_sessions, remove_operator
from support.console import CSRF, OWNER_ID, PASSWORD, PEOPLE, RunningConsole, running_console
from support.database import shift_clock

HOUR_S = 3600
SAMPLE = re.compile(r"{[^}]*}")


def path_of(route: str, sample: str = "1") -> str:
    return f"/console{SAMPLE.sub(sample, route)}"


async def journal(console: RunningConsole) -> int:
    return int(await console.pool.fetchval("SELECT count(*) FROM operator_journal WHERE action NOT LIKE 'sign%'"))


async def test_without_a_session_no_page_shows_anything(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        for page in PAGES:
            answer = await visitor.get(path_of(page.path))
            assert answer.path.startswith("/console/sign-in"), page.path
            assert (await visitor.get(path_of(page.path), Accept="text/event-stream")).status == 401
        for action in ACTIONS:
            answer = await visitor.post(path_of(action.path), {"reason": "x"})
            assert answer.path.startswith("/console/sign-in"), action.path


async def test_the_door_without_a_session_is_the_sign_in(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        for path in ("/console/", "/console/today"):
            async with visitor.client.get(f"{console.url}{path}", allow_redirects=False) as answer:
                assert (answer.status, answer.headers["Location"]) == (303, "/console/sign-in")
    async with running_console(database) as console, console.signed_in() as owner:
        assert (await owner.get("/console/")).path == "/console/today"


async def test_every_answer_carries_the_security_headers(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        for path in ["/console/sign-in", "/console/nothing-here", "/console/static/console.js", "/console/today"]:
            headers = (await owner.get(path)).headers
            assert "default-src 'none'" in headers["Content-Security-Policy"], path
            assert headers["X-Frame-Options"] == "DENY"
            assert headers["Referrer-Policy"] == "same-origin"


async def test_the_password_opens_an_owners_session(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        assert (await visitor.sign_in(password="wrong")).status == 401
        answer = await visitor.sign_in(password=PASSWORD, next="/console/today?a=1")
        assert answer.path == "/console/today?a=1"
        assert [session.operator for session in await list_sessions(console.pool)] == ["owner"]


async def test_a_wrong_password_keeps_the_page_that_was_wanted(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        refused = await visitor.sign_in(password="wrong", next="/console/jobs/7")
        assert refused.status == 401
        assert 'name="next" value="/console/jobs/7"' in refused.text
        refused = await visitor.sign_in(password="wrong", next="https://evil.example/")
        assert "evil.example" not in refused.text


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example", "/console/../x\\y", "/console/sign-in"])
async def test_a_sign_in_never_leads_to_another_site(database: str, wanted: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        assert (await visitor.sign_in(password=PASSWORD, next=wanted)).path == "/console/today"


async def test_without_a_password_none_opens_the_console(database: str) -> None:
    async with running_console(database, password=None) as console, console.visitor() as visitor:
        assert (await visitor.sign_in(password="")).status == 401
        assert (await visitor.sign_in(password="None")).status == 401


async def test_the_sixth_try_of_a_minute_is_refused_even_with_the_password(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        tries = [(await visitor.sign_in(password="wrong")).status for _ in range(6)]
        assert tries == [401, 401, 401, 401, 401, 429]
        assert (await visitor.sign_in(password=PASSWORD)).status == 429
        await shift_clock(console.pool, 61)
        assert (await visitor.sign_in(password=PASSWORD)).path == "/console/today"


async def test_parallel_tries_are_counted_one_by_one(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        token = await visitor.token("/console/sign-in")
        send = [visitor.post("/console/sign-in", {"csrf": token, "password": "wrong"}) for _ in range(20)]
        tries = [answer.status for answer in await asyncio.gather(*send)]
        assert tries.count(401) <= 5


@pytest.mark.parametrize(("is_secure", "refused"), [(False, 3), (True, 0)])
async def test_without_a_proxy_nobody_names_their_own_address(database: str, *, is_secure: bool, refused: int) -> None:
    async with running_console(database, is_secure=is_secure) as console, console.visitor() as visitor:
        tries = []
        for number in range(8):
            async with visitor.client.get(f"{console.url}/console/sign-in") as page:
                token, cookie = CSRF.search(await page.text()), page.cookies[FORM_COOKIE].value
            assert token is not None
            async with visitor.client.post(
                f"{console.url}/console/sign-in",
                data={"csrf": token[1], "password": "wrong"},
                headers={"X-Forwarded-For": f"203.0.113.{number}", "Cookie": f"{FORM_COOKIE}={cookie}"},
            ) as answer:
                tries.append(answer.status)
        assert tries.count(429) == refused


async def test_the_sign_in_form_of_another_site_is_refused(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        assert (await visitor.post("/console/sign-in", {"password": PASSWORD})).status == 403
        token = await visitor.token("/console/sign-in")
        async with console.visitor() as other:
            assert (await other.post("/console/sign-in", {"password": PASSWORD, "csrf": token})).status == 403


async def test_a_link_works_once_and_for_five_minutes(database: str) -> None:
    async with running_console(database) as console:
        link = await console.link()
        async with console.visitor() as visitor, console.visitor() as thief:
            answers = await asyncio.gather(visitor.sign_in(token=link), thief.sign_in(token=link))
            assert sorted(answer.status for answer in answers) == [200, 401]
        late = await console.link()
        await shift_clock(console.pool, 301)
        async with console.visitor() as visitor:
            assert (await visitor.sign_in(token=late)).status == 401
        stored = await console.pool.fetch("SELECT token_hash::text FROM console_links")
        assert all(link not in row[0] for row in stored)


async def test_a_link_of_somebody_who_was_removed_opens_nothing(database: str) -> None:
    async with running_console(database) as console:
        link = await console.link(Role.VIEWER)
        await remove_operator(console.pool, PEOPLE[Role.VIEWER], operator="test", reason="gone")
        async with console.visitor() as visitor:
            assert (await visitor.sign_in(token=link)).status == 401


async def test_removing_somebody_ends_what_they_see_at_once(database: str) -> None:
    async with running_console(database) as console, console.signed_in(Role.OPERATOR) as operator:
        assert (await operator.get("/console/today")).path == "/console/today"
        await remove_operator(console.pool, PEOPLE[Role.OPERATOR], operator="test", reason="gone")
        assert (await operator.get("/console/today")).path.startswith("/console/sign-in")


async def test_a_new_password_ends_the_sessions_of_the_old_one(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        await visitor.sign_in(password=PASSWORD)
        (session,) = await list_sessions(console.pool)
        async with running_console(database, owners=Owners(password="another one")) as later:
            cookies = {cookie.key: cookie.value for cookie in visitor.client.cookie_jar}
            async with visitor.client.get(f"{later.url}/console/today", cookies=cookies) as answer:
                assert answer.url.path == "/console/sign-in"
        assert session.method == "password"


async def test_a_session_ends_by_time_by_hand_and_by_signing_out(database: str) -> None:
    async with running_console(database) as console:
        async with console.signed_in() as owner:
            await owner.post("/console/sign-out", {"csrf": await owner.token()})
            assert (await owner.get("/console/today")).path.startswith("/console/sign-in")
        async with console.signed_in() as owner:
            (session,) = await list_sessions(console.pool)
            await end_session(console.pool, session.session_id, operator="test", reason="lost phone")
            assert (await owner.get("/console/today")).path.startswith("/console/sign-in")
        async with console.signed_in() as owner:
            await shift_clock(console.pool, 12 * HOUR_S + 60)
            assert (await owner.get("/console/today")).path.startswith("/console/sign-in")


async def test_a_busy_session_ends_after_a_week(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        for _ in range(15):
            await shift_clock(console.pool, 11 * HOUR_S)
            answer = await owner.get("/console/today")
        assert answer.path == "/console/today"
        await shift_clock(console.pool, 3 * HOUR_S + 60)
        assert (await owner.get("/console/today")).path.startswith("/console/sign-in")


async def test_no_form_is_taken_without_the_token_of_its_session(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner, console.signed_in() as other:
        foreign, before = await other.token(), await journal(console)
        for action in ACTIONS:
            for csrf in ("", "x", foreign):
                answer = await owner.post(path_of(action.path), {"csrf": csrf, "reason": "x", "confirmed": "yes"})
                assert answer.status == 403, action.path
        assert await journal(console) == before


async def test_nobody_acts_above_their_role(database: str) -> None:
    async with running_console(database) as console:
        for role in (Role.VIEWER, Role.OPERATOR):
            async with console.signed_in(role) as person:
                before, token = await journal(console), await person.token()
                for page in PAGES:
                    if page.role > role:
                        assert (await person.get(path_of(page.path))).status == 403, page.path
                for action in ACTIONS:
                    if action.role > role:
                        answer = await person.post(path_of(action.path), {"csrf": token, "reason": "x"})
                        assert answer.status == 403, action.path
                assert await journal(console) == before


async def test_every_action_asks_for_a_reason(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        before, token = await journal(console), await owner.token()
        for action in ACTIONS:
            if action.needs_reason:
                answer = await owner.post(path_of(action.path), {"csrf": token, "reason": "  "}, follow=False)
                assert answer.status == 303, action.path
        assert await journal(console) == before


@pytest.mark.parametrize("sample", ["0", "999999999999", "99999999999999999999999", "-1", "x", "1;drop", "%00"])
async def test_ids_of_nothing_are_answered_in_words(database: str, sample: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        for page in PAGES:
            if "{" in page.path:
                answer = await owner.get(path_of(page.path, sample))
                assert answer.status in {200, 400, 404}, f"{page.path}: {answer.status}"


async def test_a_forged_place_in_the_list_of_users_is_its_beginning(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        for before in ("x", "2026-01-01~x", "0001-01-01T00:00:00%2B14:00~1"):
            assert (await owner.get(f"/console/users?before={before}")).status == 200


async def test_hostile_filters_break_no_page(database: str) -> None:
    hostile = (
        "before=-1&before=x&q=%00%27%22%3Cscript%3E&state=nope&model=..%2F..&since=2026-99-99&user=9e99&page=-3&days=0"
    )
    async with running_console(database) as console, console.signed_in() as owner:
        for page in PAGES:
            if "{" not in page.path:
                answer = await owner.get(f"{path_of(page.path)}?{hostile}")
                assert answer.status in {200, 400, 404}, f"{page.path}: {answer.status}"
                assert "<script>" not in answer.text.replace('<script src="/console/static', "")


async def test_a_form_without_a_reason_leads_back_to_its_page(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        form = {"csrf": await owner.token(), "reason": ""}
        for sent_from, leads_to in (
            (f"{console.url}/console/jobs?only=stuck", "/console/jobs?only=stuck"),
            ("https://evil.example//evil.example/", "/console/today"),
        ):
            async with owner.client.post(
                f"{console.url}/console/jobs/1/retry", data=form, headers={"Referer": sent_from}, allow_redirects=False
            ) as answer:
                assert answer.headers["Location"] == leads_to


async def test_bytes_that_are_no_text_are_refused_in_words(database: str) -> None:
    async with running_console(database) as console, console.visitor() as visitor:
        await visitor.token("/console/sign-in")
        assert (await visitor.post("/console/sign-in", {"csrf": "\u00e9", "password": PASSWORD})).status == 403
        form = urlencode({"csrf": await visitor.token("/console/sign-in"), "password": PASSWORD}).encode()
        cookie = visitor.client.cookie_jar.filter_cookies(URL(f"{console.url}/console/"))["photomat_sign_in"].value
        kind = "application/x-www-form-urlencoded"
        assert await raw_status(console.url, "GET /console/today", b"Cookie: photomat_console=\xff\xfe") == 303
        sign_in = "POST /console/sign-in"
        sent = f"Cookie: photomat_sign_in={cookie}\r\nContent-Length: {len(form)}\r\nContent-Type: {kind}".encode()
        assert await raw_status(console.url, sign_in, sent + b"; charset=nobody-knows", form) == 400
        assert await raw_status(console.url, sign_in, sent + b"\r\nUser-Agent: \xff\xfe", form) == 303
    async with running_console(database) as console, console.signed_in() as owner:
        answer = await owner.act("/console/money/promo/%00/stop")
        assert answer.status == 404


async def raw_status(url: str, request: str, headers: bytes, body: bytes = b"") -> int:
    """The status of a request whose headers no client would send."""
    reader, writer = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
    writer.write(f"{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n".encode() + headers + b"\r\n\r\n" + body)
    status = int((await reader.readline()).split()[1])
    writer.close()
    return status


async def test_the_owner_of_the_settings_cannot_be_added_or_removed(database: str) -> None:
    async with running_console(database) as console:
        result = await remove_operator(console.pool, OWNER_ID, operator="test", reason="x")
        assert not result.done

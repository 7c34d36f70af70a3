"""The customers of the console over HTTP: found in any case, paged by key, exported safely; a form acts on its own user."""

from photomat.db.pool import transaction
from photomat.kernel.ids import UserId
from photomat.operators.access import Role
from photomat.reports.users import UserFilter, list_users
from support.console import running_console
from support.database import shift_clock
from support.jobs import a_job, a_user, money_of
from support.rewards import pays

ANNA, BORIS = UserId(4_000_001), UserId(4_000_002)


async def test_a_user_is_found_by_number_username_and_the_beginning_of_a_name(database: str) -> None:
    async with running_console(database) as console:
        pool = console.pool
        for number, (user_id, name, username) in enumerate(
            [(ANNA, "ЖАННА", "Janna_1"), (BORIS, "Борис", None), (UserId(4_000_003), "100%", "x_y")]
        ):
            await shift_clock(pool, number)
            await a_user(pool, user_id=user_id)
            await pool.execute(
                "UPDATE users SET first_name = $2, username = $3 WHERE user_id = $1", user_id, name, username
            )
        found = {
            words: [line.user_id for line in await list_users(pool, find=words)]
            for words in ("жан", "@JANNA", "janna_", "100%", "%", "@x_", str(BORIS), "9" * 30, "'; --")
        }
        assert found == {
            "жан": [ANNA],
            "@JANNA": [ANNA],
            "janna_": [ANNA],
            "100%": [4_000_003],
            "%": [],
            "@x_": [4_000_003],
            str(BORIS): [BORIS],
            "9" * 30: [],
            "'; --": [],
        }
        pages, after = [], None
        for _ in range(4):
            page = await list_users(pool, after=after, limit=1)
            pages += [line.user_id for line in page]
            after = page[-1].cursor if page else after
        assert pages == [4_000_003, BORIS, ANNA], "the newest first, each once"
        async with transaction(pool) as tx:
            await pays(tx, ANNA, 500)
        assert [line.user_id for line in await list_users(pool, only=UserFilter.PAID)] == [ANNA]
        assert len(await list_users(pool, only=UserFilter.NEW)) == 3
        assert [await list_users(pool, only=only) for only in (UserFilter.BANNED, UserFilter.DEBT)] == [[], []]


async def test_a_list_as_csv_holds_no_formula_and_a_wrong_cursor_starts_anew(database: str) -> None:
    async with running_console(database) as console, console.signed_in(Role.VIEWER) as viewer:
        await a_user(console.pool, user_id=ANNA)
        await console.pool.execute("UPDATE users SET first_name = '=1+1' WHERE user_id = $1", ANNA)
        csv = await viewer.get("/console/users?format=csv")
        assert f"{ANNA},'=1+1," in csv.text
        assert csv.headers["Content-Type"].startswith("text/csv")
        for wrong in ("x", "2026-01-01~x", "~", "2026-13-77~1"):
            assert str(ANNA) in (await viewer.get(f"/console/users?before={wrong}")).text
        page = await viewer.get(f"/console/users/{ANNA}")
        assert "/ban" not in page.text, "a viewer sees no action"
        assert (await viewer.get("/console/users/404")).status == 404


async def test_a_form_acts_once_and_only_on_its_own_user(database: str) -> None:
    async with running_console(database) as console, console.signed_in(Role.OPERATOR) as operator:
        await a_user(console.pool, user_id=ANNA)
        await a_user(console.pool, user_id=BORIS)
        await a_job(console.pool, ANNA)
        async with transaction(console.pool) as tx:
            received = await pays(tx, ANNA, 500)
        page = f"/console/users/{ANNA}"
        for _ in range(2):
            await operator.act(f"{page}/credit", on=page, amount="10")
        assert await money_of(console.pool, ANNA) == (10_000 + 500 + 1_000 - 64, 64)
        for amount in ("", "-5", "much", "0", "9" * 30):
            answer = await operator.act(f"{page}/credit", on=page, amount=amount, form_id=f"f-{amount}")
            assert answer.flash is not None
        stolen = f"/console/users/{BORIS}/payments/{received.payment_id}/refund"
        assert (await operator.act(stolen, on=page)).status == 404
        assert (await operator.act(f"{page}/ban", on=page, term="century")).status == 404
        wrong = await operator.act(f"{page}/limits", on=page, running="many")
        assert wrong.flash is not None
        assert "0 (none) to 1000" in wrong.flash
        assert (await operator.act(f"{page}/cancel-queued", on=page)).flash is not None
        assert await money_of(console.pool, ANNA) == (10_000 + 500 + 1_000, 0)
        assert (await operator.act(f"{page}/payments/{received.payment_id}/refund", on=page)).status == 200
        assert (await operator.act("/console/users/404/message", on=page, text="hello")).status in {200, 404}
        acts = await console.pool.fetch(
            "SELECT action, done FROM operator_journal WHERE user_id = $1 ORDER BY entry_id", ANNA
        )
        assert [row["action"] for row in acts if row["done"]] == ["credit", "credit", "cancel queued", "refund payment"]

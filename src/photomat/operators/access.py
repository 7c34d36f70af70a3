"""Who may use the console and /admin: roles, sessions in a browser, links that sign in once, tries of the password.

CONSOLE_PASSWORD and everyone in ADMIN_IDS are owners; owners add operators and viewers by Telegram id. The role is read with
every request, so removing an operator, or changing the password, ends their sessions at once. Tokens of links and sessions are
random and only their hashes are stored. A link works once: using it is one guarded update, in the transaction that makes the
session.
"""

import hashlib
import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, Final, Literal, TypeAlias

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row, row_as
from photomat.kernel.ids import UserId
from photomat.operators.actions import ActionResult, journaled, write_journal
from photomat.texts.sentence import Sentence
from photomat.work.retention import OldRows

SignInMethod: TypeAlias = Literal["password", "terminal", "telegram"]
LINK_LASTS: Final = timedelta(minutes=5)
IDLE: Final = timedelta(hours=12)
SESSION_LASTS: Final = timedelta(days=7)
SEEN_EVERY: Final = timedelta(minutes=1)
MINUTE: Final = timedelta(minutes=1)
TRIES_A_MINUTE: Final = 5
ALL_TRIES_A_MINUTE: Final = 60
"""From all clients together: guessing from many addresses is slow too."""
MAX_NAME: Final = 64
NAMELESS_OWNER: Final = "owner"
"""How the journal names sessions of the password."""
MAX_DEVICE: Final = 120
OLD_SESSIONS: Final = OldRows(table="console_sessions", age="seen_at", only="true")
OLD_LINKS: Final = OldRows(table="console_links", age="expires_at", only="true")


class Role(IntEnum):
    """What an operator may do; a higher role may everything a lower one may."""

    VIEWER = 1
    OPERATOR = 2
    OWNER = 3

    @property
    def word(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """An operator with a session, as the journal names them, and their role now; `now` is the database's."""

    name: str
    role: Role
    session_id: int
    now: datetime
    telegram_id: UserId | None = None
    flash: dict[str, Any] | None = None

    @property
    def called(self) -> str:
        """The person's own name, without the number that the journal has."""
        return self.name.partition(" ")[2] or self.name

    @property
    def is_nameless(self) -> bool:
        """Whether the session was opened by the password, which belongs to no operator."""
        return self.name == NAMELESS_OWNER


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorRow:
    telegram_id: UserId
    name: str
    role: str
    added_by: str
    added_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSession:
    session_id: int
    operator: str
    method: str
    device: str
    created_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """Who owns the shop by its settings; a password of None opens nothing."""

    telegram_ids: Collection[int] = ()
    password: str | None = None

    @property
    def proof(self) -> bytes | None:
        """A digest of the password for sessions; it says nothing about the password."""
        return None if not self.password else hmac.digest(self.password.encode(), b"console session", "sha256")

    def has_password(self, given: str) -> bool:
        """Whether this is the password, compared in constant time."""
        return bool(self.password) and hmac.compare_digest(_hash(given), _hash(self.password or ""))


def operator_of_telegram(telegram_id: int, name: str) -> str:
    """How the journal names an operator who acts from Telegram."""
    return f"telegram:{telegram_id} {' '.join(name.split())[:MAX_NAME]}".rstrip()


async def role_of_telegram(pool: Pool, owners: Collection[int], telegram_id: int) -> Role | None:
    """The role of a Telegram user; None for everyone who is no operator."""
    if telegram_id in owners:
        return Role.OWNER
    role = await pool.fetchval("SELECT role FROM operators WHERE telegram_id = $1 AND removed_at IS NULL", telegram_id)
    return None if role is None else Role[role.upper()]


async def operators_reached(pool: Pool, owners: Collection[int]) -> list[int]:
    """The Telegram ids of everyone who may act: owners and operators."""
    rows = await pool.fetch("SELECT telegram_id FROM operators WHERE removed_at IS NULL AND role = 'operator'")
    return list(dict.fromkeys([*owners, *(row["telegram_id"] for row in rows)]))


async def list_operators(pool: Pool) -> list[OperatorRow]:
    rows = await pool.fetch(
        """
        SELECT telegram_id, name, role, added_by, added_at FROM operators
         WHERE removed_at IS NULL ORDER BY added_at LIMIT 200
        """
    )
    return [row_as(OperatorRow, row) for row in rows]


async def add_operator(
    pool: Pool, telegram_id: int, name: str, role: Role, *, operator: str, reason: str
) -> ActionResult:
    """Add an operator or viewer, or change the role of one; owners are named by ADMIN_IDS alone."""
    called = " ".join(name.split())[:MAX_NAME]

    async def act(tx: Transaction) -> ActionResult:
        if role is Role.OWNER or not called or not 0 < telegram_id < 2**52:
            return ActionResult(done=False, says=Sentence("operator-incomplete"))
        await tx.execute(
            """
            INSERT INTO operators (telegram_id, name, role, added_by) VALUES ($1, $2, $3, $4)
                ON CONFLICT (telegram_id) DO UPDATE
               SET name = excluded.name, role = excluded.role, added_by = excluded.added_by,
                   added_at = photomat_now(), removed_at = NULL
            """,
            telegram_id,
            called,
            role.word,
            operator,
        )
        return ActionResult(done=True, says=Sentence("operator-added", name=called, id=telegram_id, role=role.word))

    return await journaled(
        pool, act, action="add operator", operator=operator, reason=reason, reference=f"operator:{telegram_id}"
    )


async def remove_operator(pool: Pool, telegram_id: int, *, operator: str, reason: str) -> ActionResult:
    """Remove an operator or viewer and end their sessions."""

    async def act(tx: Transaction) -> ActionResult:
        name = await tx.fetchval(
            """
            UPDATE operators SET removed_at = photomat_now() WHERE telegram_id = $1 AND removed_at IS NULL
            RETURNING name
            """,
            telegram_id,
        )
        if name is None:
            return ActionResult(done=False, says=Sentence("operator-none"))
        await tx.execute("DELETE FROM console_sessions WHERE telegram_id = $1", telegram_id)
        return ActionResult(done=True, says=Sentence("operator-removed", name=name, id=telegram_id))

    return await journaled(
        pool, act, action="remove operator", operator=operator, reason=reason, reference=f"operator:{telegram_id}"
    )


async def list_sessions(pool: Pool) -> list[OpenSession]:
    rows = await pool.fetch(
        """
        SELECT session_id, operator, method, device, created_at, seen_at FROM console_sessions
         WHERE seen_at > photomat_now() - $1::interval AND created_at > photomat_now() - $2::interval
         ORDER BY seen_at DESC LIMIT 100
        """,
        IDLE,
        SESSION_LASTS,
    )
    return [row_as(OpenSession, row) for row in rows]


async def end_session(pool: Pool, session_id: int, *, operator: str, reason: str) -> ActionResult:
    async def act(tx: Transaction) -> ActionResult:
        whose = await tx.fetchval("DELETE FROM console_sessions WHERE session_id = $1 RETURNING operator", session_id)
        ended = whose is not None
        says = Sentence("session-ended", operator=whose) if ended else Sentence("session-over-before")
        return ActionResult(done=ended, says=says)

    return await journaled(pool, act, action="end session", operator=operator, reason=reason)


async def new_link(pool: Pool, *, operator: str, telegram_id: int | None) -> str:
    """Make a link's token, valid once and for five minutes; a user of Telegram has one link at a time."""
    token = secrets.token_urlsafe(32)
    async with transaction(pool) as tx:
        await tx.execute("DELETE FROM console_links WHERE telegram_id = $1 AND used_at IS NULL", telegram_id)
        await tx.execute(
            """
            INSERT INTO console_links (token_hash, operator, telegram_id, expires_at)
            VALUES ($1, $2, $3, photomat_now() + $4::interval)
            """,
            _hash(token),
            operator,
            telegram_id,
            LINK_LASTS,
        )
        await write_journal(
            tx,
            operator=operator,
            action="sign-in link",
            reason=None,
            done=True,
            outcome=Sentence("sign-in-link-made"),
        )
    return token


async def sign_in_by_link(pool: Pool, token: str, *, owners: Owners, device: str) -> str | None:
    """Use a link and open a session; return its cookie, None if the link is unknown, used, expired or of a removed operator."""
    async with transaction(pool) as tx:
        link = await tx.fetchrow(
            """
            UPDATE console_links SET used_at = photomat_now()
             WHERE token_hash = $1 AND used_at IS NULL AND expires_at > photomat_now()
            RETURNING operator, telegram_id
            """,
            _hash(token),
        )
        if link is None or await _role_of(tx, link["telegram_id"], owners) is None:
            return None
        method: SignInMethod = "terminal" if link["telegram_id"] is None else "telegram"
        return await _open_session(
            tx, method=method, operator=link["operator"], telegram_id=link["telegram_id"], proof=None, device=device
        )


async def sign_in_by_password(pool: Pool, given: str, *, owners: Owners, device: str) -> str | None:
    """Open an owner's session; return its cookie, None for a wrong password. The caller counts the tries."""
    if not owners.has_password(given):
        async with transaction(pool) as tx:
            await write_journal(
                tx,
                operator="console",
                action="sign in",
                reason=None,
                done=False,
                outcome=Sentence("sign-in-password-wrong"),
            )
        return None
    async with transaction(pool) as tx:
        return await _open_session(
            tx, method="password", operator=NAMELESS_OWNER, telegram_id=None, proof=owners.proof, device=device
        )


async def may_try(pool: Pool, client: str) -> bool:
    """Count a try of the password; False beyond five a minute from one client."""
    async with transaction(pool) as tx:
        await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended('console tries', 0))")
        await tx.execute("DELETE FROM console_tries WHERE tried_at <= photomat_now() - $1::interval", MINUTE)
        made = await tx.fetchrow(
            "SELECT count(*) AS all_of_them, count(*) FILTER (WHERE client = $1) AS own FROM console_tries", client
        )
        if made is None or made["own"] >= TRIES_A_MINUTE or made["all_of_them"] >= ALL_TRIES_A_MINUTE:
            return False
        await tx.execute("INSERT INTO console_tries (client) VALUES ($1)", client)
        return True


async def find_session(pool: Pool, cookie: str, *, owners: Owners, takes_flash: bool) -> SignedIn | None:
    """Who has this session, with their role now; None once it has ended. A flash is handed out once."""
    row = await pool.fetchrow(
        """
        SELECT session_id, operator, method, telegram_id, proof, flash, photomat_now() AS now,
               seen_at < photomat_now() - $4::interval AS is_stale FROM console_sessions
         WHERE session_hash = $1 AND seen_at > photomat_now() - $2::interval
           AND created_at > photomat_now() - $3::interval
        """,
        _hash(cookie),
        IDLE,
        SESSION_LASTS,
        SEEN_EVERY,
    )
    role = None if row is None else await _role_of_session(pool, row, owners)
    if row is None or role is None:
        return None
    takes = takes_flash and row["flash"] is not None
    if takes or row["is_stale"]:
        await _write_seen(pool, row["session_id"], drops_flash=takes)
    return SignedIn(
        name=row["operator"],
        role=role,
        session_id=row["session_id"],
        now=row["now"],
        telegram_id=row["telegram_id"],
        flash=row["flash"] if takes else None,
    )


async def leave_flash(pool: Pool, session_id: int, flash: dict[str, Any]) -> None:
    """Keep a message for the next page of this session."""
    await pool.execute("UPDATE console_sessions SET flash = $2 WHERE session_id = $1", session_id, flash)


async def sign_out(pool: Pool, cookie: str) -> None:
    await pool.execute("DELETE FROM console_sessions WHERE session_hash = $1", _hash(cookie))


async def end_all_sessions(tx: Transaction) -> int:
    """A restored database: a session or link that was ended after the backup must not open the console again."""
    rows = await tx.fetch("DELETE FROM console_sessions RETURNING session_id")
    await tx.execute("DELETE FROM console_links")
    return len(rows)


async def _open_session(
    tx: Transaction,
    *,
    method: SignInMethod,
    operator: str,
    telegram_id: int | None,
    proof: bytes | None,
    device: str,
) -> str:
    cookie = secrets.token_urlsafe(32)
    await tx.execute(
        """
        INSERT INTO console_sessions (session_hash, method, operator, telegram_id, proof, device)
        VALUES ($1, $2, $3, $4, $5, $6)
        """,
        _hash(cookie),
        method,
        operator,
        telegram_id,
        proof,
        device[:MAX_DEVICE],
    )
    await write_journal(
        tx,
        operator=operator,
        action="sign in",
        reason=None,
        done=True,
        outcome=Sentence("sign-in-opened", method=method),
    )
    return cookie


async def _role_of_session(pool: Pool, row: Row, owners: Owners) -> Role | None:
    if row["method"] == "password":
        current = owners.proof
        return Role.OWNER if current is not None and hmac.compare_digest(row["proof"], current) else None
    async with pool.acquire() as connection:
        return await _role_of(connection, row["telegram_id"], owners)


async def _role_of(tx: Transaction, telegram_id: int | None, owners: Owners) -> Role | None:
    """A link printed by a command is the owner's: who runs commands can read the database."""
    if telegram_id is None or telegram_id in owners.telegram_ids:
        return Role.OWNER
    role = await tx.fetchval("SELECT role FROM operators WHERE telegram_id = $1 AND removed_at IS NULL", telegram_id)
    return None if role is None else Role[role.upper()]


async def _write_seen(pool: Pool, session_id: int, *, drops_flash: bool) -> None:
    await pool.execute(
        """
        UPDATE console_sessions SET seen_at = photomat_now(), flash = CASE WHEN $2 THEN NULL ELSE flash END
         WHERE session_id = $1
        """,
        session_id,
        drops_flash,
    )


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


async def forget_flashes(tx: Transaction, _user_id: int, _limit: int) -> int:
    """Drop the messages that wait for operators' next pages: they may quote a user who is forgotten."""
    await tx.execute("UPDATE console_sessions SET flash = NULL WHERE flash IS NOT NULL")
    return 0

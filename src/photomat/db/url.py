"""The options of DATABASE_URL.

Hosting providers and other libraries put options into the URL that asyncpg would send to the server as settings, which the
server refuses. Each option is honoured, refused with a sentence, or ignored: silently if it is known to have no meaning here,
with a warning otherwise.
"""

import ssl
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from photomat.kernel.errors import Startup
from photomat.kernel.logs import get_logger

HONOURED_BY_ASYNCPG: Final = frozenset({
    *("host", "port", "user", "password", "passfile", "dbname", "database", "service", "target_session_attrs"),
    *("sslcert", "sslkey", "sslcrl", "sslpassword", "sslnegotiation"),
    *("ssl_min_protocol_version", "ssl_max_protocol_version", "krbsrvname", "gsslib", "options"),
})  # fmt: skip
HONOURED_HERE: Final = frozenset({
    *("sslmode", "ssl", "sslrootcert", "channel_binding", "gssencmode", "connect_timeout"),
    *("schema", "currentSchema", "search_path"),
})  # fmt: skip
WITHOUT_MEANING: Final = frozenset({
    *("keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"),
    *("application_name", "fallback_application_name", "client_encoding", "gssdelegation", "require_auth"),
    *("pgbouncer", "connection_limit", "pool_timeout", "socket_timeout", "statement_cache_size", "sslaccept", "supa"),
    *("pool", "pool_size", "max_overflow", "prepared_statements", "prepareThreshold", "sslcompression", "sslsni"),
})  # fmt: skip
"""Options of other clients; we configure pools, prepared statements and keepalives ourselves."""

TLS_MODES: Final = ("require", "verify-ca", "verify-full")
SSL_MODES: Final = ("disable", "allow", "prefer", *TLS_MODES)
OTHER_SPELLINGS: Final = {"no-verify": "require", "true": "require", "1": "require", "false": "disable", "0": "disable"}
MIN_CONNECT_S, MAX_CONNECT_S = 2, 60

log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseUrl:
    dsn: str
    sslmode: str | None
    tls: ssl.SSLContext | None
    search_path: str | None
    connect_timeout_s: int | None

    @property
    def schema(self) -> str | None:
        """The first schema of the search path, where our tables are."""
        if self.search_path is None:
            return None
        first = self.search_path.split(",")[0].strip()
        return first[1:-1].replace('""', '"') if first.startswith('"') else first


@lru_cache(maxsize=32)
def parse_url(dsn: str) -> DatabaseUrl:
    """Parse DATABASE_URL; raise `Startup` if it asks for something we do not support."""
    try:
        parts = urlsplit(dsn)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:
        raise Startup(
            "DATABASE_URL is not a valid address; it looks like postgresql://user:password@host/name."
        ) from None
    _refuse_gss_encryption(options)
    sslmode = _sslmode(options, is_local=_is_local(parts.hostname, options))
    kept = {name: value for name, value in options.items() if name in HONOURED_BY_ASYNCPG and value}
    tls = None
    if options.get("sslrootcert") == "system":
        sslmode, tls = "verify-full", ssl.create_default_context()
    elif options.get("sslrootcert"):
        kept["sslrootcert"] = options["sslrootcert"]
    if sslmode is not None and tls is None:
        kept["sslmode"] = sslmode
    for name in sorted(options.keys() - HONOURED_BY_ASYNCPG - HONOURED_HERE - WITHOUT_MEANING):
        log.warning("DATABASE_OPTION_IGNORED", option=name)
    return DatabaseUrl(
        dsn=urlunsplit(parts._replace(scheme=parts.scheme.partition("+")[0], query=urlencode(kept))),
        sslmode=sslmode,
        tls=tls,
        search_path=_search_path(options),
        connect_timeout_s=_connect_timeout(options),
    )


def with_schema(dsn: str, schema: str) -> str:
    parts = urlsplit(dsn)
    query = [(name, value) for name, value in parse_qsl(parts.query) if name not in {"currentSchema", "search_path"}]
    return urlunsplit(parts._replace(query=urlencode(dict(query) | {"schema": schema})))


def quote_identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _is_local(host: str | None, options: dict[str, str]) -> bool:
    """Whether the database is reached by a Unix socket, where there is no TLS."""
    return not host and options.get("host", "/").startswith("/")


def _refuse_gss_encryption(options: dict[str, str]) -> None:
    if options.get("gssencmode") == "require":
        raise Startup(
            "DATABASE_URL says gssencmode=require, but connections cannot be encrypted by GSSAPI here;"
            " remove it and use TLS (sslmode=require) instead."
        )


def _sslmode(options: dict[str, str], *, is_local: bool) -> str | None:
    wanted = options.get("sslmode") or options.get("ssl") or None
    mode = OTHER_SPELLINGS.get(wanted, wanted) if wanted is not None else None
    if mode is not None and mode not in SSL_MODES:
        raise Startup(f"DATABASE_URL says sslmode={mode}, which is not one of {', '.join(SSL_MODES)}.")
    if options.get("channel_binding") != "require":
        return mode
    if is_local or mode == "disable":
        why = "a Unix socket has no TLS" if is_local else "sslmode=disable turns TLS off"
        raise Startup(f"DATABASE_URL says channel_binding=require, which needs TLS, but {why}; remove one of the two.")
    log.warning("CHANNEL_BINDING_NOT_ENFORCED", sslmode=mode if mode in TLS_MODES else "require")
    return mode if mode in TLS_MODES else "require"


def _search_path(options: dict[str, str]) -> str | None:
    schema = options.get("schema") or options.get("currentSchema")
    return quote_identifier(schema) if schema else options.get("search_path") or None


def _connect_timeout(options: dict[str, str]) -> int | None:
    """Seconds within our bounds; None where ours applies (zero would mean no limit)."""
    written = options.get("connect_timeout", "")
    if not written.isdecimal() or int(written) == 0:
        return None
    return min(max(int(written), MIN_CONNECT_S), MAX_CONNECT_S)

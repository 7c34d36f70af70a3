"""The database URLs that hosting providers hand out are taken as they are."""

import pytest

from photomat.db.url import DatabaseUrl, parse_url, with_schema
from photomat.kernel.errors import Startup

BASE = "postgresql://anna:secret@db.example/shop"


def read(options: str) -> DatabaseUrl:
    return parse_url(f"{BASE}?{options}")


@pytest.mark.parametrize(
    "options",
    [
        "sslmode=require&channel_binding=require",
        "sslmode=require&options=endpoint%3Dep-cool-1&channel_binding=prefer",
        "pgbouncer=true&connection_limit=1&pool_timeout=20&socket_timeout=5&statement_cache_size=0&schema=public",
        "sslmode=verify-full&connect_timeout=15&keepalives=1&keepalives_idle=5&keepalives_interval=2&keepalives_count=3",
        "gssencmode=disable&target_session_attrs=read-write&application_name=shop&supa=base-pooler.x",
        "sslmode=require&",
        "",
    ],
    ids=["neon", "neon-endpoint", "prisma", "keepalives", "libpq", "trailing", "none"],
)
def test_only_what_asyncpg_knows_is_handed_on(options: str) -> None:
    kept = read(options).dsn.partition("?")[2].replace("%3D", "=")
    names = {option.partition("=")[0] for option in kept.split("&") if option}
    assert names <= {"sslmode", "options", "target_session_attrs"}
    assert read(options).dsn.startswith(BASE)


@pytest.mark.parametrize(
    ("options", "sslmode"),
    [
        ("sslmode=prefer", "prefer"),
        ("sslmode=no-verify", "require"),
        ("ssl=true", "require"),
        ("", None),
        ("channel_binding=require", "require"),
        ("channel_binding=require&sslmode=prefer", "require"),
        ("channel_binding=require&sslmode=verify-full", "verify-full"),
        ("channel_binding=prefer", None),
        ("sslrootcert=system&sslmode=require", "verify-full"),
    ],
)
def test_tls_is_as_strict_as_it_was_asked_for(options: str, sslmode: str | None) -> None:
    assert read(options).sslmode == sslmode


def test_the_certificates_of_the_system_verify_the_server() -> None:
    tls = read("sslrootcert=system").tls
    assert tls is not None
    assert tls.check_hostname


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("gssencmode=require", "remove it and use TLS"),
        ("channel_binding=require&sslmode=disable", "needs TLS, but sslmode=disable turns TLS off"),
        ("sslmode=strict", "not one of disable, allow, prefer, require, verify-ca, verify-full"),
    ],
)
def test_what_cannot_be_had_is_refused_in_words(options: str, sentence: str) -> None:
    with pytest.raises(Startup, match=sentence) as refusal:
        read(options)
    assert "secret" not in str(refusal.value)


def test_channel_binding_is_refused_on_a_socket() -> None:
    with pytest.raises(Startup, match="a Unix socket has no TLS"):
        parse_url("postgresql://anna@/shop?host=/run/postgresql&channel_binding=require")


@pytest.mark.parametrize(
    ("options", "search_path", "schema"),
    [
        ("schema=shop", '"shop"', "shop"),
        ("currentSchema=Shop", '"Shop"', "Shop"),
        ("schema=a%22b", '"a""b"', 'a"b'),
        ("search_path=shop,public", "shop,public", "shop"),
        ("", None, None),
    ],
)
def test_a_schema_becomes_the_search_path(options: str, search_path: str | None, schema: str | None) -> None:
    found = read(options)
    assert (found.search_path, found.schema) == (search_path, schema)


def test_another_schema_replaces_the_one_that_was_there() -> None:
    assert parse_url(with_schema(f"{BASE}?schema=shop&sslmode=require", "check")).schema == "check"


@pytest.mark.parametrize(("written", "seconds"), [("15", 15), ("1", 2), ("0", None), ("9999", 60), ("soon", None)])
def test_the_time_to_connect_is_kept_within_reason(written: str, seconds: int | None) -> None:
    assert read(f"connect_timeout={written}").connect_timeout_s == seconds


def test_a_driver_in_the_scheme_is_left_out() -> None:
    assert parse_url("postgresql+asyncpg://anna@db.example/shop").dsn == "postgresql://anna@db.example/shop"

"""Names of hosts and their addresses: looked up in threads of their own, within a written time, and which are public.

A name server that never answers holds a thread for as long as the system waits for it. So each `Names` has a few threads for
itself, and whoever shares the process's other threads, or another `Names`, is not held up.
"""

import asyncio
import ipaddress
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from aiohttp.abc import ResolveResult

THREADS: Final = 3
LOOKUP_TIMEOUT_S: Final = 5.0
NUMERIC: Final = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
IPV4_WITHIN: Final = ipaddress.ip_network("64:ff9b::/96")
"""How a network without IPv4 writes its addresses: the last four bytes say where a packet really goes."""

NEVER: Final = tuple(
    ipaddress.ip_network(network)
    for network in ("64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "fec0::/10", "ff00::/8", "224.0.0.0/4")
)
"""Ways round to other networks (6to4, Teredo, addresses of old with IPv4 within), one's own site, and crowds."""


class Names:
    """Looks names up."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="names")

    async def look_up(self, host: str, port: int, family: socket.AddressFamily) -> list[ResolveResult]:
        """The addresses of a host; raises OSError, or TimeoutError when nobody answers in time."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(LOOKUP_TIMEOUT_S):
            found = await loop.run_in_executor(self._threads, _addresses, host, port, family)
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=NUMERIC)
            for kind, address in found
        ]


def is_public(address: str) -> bool:
    """Whether anybody may be reached there, and nobody of our own network in disguise."""
    ip = ipaddress.ip_address(address)
    within = _ipv4_within(ip) if isinstance(ip, ipaddress.IPv6Address) else None
    if within is not None:
        ip = within
    return ip.is_global and not any(ip in network for network in NEVER)


def _ipv4_within(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in IPV4_WITHIN else ip.ipv4_mapped


def _addresses(host: str, port: int, family: socket.AddressFamily) -> list[tuple[int, str]]:
    found = socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [(kind, str(address[0])) for kind, _, _, _, address in found]

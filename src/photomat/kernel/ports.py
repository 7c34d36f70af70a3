"""A port of our own choosing for a process that starts in a moment.

A port that is merely free may be gone by then: another process that asks for any port can be given it. One in
TIME_WAIT is given to nobody who asks for any, while a server that names it may still open it.
"""

import socket
from typing import Final

LOOPBACK: Final = "127.0.0.1"


def reserve_port(wanted: int = 0) -> int:
    """Reserve a port of the loopback for about a minute, this one or any; `OSError` when it is taken."""
    with socket.socket() as server, socket.socket() as client:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((LOOPBACK, wanted))
        server.listen(1)
        client.connect(server.getsockname())
        ours, _ = server.accept()
        ours.close()  # the side that closes first keeps the TIME_WAIT, and with it the port
        return int(server.getsockname()[1])

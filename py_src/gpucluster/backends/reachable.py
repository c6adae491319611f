"""Whether a host that a request names can be found, before a process starts."""

from __future__ import annotations

import socket
from threading import Thread

LOOK_SECONDS = 2.0


def host_fault(host: str, port: int | None = None) -> str | None:
    """Return what is wrong with a host, as the end of a sentence without its full stop.

    `host`: name or address. `port`: also check whether something listens there. Returns ``None`` if nothing is wrong,
    or two seconds are not enough to find out.
    """
    found: list[str] = []

    def look() -> None:
        try:
            if port is None:
                socket.getaddrinfo(host, None)
            else:
                socket.create_connection((host, port), LOOK_SECONDS).close()
        except socket.gaierror as error:
            # A name server that does not respond at the moment says nothing about the name.
            if error.errno != socket.EAI_AGAIN:
                found.append(f"host '{host}' not found")
        except ConnectionRefusedError:
            found.append(f"nothing listens on port {port} of {host}")
        except (OSError, UnicodeError):
            pass

    looking = Thread(target=look, name="gpucluster-host", daemon=True)
    looking.start()
    looking.join(LOOK_SECONDS)
    return found[0] if found else None

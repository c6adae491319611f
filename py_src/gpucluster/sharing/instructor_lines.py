"""The protocol between an instructor's process and a cluster's: lines of JSON on a stream without a path.

The cluster's process describes the cluster in its first line and then takes one request. The names of the sockets are
the clusters' ids, or random where another process has taken that name; the kernel reports the owner of each.
"""

import re
import socket
import time

from pydantic import BaseModel

from ..operating_system.sockets import BoundName, held_names
from .node import prefix

LONGEST_LINE = 16 * 1024
LONGEST_REQUEST = 4 * 1024
MOST_OF_A_USER = 64  # Limit of clusters per user that are looked at.
_ID = re.compile(r"[0-9a-f]{8}")


class LineTooLong(Exception):
    """The other end sends more than is ever needed."""


def socket_name(id: str) -> str:
    """Return the name at which the process of a cluster listens."""
    return f"{prefix()}/i/{id}"


def listening() -> tuple[dict[int, list[tuple[str, BoundName]]], int]:
    """Return the names of listening clusters by user, each with its id, and how many exceed the limit per user."""
    start = socket_name("")
    found: dict[int, list[tuple[str, BoundName]]] = {}
    left_out = 0
    for bound in held_names(start):
        id = bound.name.removeprefix(start)
        # Without an owner reported by the kernel, a name is not trusted.
        if bound.user is None or not bound.listens or not _ID.fullmatch(id):
            continue
        of_user = found.setdefault(bound.user, [])
        if len(of_user) < MOST_OF_A_USER:
            of_user.append((id, bound))
        else:
            left_out += 1
    return found, left_out


def send_line(connection: socket.socket, model: BaseModel) -> None:
    """Send a line. Raises `OSError`."""
    connection.sendall(model.model_dump_json().encode() + b"\n")


def receive_line(connection: socket.socket, deadline: float, longest: int = LONGEST_LINE) -> bytes | None:
    """Return the next line; ``None``: the other end has closed. Raises `TimeoutError`, `LineTooLong` or `OSError`."""
    received = b""
    while b"\n" not in received:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        piece = connection.recv(4096)
        if not piece:
            return None
        received += piece
        if len(received) > longest:
            raise LineTooLong
    return received.partition(b"\n")[0]

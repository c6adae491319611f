"""How an instructor's process and a cluster's speak: lines of JSON on a stream without a path.

The cluster's process tells what it is in its first line and then takes one request. The names of the sockets carry the
clusters' ids, or something random where another process has taken that name; whose each is, the kernel tells.
"""

from __future__ import annotations

import re
import socket
import time

from pydantic import BaseModel

from ..operating_system.abstract_names import BoundName, held_names
from .node import prefix

LONGEST_LINE = 16 * 1024
LONGEST_REQUEST = 4 * 1024
MOST_OF_A_USER = 64  # So many clusters of one user are looked at.
_ID = re.compile(r"[0-9a-f]{8}")


class LineTooLong(Exception):
    """The other end says more than anybody needs."""


def socket_name(id: str) -> str:
    """Return the name under which the process of a cluster listens."""
    return f"{prefix()}/i/{id}"


def listening() -> tuple[dict[int, list[tuple[str, BoundName]]], int]:
    """Return the names of clusters that listen, by user, and how many were left out because a user has too many.

    A cluster's name is its id, unless that is taken.
    """
    start = socket_name("")
    found: dict[int, list[tuple[str, BoundName]]] = {}
    left_out = 0
    for bound in held_names(start):
        id = bound.name.removeprefix(start)
        # Without the kernel's word on whose it is, it is nobody's.
        if bound.user is None or not bound.listens or not _ID.fullmatch(id):
            continue
        of_user = found.setdefault(bound.user, [])
        if len(of_user) < MOST_OF_A_USER:
            of_user.append((id, bound))
        else:
            left_out += 1
    return found, left_out


def say(connection: socket.socket, model: BaseModel) -> None:
    """Send a line. Raises `OSError`."""
    connection.sendall(model.model_dump_json().encode() + b"\n")


def hear(connection: socket.socket, deadline: float, longest: int = LONGEST_LINE) -> bytes | None:
    """Return the next line, without its end; ``None``: the other end has closed.

    `deadline`: on the monotonic clock; whoever sends a letter now and then gains nothing. `longest`: bytes. Raises
    `TimeoutError`, `LineTooLong` or `OSError`.
    """
    heard = b""
    while b"\n" not in heard:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        piece = connection.recv(4096)
        if not piece:
            return None
        heard += piece
        if len(heard) > longest:
            raise LineTooLong
    return heard.partition(b"\n")[0]

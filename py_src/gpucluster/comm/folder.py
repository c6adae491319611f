"""The folder of a cluster's sockets, and the secret in it. Imports nothing of Dask."""

import errno
import os
import secrets
import socket
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import psutil

from ..operating_system.files import short_address

SCHEME = "gpucluster+unix"
PREFIX = f"{SCHEME}://"
HOST = "127.0.0.1"  # The host in every address, for programs that expect one.
SECRET_BYTES = 43  # Length of the secret: 32 random bytes in URL-safe Base64.


def make_comm_folder(path: Path) -> None:
    """Make a private folder with a new secret in it; `OSError` if it exists."""
    path.mkdir(mode=0o700)
    descriptor = os.open(path / "secret", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(32))


def address_of(path: str | Path) -> str:
    return f"{PREFIX}{HOST}{path}"


def path_of(location: str) -> str:
    """Return the path of a socket, given its address with or without scheme."""
    return location.removeprefix(PREFIX).removeprefix(HOST)


@lru_cache(maxsize=64)
def secret_of(folder: str) -> bytes:
    """Return the secret of a folder, which never changes; `OSError` if the cluster has ended or it is not readable."""
    descriptor = os.open(os.path.join(folder, "secret"), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        secret = file.read(SECRET_BYTES + 1)
    if len(secret) != SECRET_BYTES:
        raise OSError(errno.EBADMSG, "not a secret", folder)
    return secret


def bind(folder: str, *, backlog: int) -> tuple[socket.socket, str]:
    """Listen on a new non-blocking socket in a folder; return it and its path.

    It gets its name after it listens, so that ``sweep`` can distinguish it from a socket that is left over.
    """
    name = f"{os.getpid()}-{secrets.token_hex(3)}"
    path, hidden = os.path.join(folder, name), os.path.join(folder, f".{name}")
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.setblocking(False)
        with short_address(hidden) as address:
            listening.bind(address)
        os.chmod(hidden, 0o600)
        listening.listen(backlog)
        os.rename(hidden, path)
    except BaseException:
        listening.close()
        raise
    return listening, path


def sweep(folder: str) -> None:
    """Remove sockets of processes that were killed."""
    for name in os.listdir(folder):
        process = name.partition("-")[0]
        if not process.isdigit() or psutil.pid_exists(int(process)):
            continue
        path = os.path.join(folder, name)
        # A process in another container has no process id here, but may still listen.
        with suppress(OSError), short_address(path) as address:
            probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            probe.setblocking(False)
            try:
                probe.connect(address)
            except ConnectionRefusedError:
                os.unlink(path)
            finally:
                probe.close()

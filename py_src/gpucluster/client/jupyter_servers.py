"""Find this user's Jupyter servers on this machine by their files, which are not trusted, and never deleted.

Jupyter's own ``list_running_servers`` deletes the files of servers whose process is not found, which in a shared home
may run on other nodes.
"""

import ipaddress
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path

import psutil

MOST_BYTES = 65536


@dataclass(frozen=True)
class JupyterServer:
    file: Path
    pid: int
    port: int
    base_url: str
    secure: bool  # Whether it speaks HTTPS.
    token: bool  # Whether it requires one; the token itself is never read.
    password: bool
    started: float


def runtime_directory() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir())


def jupyter_servers(directory: Path) -> tuple[list[JupyterServer], int]:
    """Return the servers on this machine, newest first, and the number of files of others."""
    found, elsewhere = [], 0
    for path in sorted(directory.glob("jpserver-*.json")):
        server = read_server(path)
        if server is not None and server.port in listening(server.pid):
            found.append(server)
        else:
            elsewhere += 1
    return sorted(found, key=lambda server: -server.started), elsewhere


def read_server(path: Path) -> JupyterServer | None:
    """Read the file of a server; ``None``: there is none, or it is not as Jupyter writes it."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_size > MOST_BYTES:
                return None
            info = json.load(file)
        base = info["base_url"]
        if not isinstance(base, str) or not base.startswith("/") or not base.isprintable() or " " in base:
            return None
        return JupyterServer(
            file=path, pid=int(info["pid"]), port=int(info["port"]), base_url=base, secure=bool(info.get("secure")),
            token=bool(info.get("token")), password=bool(info.get("password")), started=status.st_mtime,
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def listening(pid: int | None) -> dict[int, set[str]]:
    """Return the ports that a process listens on, with the addresses; ``None``: of all visible processes."""
    found: dict[int, set[str]] = {}
    try:
        connections = psutil.net_connections("tcp") if pid is None else psutil.Process(pid).net_connections("tcp")
    except (psutil.Error, OSError):
        return found
    for connection in connections:
        if connection.status == psutil.CONN_LISTEN and connection.laddr:
            found.setdefault(connection.laddr.port, set()).add(connection.laddr.ip)
    return found


def reached_by(addresses: set[str]) -> str | None:
    """Return the address that other machines can reach; ``"*"``: any of this machine; ``None``: none of them."""
    outer = [address for address in map(ipaddress.ip_address, addresses) if not address.is_loopback]
    if any(address.is_unspecified for address in outer):
        return "*"
    return str(outer[0]) if outer else None

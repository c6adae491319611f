"""The hosts of a spec, and the connections to them."""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import shlex
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...operating_system.files import NotPlain, read_plain_file
from ...protocol.errors import MissingPackage, PreflightFailed
from ...protocol.plain_text import printable
from ...protocol.spec_base import MAX_WORKERS
from .spec import HOST, SSHSpec, parse_hosts

MOST_BYTES = 2**20
_LINE = re.compile(r"(?P<host>\S+)(?:\s+(?:slots|max_slots|max-slots)\s*=\s*(?P<slots>[0-9]+))*")


@dataclass(frozen=True)
class Named:
    """A host as named in the spec."""

    name: str  # As written.
    host: str
    user: str | None
    port: int | None
    workers: int  # Number of workers if it has no GPUs.


def named_hosts(spec: SSHSpec) -> list[Named]:
    """Return the hosts in the order of the spec, each once."""
    names = list(spec.hosts) if spec.hosts is not None else _in_file(Path(spec.hostfile or ""))
    found: dict[str, Named] = {}
    for name in names:
        parts = HOST.fullmatch(name)
        assert parts is not None
        before = found.get(name)
        port = int(parts["port"]) if parts["port"] else None
        count = before.workers + 1 if before is not None else 1
        found[name] = Named(name, parts["host"].strip("[]"), parts["user"], port, count)
    return list(found.values())


def _in_file(path: Path) -> list[str]:
    try:
        lines = read_plain_file(path, MOST_BYTES).decode("utf-8").splitlines()
    except NotPlain as error:
        raise PreflightFailed(f"hostfile: {path} {error}; it is not a list of hosts.") from error
    except OSError as error:
        raise PreflightFailed(f"hostfile: {path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError:
        raise PreflightFailed(f"hostfile: {path} is not a text file.") from None
    found: list[str] = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        parts = _LINE.fullmatch(text)
        try:
            hosts = parse_hosts([parts["host"]]) if parts else []
        except ValueError:
            hosts = []
        if not hosts or parts is None:
            raise PreflightFailed(
                f"hostfile: line {number} of {path} is {printable(text, 60)!r}, not a host such as 'node1' or 'node1 "
                "slots=2'."
            )
        found += hosts * int(parts["slots"] or 1)
        if len(found) > MAX_WORKERS:
            raise PreflightFailed(f"hostfile: {path} has more than {MAX_WORKERS} workers.")
    if not found:
        raise PreflightFailed(f"hostfile: {path} lists no hosts.")
    return found


CONNECT_SECONDS = 20.0
KEEPALIVE_SECONDS = 4
KEEPALIVES = 3  # A host is lost after 12 s without an answer, long before TCP's own timeout.


class HostUnusable(PreflightFailed):
    """One host cannot be used."""

    code = "start_failed"


def load_asyncssh() -> Any:
    try:
        import asyncssh
    except ImportError:
        raise MissingPackage(
            "The kind 'ssh' needs the package asyncssh in this Python environment: pip install 'gpucluster[ssh]'"
        ) from None
    asyncssh.set_log_level(logging.WARNING)
    return asyncssh


async def connect(named: Named, config: str | None) -> Any:
    """Return a connection to a host. Raises `HostUnusable` with the cause, and what to do."""
    asyncssh = load_asyncssh()
    options: dict[str, Any] = {"keepalive_interval": KEEPALIVE_SECONDS, "keepalive_count_max": KEEPALIVES}
    options |= {name: value for name, value in (("username", named.user), ("port", named.port)) if value is not None}
    if config is not None:
        options["config"] = [config]
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await asyncssh.connect(named.host, connect_timeout=CONNECT_SECONDS, **options)
    except Exception as error:
        raise HostUnusable(f"{named.name}: {_why_not(asyncssh, named, error, config)}") from error


def _why_not(asyncssh: Any, named: Named, error: Exception, config: str | None) -> str:
    """Return why there is no connection, as the end of a sentence."""
    # The suggested command must read the same configuration.
    host = named.name if config is None else f"-F {shlex.quote(config)} {named.name}"
    shown = printable(str(error), 160).rstrip(".")
    if isinstance(error, FileNotFoundError):
        return f"your SSH configuration refers to {error.filename}, which does not exist"
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return f"its host key has changed, or is not known yet. Log in once by hand and compare the key: ssh {host}"
    if isinstance(error, asyncssh.PermissionDenied):
        return (
            f"it rejected your key. Passwords are never requested: try 'ssh -o BatchMode=yes {host} true', and "
            "give it your key with ssh-copy-id, or start ssh-agent if the key has a passphrase"
        )
    if isinstance(error, (asyncssh.KeyImportError, asyncssh.KeyEncryptionError)):
        return f"your key cannot be read ({shown}). If it has a passphrase, add it to ssh-agent: ssh-add"
    if isinstance(error, asyncssh.ConfigParseError):
        return f"your SSH configuration cannot be read ({shown})"
    if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        return (
            f"it did not respond within {CONNECT_SECONDS:.0f} seconds. Check that it is up, and that no firewall "
            "blocks the connection"
        )
    if isinstance(error, socket.gaierror):
        return "the host was not found"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused on its SSH port: check that sshd runs there, on that port"
    if isinstance(error, OSError) and error.errno in {errno.EHOSTUNREACH, errno.ENETUNREACH}:
        return "there is no route to it from this machine"
    if isinstance(error, (asyncssh.DisconnectError, asyncssh.ConnectionLost)):
        return f"the server there closes the connection ({shown}). Check that it is an SSH server on the right port"
    return f"it cannot be reached ({type(error).__name__}: {shown})"

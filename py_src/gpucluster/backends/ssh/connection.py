"""Connections to hosts by SSH; each way in which one cannot be had is a sentence."""

from __future__ import annotations

import asyncio
import errno
import logging
import shlex
import socket
from typing import Any

from ...protocol.errors import MissingPackage, PreflightFailed
from ...protocol.plain_text import printable
from .hosts import Named

CONNECT_SECONDS = 20.0
KEEPALIVE_SECONDS = 4
KEEPALIVES = 3
"""A host that has not answered for so long is lost: twelve seconds, whatever TCP itself hopes for."""


class HostUnusable(PreflightFailed):
    """One host cannot be used."""

    code = "start_failed"


def load_asyncssh() -> Any:
    """Return the package.

    Raises
    ------
    MissingPackage
    """
    try:
        import asyncssh
    except ImportError:
        raise MissingPackage(
            "The kind 'ssh' needs the package asyncssh in this Python environment: pip install 'gpucluster[ssh]'"
        ) from None
    asyncssh.set_log_level(logging.WARNING)
    return asyncssh


async def connect(named: Named, config: str | None) -> Any:
    """Return a connection to a host.

    Raises
    ------
    HostUnusable
        With the cause, and what to do.
    """
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
    # What a person is told to try must read the same configuration.
    host = named.name if config is None else f"-F {shlex.quote(config)} {named.name}"
    shown = printable(str(error), 160).rstrip(".")
    if isinstance(error, FileNotFoundError):
        return f"your SSH configuration names {error.filename}, and there is no such file"
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return (
            "its key is not the one that this machine knows, or none is known yet. Log in once by hand and compare "
            f"the key: ssh {host}"
        )
    if isinstance(error, asyncssh.PermissionDenied):
        return (
            f"it does not let you in by key. No password is asked for: try 'ssh -o BatchMode=yes {host} true', and "
            "give it your key with ssh-copy-id, or start ssh-agent if the key has a passphrase"
        )
    if isinstance(error, (asyncssh.KeyImportError, asyncssh.KeyEncryptionError)):
        return f"your key cannot be read ({shown}). If it has a passphrase, add it to ssh-agent: ssh-add"
    if isinstance(error, asyncssh.ConfigParseError):
        return f"your SSH configuration cannot be read ({shown})"
    if isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        return (
            f"it does not answer within {CONNECT_SECONDS:.0f} seconds. See whether it is up, and whether a firewall "
            "lets you through"
        )
    if isinstance(error, socket.gaierror):
        return "there is no host of that name, as far as this machine knows"
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens on its SSH port: see whether sshd runs there, and on that port"
    if isinstance(error, OSError) and error.errno in {errno.EHOSTUNREACH, errno.ENETUNREACH}:
        return "no way leads there from this machine"
    if isinstance(error, (asyncssh.DisconnectError, asyncssh.ConnectionLost)):
        return f"what listens there ends the connection ({shown}). See whether it is an SSH server, and the right port"
    return f"it cannot be reached ({type(error).__name__}: {shown})"

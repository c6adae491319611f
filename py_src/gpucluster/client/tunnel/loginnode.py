"""Find the login node from this machine's environment."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

import psutil

from ...protocol.errors import InvalidRequest
from ...protocol.plain_text import printable

_NAME = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]{0,62})@)?"
    r"(?:(?P<host>[A-Za-z0-9_][A-Za-z0-9_.-]{0,252})|\[(?P<address>[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9_.-]{1,16})?)\])"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
)
_LAST_PORT = 65535


@dataclass(frozen=True)
class Gate:
    """The parts of an SSH destination."""

    user: str | None
    host: str
    port: int | None

    @classmethod
    def parsed(cls, text: str) -> Self | None:
        """Parse what ``ssh -J`` takes, such as ``me@login:2222`` or ``[2001:db8::5]``; anything else gives ``None``."""
        found = _NAME.fullmatch(text)
        if found is None or int(found["port"] or 0) > _LAST_PORT:
            return None
        return cls(found["user"], found["host"] or found["address"], int(found["port"]) if found["port"] else None)

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse a name that was checked before; in any other form, all of it is the host."""
        return cls.parsed(text) or cls(None, text, None)


def this_node(environment: Mapping[str, str]) -> str:
    """Return this machine's name in its network: Slurm's in a job, else its own."""
    name = environment.get("SLURMD_NODENAME", "")
    return name if name and _NAME.fullmatch(name) else socket.gethostname()


def login_node(
    asked: str | None, environment: Mapping[str, str], site: str | None = None
) -> tuple[str | None, str | None]:
    """Return the login node and a note on how it was found.

    `asked`: the user's: ``name``, ``me@name``, ``name:port``, ``[address]``. `site`: that of the site's file. A login
    node of ``None`` means this machine itself; a note of ``None``, that the user named it. Raises `InvalidRequest`:
    `asked` is not the name of a host.
    """
    if asked is not None:
        gate = Gate.parsed(asked)
        if gate is None:
            raise InvalidRequest(
                f"--login-node: {printable(asked, 60)!r} is not a host name: write 'login.site.org', "
                "'me@login.site.org:2222' or '[2001:db8::5]'."
            )
        return (None if _is_here(gate.host) else asked), None
    if site is not None:
        if _is_here(Gate.of(site).host):
            return None, None
        return site, "The login node is the one that the site's file names."
    through = environment.get("SSH_CONNECTION", "").split()
    if len(through) == 4 and not _is_ours(through[2]):
        # The job inherited this variable from the login that it was submitted in.
        return _name_of(through[2]), "The login node is the one that you have logged in to (SSH_CONNECTION)."
    submitted = environment.get("SLURM_SUBMIT_HOST", "")
    if submitted and _NAME.fullmatch(submitted) and not _is_here(submitted):
        return socket.getfqdn(submitted), (
            "The login node is the one that the job was submitted on (SLURM_SUBMIT_HOST). If your laptop uses another "
            "name for it, set --login-node."
        )
    if "SLURM_JOB_ID" in environment:
        return None, "This is a job, and the login node is unknown: set --login-node."
    return None, None


def _name_of(address: str) -> str:
    """Return the name of an address if it resolves back to it, else the address, in the form of ``ssh -J``."""
    with suppress(OSError):
        name = socket.gethostbyaddr(address)[0]
        if _NAME.fullmatch(name) and address in {found[4][0] for found in socket.getaddrinfo(name, None)}:
            return name
    return bracketed(address)


def bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def our_addresses() -> set[str]:
    inner = {socket.AF_INET, socket.AF_INET6}
    return {
        entry.address.partition("%")[0]
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family in inner
    }


def _is_ours(address: str) -> bool:
    return address.partition("%")[0] in our_addresses()


def _is_here(name: str) -> bool:
    if name.partition(".")[0] == socket.gethostname().partition(".")[0]:
        return True
    try:
        return any(_is_ours(str(found[4][0])) for found in socket.getaddrinfo(name, None))
    except OSError:
        return False

"""Plan the ``ssh`` command line from the user's laptop to a port of this machine, and check its route from inside."""

from __future__ import annotations

import getpass
import http.client
import json
import os
import re
import shlex
import socket
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil
from pydantic import BaseModel, Field

from ..protocol.errors import InvalidRequest, InvalidState
from ..protocol.plain_text import counted, printable
from ..site.reading import this_site
from .jupyter_servers import JupyterServer, jupyter_servers, listening, reached_by, runtime_directory

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
        return site, "The login node is set by the site's file."
    through = environment.get("SSH_CONNECTION", "").split()
    if len(through) == 4 and not _is_ours(through[2]):
        # The job inherited this variable from the login that it was submitted in.
        return _name_of(through[2]), "The login node is the one you are logged in to (SSH_CONNECTION)."
    submitted = environment.get("SLURM_SUBMIT_HOST", "")
    if submitted and _NAME.fullmatch(submitted) and not _is_here(submitted):
        return socket.getfqdn(submitted), (
            "The login node is the one that the job was submitted from (SLURM_SUBMIT_HOST). If your laptop uses "
            "another name for it, set --login-node."
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


PATIENCE_SECONDS = 5.0
SSH_PORT = 22


class Check(BaseModel, frozen=True):
    """Result of one check from inside."""

    ok: bool = Field(description="Whether the check passed.")
    told: str = Field(description="What was found.")


def answers(host: str, port: int, base_url: str, *, secure: bool) -> Check:
    """Check whether a Jupyter server answers; nothing secret is sent."""
    path = f"{base_url.rstrip('/')}/api"
    connection = http.client.HTTPConnection(host, port, timeout=PATIENCE_SECONDS)
    if secure:
        context = ssl.create_default_context()
        # It is this user's own, on this machine, often with a self-signed certificate.
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(host, port, timeout=PATIENCE_SECONDS, context=context)
    try:
        with closing(connection):
            connection.request("GET", path)
            version = str(json.loads(connection.getresponse().read(4096))["version"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return Check(ok=False, told=f"The program on port {port} is not a Jupyter server.")
    return Check(ok=True, told=f"Jupyter {version[:20]} responds on port {port}.")


def leads_here(node: str) -> Check:
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(node, None)}
    except OSError:
        return Check(ok=False, told=f"The name {node} cannot be resolved here; the login node may still resolve it.")
    if not found & our_addresses():
        return Check(ok=False, told=f"The name {node} resolves to another machine ({', '.join(sorted(found))}).")
    return Check(ok=True, told=f"The name {node} resolves to this machine.")


def opens(node: str, port: int) -> Check:
    try:
        socket.create_connection((node, port), timeout=PATIENCE_SECONDS).close()
    except OSError as error:
        why = error.strerror or "no response"
        return Check(ok=False, told=f"Port {port} cannot be reached as {node}:{port} ({why}).")
    return Check(ok=True, told=f"Port {port} can be reached as {node}:{port}.")


def lets_in(host: str, what: str) -> Check:
    """Check whether an SSH server answers there."""
    gate = Gate.of(host)
    name = gate.host
    try:
        with socket.create_connection((name, gate.port or SSH_PORT), timeout=PATIENCE_SECONDS) as connection:
            banner = b""
            with suppress(TimeoutError):
                banner = connection.recv(64)
    except socket.gaierror:
        return Check(ok=False, told=f"Host '{name}' not found.")
    except OSError as error:
        why = error.strerror or "no response"
        return Check(ok=False, told=f"No SSH server can be reached on {what} {name} ({why}).")
    if not banner.startswith(b"SSH-"):
        return Check(ok=False, told=f"The program on {what} {name} is not an SSH server.")
    return Check(ok=True, told=f"An SSH server responds on {what} {name}.")


class Tunnel(BaseModel, frozen=True):
    """A command line for the laptop, and what is known of its route."""

    line: str = Field(description="Run this on the laptop.")
    link: str | None = Field(description="URL for the laptop's browser, without a token.")
    node: str = Field(description="Host name of this machine on its network.")
    login_node: str | None = Field(description="Host that the laptop logs in to; null if it is this machine.")
    checks: list[Check]
    notes: list[str]

    @property
    def sound(self) -> bool:
        """Whether all checks passed."""
        return all(check.ok for check in self.checks)


def plan_tunnel(
    port: int | None = None, *, login: str | None = None, local_port: int | None = None, directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Tunnel:  # fmt: skip
    """Return the ``ssh`` command line that forwards a port of this machine to a laptop, and the checks of it.

    * `port`: port of this machine; default: that of the newest Jupyter server of this user here.
    * `login`: login node; default: from the environment.
    * `local_port`: port of the laptop; default: the same.
    * `directory`: Jupyter's runtime directory.
    * `environment`: default: that of this process.
    """
    environment = os.environ if environment is None else environment
    servers, elsewhere = jupyter_servers(runtime_directory() if directory is None else directory)
    server = next((server for server in servers if port in {None, server.port}), None)
    node = environment.get("SLURMD_NODENAME", "")  # The name in the network, where this is a job.
    node = node if _NAME.fullmatch(node) else socket.gethostname()
    if port is None:
        if server is None:
            raise InvalidState(_no_server(node, elsewhere))
        port = server.port
    addresses = listening(server.pid if server is not None else None).get(port, set())
    if not addresses:
        raise InvalidState(f"Nothing is listening on port {port} of {node}.")
    outer = reached_by(addresses)
    gate, known = login_node(login, environment, this_site().login_node)
    found = [answers(_near(addresses), port, server.base_url, secure=server.secure)] if server else []
    notes = [known] if known is not None else []
    line, seen = _line(node, gate, port, local_port or port, outer)
    notes += _notes(server, servers, outer)
    return Tunnel(
        line=line, link=_link(server, local_port or port), node=node, login_node=gate, checks=found + seen, notes=notes
    )


def _line(node: str, gate: str | None, port: int, local: int, outer: str | None) -> tuple[str, list[Check]]:
    user = getpass.getuser()
    if gate is None:
        target = "localhost" if outer in {None, "*"} else bracketed(str(outer))
        words = ["ssh", "-N", "-L", f"{local}:{target}:{port}", f"{user}@{socket.getfqdn(node)}"]
        return shlex.join(words), [lets_in(node, "this machine")]
    at_gate = gate if "@" in gate else f"{user}@{gate}"
    seen = [leads_here(node), lets_in(gate, "the login node")]
    if outer is None:
        # Only the node itself reaches the port, so log in to the node through the login node.
        words = ["ssh", "-N", "-J", at_gate, "-L", f"{local}:localhost:{port}", f"{user}@{node}"]
        own = lets_in(node, "this machine")
        if not own.ok:
            own = Check(
                ok=False,
                told=f"{own.told.rstrip('.')}, and port {port} can be reached from this machine only. Start Jupyter "
                f"with --ip={node}; then the login node is not needed.",
            )
        return shlex.join(words), [*seen, own]
    target = node if outer == "*" or seen[0].ok else bracketed(outer)
    parts = Gate.of(gate)
    way = ["-p", str(parts.port)] if parts.port else []
    words = ["ssh", "-N", *way, "-L", f"{local}:{target}:{port}", f"{parts.user or user}@{parts.host}"]
    return shlex.join(words), [*seen, opens(node if outer == "*" else outer, port)]


def _near(addresses: set[str]) -> str:
    """Return an address by which this machine itself reaches the port."""
    first = sorted(addresses)[0]
    return {"0.0.0.0": "127.0.0.1", "::": "localhost"}.get(first, first)  # noqa: S104


def _link(server: JupyterServer | None, port: int) -> str | None:
    if server is None:
        return None
    return f"{'https' if server.secure else 'http'}://localhost:{port}{server.base_url.rstrip('/')}/lab"


def _notes(server: JupyterServer | None, servers: list[JupyterServer], outer: str | None) -> list[str]:
    if server is None:
        return []
    notes = []
    if server.token:
        notes.append(
            f"Jupyter requires its token, which is not shown here: it is in {server.file}, and in Jupyter's log."
        )
    elif server.password:
        notes.append("Jupyter requires its password.")
    elif outer is not None:
        notes.append(
            "This Jupyter server has no token or password, and others can reach its port: anyone who finds it can run "
            "code as you."
        )
    others = [str(other.port) for other in servers if other is not server]
    if others:
        notes.append(f"You have other Jupyter servers here, on port {', '.join(others)}: 'gpucluster tunnel PORT'.")
    return notes


def _no_server(node: str, elsewhere: int) -> str:
    if elsewhere:
        return (
            f"You have no Jupyter server on {node}; {counted(elsewhere, 'Jupyter file')} may belong to servers on "
            "other machines. Run it on your server's machine: 'srun --overlap --jobid=JOB gpucluster tunnel' in its "
            "job."
        )
    return f"You have no Jupyter server on {node}. Start one, or name a port: gpucluster tunnel 8888."

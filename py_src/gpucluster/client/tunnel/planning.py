"""Plan the ``ssh`` command line from the user's laptop to a port of this machine."""

from __future__ import annotations

import getpass
import os
import shlex
import socket
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ...protocol.errors import InvalidState
from ...protocol.plain_text import counted
from ...site.reading import this_site
from . import checks
from .checks import Check
from .loginnode import Gate, bracketed, login_node, this_node
from .servers import JupyterServer, jupyter_servers, listening, reached_by, runtime_directory


class Tunnel(BaseModel):
    """A command line for the laptop, and what is known of its route."""

    model_config = ConfigDict(frozen=True)

    line: str = Field(description="To be run on the laptop.")
    link: str | None = Field(description="URL for the laptop's browser, without a token.")
    node: str = Field(description="Host name of this machine on its network.")
    login_node: str | None = Field(description="Host that the laptop logs in to; null: this machine.")
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
    node = this_node(environment)
    if port is None:
        if server is None:
            raise InvalidState(_no_server(node, elsewhere))
        port = server.port
    addresses = listening(server.pid if server is not None else None).get(port, set())
    if not addresses:
        raise InvalidState(f"Nothing listens on port {port} of {node}.")
    outer = reached_by(addresses)
    gate, known = login_node(login, environment, this_site().login_node)
    found = [checks.answers(_near(addresses), port, server.base_url, secure=server.secure)] if server else []
    notes = [known] if known is not None else []
    line, seen = _line(node, gate, port, local_port or port, outer)
    notes += _notes(server, servers, outer)
    return Tunnel(
        line=line, link=_link(server, local_port or port), node=node, login_node=gate, checks=found + seen, notes=notes
    )


def _line(node: str, gate: str | None, port: int, local: int, outer: str | None) -> tuple[str, list[Check]]:
    """Return the command line and the checks of its route."""
    user = getpass.getuser()
    if gate is None:
        target = "localhost" if outer in {None, "*"} else bracketed(str(outer))
        words = ["ssh", "-N", "-L", f"{local}:{target}:{port}", f"{user}@{socket.getfqdn(node)}"]
        return shlex.join(words), [checks.lets_in(node, "this machine")]
    at_gate = gate if "@" in gate else f"{user}@{gate}"
    seen = [checks.leads_here(node), checks.lets_in(gate, "the login node")]
    if outer is None:
        # Only the node itself reaches the port, so log in to the node through the login node.
        words = ["ssh", "-N", "-J", at_gate, "-L", f"{local}:localhost:{port}", f"{user}@{node}"]
        own = checks.lets_in(node, "this machine")
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
    return shlex.join(words), [*seen, checks.opens(node if outer == "*" else outer, port)]


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
        notes.append(f"Jupyter needs its token, which is not shown here: it is in {server.file}, and in its own log.")
    elif server.password:
        notes.append("Jupyter needs its password.")
    elif outer is not None:
        notes.append(
            "This Jupyter has neither token nor password, and others can reach its port: anyone who finds it can "
            "run code as you."
        )
    others = [str(other.port) for other in servers if other is not server]
    if others:
        notes.append(f"You have other Jupyter servers here, on port {', '.join(others)}: 'gpucluster tunnel PORT'.")
    return notes


def _no_server(node: str, elsewhere: int) -> str:
    if elsewhere:
        return (
            f"You have no Jupyter server on {node}; {counted(elsewhere, 'file')} of Jupyter may belong to servers on "
            "other machines. Run it on your server's machine: 'srun --overlap --jobid=JOB gpucluster tunnel' in "
            "its job."
        )
    return f"You have no Jupyter server on {node}. Start one, or name a port: gpucluster tunnel 8888."

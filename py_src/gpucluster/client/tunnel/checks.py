"""Checks of a tunnel's route from its inner end."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from contextlib import closing, suppress

from pydantic import BaseModel, ConfigDict, Field

from .loginnode import Gate, our_addresses

PATIENCE_SECONDS = 5.0
SSH_PORT = 22


class Check(BaseModel):
    """Result of one check from inside."""

    model_config = ConfigDict(frozen=True)

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

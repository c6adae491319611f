"""Where a line of ssh with a local forwarding leads to, on a site with one login node; nothing is connected to."""

from __future__ import annotations

import getopt
import shlex
from dataclasses import dataclass

_OPTIONS = "NfTnCqvx46AaXYgJ:L:l:p:o:i:F:"
_HERE = {"localhost", "127.0.0.1", "[::1]"}


@dataclass(frozen=True)
class Route:
    """What becomes of a tunnel.

    Attributes
    ----------
    works : bool
        Whether the browser gets Jupyter's pages.
    told : str
        What happens, in a sentence.
    ends_at : str
        Where the SSH connection ends: ``"laptop"`` where there is none, ``"login"`` or ``"node"``.
    reaches : str
        Machine that the last step asks.
    asks : str
        What it is asked for, such as ``"localhost:8888"``.
    local_port : int or None
    users : tuple of str
        Of each machine that is logged in to; empty where the line does not say.
    only_tunnel : bool
        Whether no command is run.
    for_all : bool
        Whether others may use the laptop's port.
    """

    works: bool
    told: str
    ends_at: str = "laptop"
    reaches: str = ""
    asks: str = ""
    local_port: int | None = None
    users: tuple[str, ...] = ()
    only_tunnel: bool = False
    for_all: bool = False


def follow(line: str, *, login: str, node: str, port: int, loopback: bool) -> Route:
    """Follow a line of ssh from the laptop.

    Parameters
    ----------
    login, node : str
        Names of the login node and of the node where Jupyter listens.
    port : int
        Jupyter's.
    loopback : bool
        Whether it listens on the node's loopback only, or else on the node's network only.
    """
    try:
        program, *words = shlex.split(line)
        options, others = getopt.gnu_getopt(words, _OPTIONS)
    except (ValueError, getopt.GetoptError) as error:
        return Route(False, f"The shell or ssh does not understand it: {error}.")
    if program != "ssh" or not others:
        return Route(False, "It is no line of ssh with the name of a machine in it.")
    given: dict[str, list[str]] = {}
    for name, value in options:
        given.setdefault(name, []).append(value)
    user = given.get("-l", [""])[-1]
    jumps = [one for value in given.get("-J", []) for one in value.split(",")]
    jumps += [one.split("=", 1)[1] for one in given.get("-o", []) if one.startswith("ProxyJump=")]
    hops = [_hop(one, "") for one in jumps] + [_hop(others[0], user)]
    forwards = given.get("-L", [])
    if len(forwards) == 1 and forwards[0].replace("[::1]", "localhost").count(":") not in {2, 3}:
        return Route(False, f"-L {forwards[0]} forwards nothing: PORT:HOST:PORT is needed.")
    if len(forwards) != 1:
        return Route(False, f"It has {len(forwards)} forwardings (-L); one is needed.")
    return _followed(hops, forwards[0], login, node, port, loopback, only="-N" in given and len(others) == 1,
                     shared="-g" in given)  # fmt: skip


def _hop(text: str, user: str) -> tuple[str, str]:
    name, at, host = text.rpartition("@")
    return (name if at else user), host.partition(":")[0]


def _followed(
    hops: list[tuple[str, str]], forward: str, login: str, node: str, port: int, loopback: bool, *, only: bool,
    shared: bool,
) -> Route:  # fmt: skip
    *bind, local, host, far = forward.replace("[::1]", "localhost").split(":")
    at = "laptop"
    for _, name in hops:
        here = {login: "login", node: "node"}.get(name, "")
        if not here or (at == "laptop" and here == "node"):
            why = f"{name} is not known here" if not here else f"the laptop cannot reach {node}, only the login node"
            return Route(False, f"The connection fails: {why}.", at)
        at = here
    target = at if host in _HERE else {login: "login", node: "node"}.get(host, "")
    asks = f"{host}:{far}"
    if target != "node":
        told = (
            f"The browser reaches port {far} of the {'login node' if target == 'login' else host}, where no Jupyter is."
        )
    elif far != str(port):
        told = f"It asks {node} for port {far}; Jupyter listens on {port}."
    elif loopback and not (at == "node" and host in _HERE):
        told = f"It asks for {asks} from outside of the loopback of {node}: refused."
    elif not loopback and host in _HERE:
        told = f"It asks for {asks}, but Jupyter listens on the network of {node} only: refused."
    else:
        told = f"The browser gets Jupyter's pages at http://localhost:{local}."
    works = told.startswith("The browser gets")
    return Route(
        works, told, at, target, asks, int(local) if local.isdecimal() else None, tuple(user for user, _ in hops), only,
        shared or bool(bind and bind[0] not in {*_HERE, ""}) or bind == [""],
    )  # fmt: skip

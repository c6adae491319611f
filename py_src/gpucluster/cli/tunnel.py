"""``gpucluster tunnel``: its arguments and its output."""

from __future__ import annotations

from argparse import Namespace

from ..client.tunnel import Tunnel, plan_tunnel
from ..protocol.errors import InvalidRequest

MOST = 65535


def tunnel(found: Namespace) -> Tunnel:
    """Return the requested tunnel. Raises `InvalidRequest`, `InvalidState`."""
    return plan_tunnel(
        _port(found, "port", "PORT"),
        login=getattr(found, "login_node", None),
        local_port=_port(found, "local_port", "--local-port"),
    )


def _port(found: Namespace, name: str, shown: str) -> int | None:
    text = getattr(found, name, None)
    if text is None:
        return None
    if not text.isdecimal() or not 0 < int(text) <= MOST:
        raise InvalidRequest(f"{shown}: must be a whole number from 1 to {MOST}.")
    return int(text)


def remarks(answer: Tunnel) -> tuple[list[str], list[str]]:
    """Return the output beside the command line: problems, which are always shown, and the rest."""
    wrong = [f"Problem: {check.told}" for check in answer.checks if not check.ok]
    right = [check.told for check in answer.checks if check.ok]
    opens = [f"Run that on your laptop, and open {answer.link} there."] if answer.link else []
    return wrong, [*opens, *right, *answer.notes]

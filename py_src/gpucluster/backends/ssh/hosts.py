"""The hosts that are meant, and how often."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ...operating_system.plain_file import NotPlain, read_plain_file
from ...protocol.errors import PreflightFailed
from ...protocol.plain_text import printable
from ...protocol.spec_base import MAX_WORKERS
from ...protocol.ssh_spec import HOST, SSHSpec, parse_hosts

MOST_BYTES = 2**20
_LINE = re.compile(r"(?P<host>\S+)(?:\s+(?:slots|max_slots|max-slots)\s*=\s*(?P<slots>[0-9]+))*")


@dataclass(frozen=True)
class Named:
    """A host as somebody named it."""

    name: str
    """As it was written."""
    host: str
    user: str | None
    port: int | None
    workers: int
    """How many workers it gets where it has no GPUs."""


def named_hosts(spec: SSHSpec) -> list[Named]:
    """Return the hosts in the order in which they were named, each once.

    Raises
    ------
    PreflightFailed
        The host file is missing, or holds something else.
    """
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
                f"hostfile: line {number} of {path} is {printable(text, 60)!r}, and not a host such as 'node1' or "
                "'node1 slots=2'."
            )
        found += hosts * int(parts["slots"] or 1)
        if len(found) > MAX_WORKERS:
            raise PreflightFailed(f"hostfile: {path} asks for more than {MAX_WORKERS} workers.")
    if not found:
        raise PreflightFailed(f"hostfile: there is no host in {path}.")
    return found

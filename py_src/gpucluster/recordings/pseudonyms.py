"""Taking out of a sample what tells who ran something, and on which computer.

Figures stay as they were sent. Names of workers and devices become numbers, the same throughout one recording.
"""

from __future__ import annotations

import getpass
import platform
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

WITHHELD = "withheld"
_NUMBER = re.compile(r"[0-9]{1,6}")
_DEVICE = re.compile(r"(GPU|MIG)-[0-9a-fA-F]")
_DEVICE_IN_TEXT = re.compile(r"(GPU|MIG)-[0-9a-fA-F][0-9a-fA-F-]*")
_BEGINNING = len("GPU-01234567")
"""In large clusters a device is told by the beginning of its UUID; so far it is always told."""
_TELLTALE = re.compile(r"[/\\@:]|[0-9]+\.[0-9]+\.[0-9]+|[0-9a-fA-F]{12}")
"""Paths, addresses, URLs, and long keys that could be tokens."""
_NOBODY = "-0000-0000-0000-000000000000"
_MOST_LETTERS = 120
_SEPARATOR = re.compile(r"[\W_]+")
_FEWEST_LETTERS = 3
_EVERYDAY = {"box", "gpu", "home", "host", "lab", "local", "localhost", "map", "node", "root", "sum", "the", "user"}
"""Names of accounts and computers that are words of tasks, too."""


class Pseudonyms:
    """Names that tell nothing, for one recording."""

    def __init__(self) -> None:
        self._workers: dict[str, str] = {}
        self._devices: dict[str, str] = {}
        self._hosts: dict[str, str] = {}
        self._private = _private_names()

    def sample(self, sample: dict[str, Any]) -> dict[str, Any]:
        """Return the sample as it may be given to others."""
        told = {**sample, "id": "recording", "workers": [self.worker(name) for name in sample["workers"]]}
        for column, change in (("host", self.host), ("device", self.device), ("device_error", self.text)):
            if column in sample:
                values = sample[column]
                told[column] = (
                    [value and change(value) for value in values] if isinstance(values, list) else change(values)
                )
        if "progress" in sample:
            told["progress"] = [{**kind, "prefix": self.text(kind["prefix"])} for kind in sample["progress"]]
        return told

    def worker(self, name: str) -> str:
        """Return a worker's name: its number stays, a UUID becomes a number, anything else is not told."""
        if _NUMBER.fullmatch(name):
            return name
        if _DEVICE.match(name):
            return self.device(name)
        return self._workers.setdefault(name, f"worker-{len(self._workers) + 1}")

    def host(self, name: str) -> str:
        """Return a name of no computer: machines are numbered."""
        return self._hosts.setdefault(name, f"node{len(self._hosts) + 1}")

    def device(self, uuid: str) -> str:
        """Return a UUID that is nobody's, of the same kind."""
        kind = "MIG" if uuid.startswith("MIG") else "GPU"
        number = len(self._devices) + 1
        return self._devices.setdefault(uuid[:_BEGINNING], f"{kind}-{number:08x}{_NOBODY}")

    def text(self, text: str) -> str:
        """Return a text unless it looks as if it told a path, an address or a person."""
        plain = _DEVICE_IN_TEXT.sub(lambda found: self.device(found.group()), text)
        tells = _TELLTALE.search(plain.replace(_NOBODY, "")) or self._private.search(text.casefold())
        if tells or len(plain) > _MOST_LETTERS or not plain.isprintable():
            return WITHHELD
        return plain


def _private_names() -> re.Pattern[str]:
    """Return what finds the names of this person and this computer, whole or a part of them, in casefolded text.

    Everyday words, numbers and what has fewer than three letters are left out: they would be found everywhere.
    """
    names = [platform.node(), platform.node().split(".")[0]]
    with suppress(OSError, KeyError):  # An account without a name, as in some containers.
        names.append(getpass.getuser())
    with suppress(RuntimeError):
        names.append(Path.home().name)
    found = {name.casefold() for name in names}
    found |= {part for name in found if name != platform.node().casefold() for part in _SEPARATOR.split(name)}
    found = {name for name in found if len(name) >= _FEWEST_LETTERS and not name.isdigit() and name not in _EVERYDAY}
    alternatives = "|".join(re.escape(name) for name in sorted(found, key=len, reverse=True))
    # An underscore separates names, too, which it does not for \b.
    return re.compile(f"(?<![^\\W_])(?:{alternatives})(?![^\\W_])" if found else r"(?!)")

"""Batch scripts of Slurm as sbatch reads them: which lines ask for something, and for what."""

from __future__ import annotations

import re

SHORT = {
    "-A": "account", "-c": "cpus-per-task", "-J": "job-name", "-N": "nodes", "-n": "ntasks", "-o": "output",
    "-p": "partition", "-t": "time",
}  # fmt: skip
"""Short options of sbatch, and the long ones that they stand for."""
NO_SCRIPT = (
    "This does not look like a batch script. The first line must start with #! followed by the path to an interpreter."
)
"""What sbatch says, word for word."""
_TIME = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?")

Directives = dict[str, str | bool]


def asked_for(script: str) -> Directives:
    """Return the options of a batch script, by their long names; one without a value is ``True``."""
    found: Directives = {}
    for line in script.splitlines():
        if line.startswith(("#SBATCH ", "#SBATCH\t")):
            _take(line.split()[1:], found)
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return found


def _take(words: list[str], found: Directives) -> None:
    name = ""
    for word in words:
        if word.startswith("#"):
            return
        if word.startswith("-"):
            name, equals, value = word.partition("=")
            name = SHORT.get(name, name.lstrip("-"))
            found[name] = value if equals else True
        elif name:
            found[name], name = word, ""


def body(script: str) -> list[str]:
    """Return the lines of a script that are carried out, without blank ones and comments."""
    return [line.strip() for line in script.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def refusal(script: str) -> str:
    """Return why sbatch would not even look at a script; empty where it would."""
    return "" if script.startswith("#!/") else NO_SCRIPT


def minutes(text: object) -> float | None:
    """Return the minutes of a time limit as Slurm writes it; ``None`` where it is none.

    ``30`` are minutes, ``30:00`` minutes and seconds, ``1:30:00`` hours and so on; with days, what follows is hours.
    """
    found = _TIME.fullmatch(str(text))
    if not found:
        return None
    days, *given = found.groups()
    first, second, third = (int(part or 0) for part in given)
    if days is not None:
        return int(days) * 1440 + first * 60 + second + third / 60
    if given[2] is not None:
        return first * 60 + second + third / 60
    return first + second / 60

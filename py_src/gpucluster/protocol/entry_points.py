"""Entry points of installed packages, each loaded at its first use."""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from typing import Any

from .plain_text import printable

_PACKAGE = "gpucluster"


@dataclass(frozen=True)
class Loaded:
    """The object of an entry point, or why it cannot be used."""

    name: str
    value: Any = None
    problem: str | None = None  # With the package.


@cache
def load(group: str, name: str, kind: type) -> Loaded | None:
    """Load one entry point; ``None`` when no package has it. Its value is a ``kind``."""
    point = _ours(group).get(name) or _all(group).get(name)
    if point is None:
        return None
    start = f"'{printable(name, 40)}' of the package {package_of(point)} cannot be used."
    try:
        value = point.load()
    except (Exception, SystemExit) as error:  # A fault only affects that package.
        return Loaded(name, problem=f"{start} {cause_of(error)}")
    if not isinstance(value, kind):
        return Loaded(name, problem=f"{start} Its entry point must be an instance of {kind.__name__}.")
    return Loaded(name, value)


def package_of(point: EntryPoint) -> str:
    return printable(f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unnamed package", 80)


def cause_of(error: BaseException) -> str:
    cause = printable(str(error), 300)
    return f"{type(error).__name__}{': ' if cause else ''}{cause}"


def load_all(group: str, kind: type) -> list[Loaded]:
    """Load all entry points of a group, by name."""
    return [loaded for name in names(group) if (loaded := load(group, name, kind)) is not None]


def names(group: str) -> list[str]:
    """Return the names of a group's entry points, sorted; loads none."""
    return sorted(_all(group))


def look_again() -> None:
    """Forget what was found: packages may have come or gone."""
    for found in (load, _ours, _all):
        found.cache_clear()


@cache
def _ours(group: str) -> dict[str, EntryPoint]:
    """Return gpucluster's own entry points, which need no search of all packages."""
    try:
        points = distribution(_PACKAGE).entry_points
    except PackageNotFoundError:
        return {}
    return {point.name: point for point in points if point.group == group}


@cache
def _all(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)} | _ours(group)

"""Write down which expensive tests have passed, and with which files.

On the main branch, ``make test`` then leaves those out that would see the same files again. What has passed is told by

* ``python -m tests.suite.record REPORT.xml …``: reports of runs of whole files of tests, on the very files that were
  tested; what ``-k`` left out of one would count as passed. ``make expensive-tests`` does that;
* ``python -m tests.suite.record --landed COMMIT DATE``: continuous integration, which has passed on this commit.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .changes import MOST_DAYS, PROPERTY, RECORD, ROOT, Changes, digest, find_changes, name_of

SKIPPED_THERE = ("tests/backends/slurm/", "tests/backends/ssh/")
"""What continuous integration may skip, as its machine is a bare one: that it has passed says nothing of these."""


def groups_in(report: Path) -> dict[str, bool]:
    """Return whether all tests of a group have passed, by group, as pytest has reported it."""
    passed: dict[str, bool] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        for found in case.iterfind(f"properties/property[@name='{PROPERTY}']"):
            group = found.get("value", "")
            fine = not any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
            passed[group] = passed.get(group, True) and fine
    return passed


def write(root: Path, report: Path) -> int:
    """Add a report to the record; return how many groups of tests have passed.

    What another run has told of other groups stays, and is true as long as the files are the same.
    """
    found = groups_in(report)
    _add(root, datetime.now(UTC).date(), found)
    return sum(found.values())


def write_landed(root: Path, commit: str, when: date, groups: Iterable[str]) -> int:
    """Add groups to the record whose files are as they were in a commit on which continuous integration has passed.

    Parameters
    ----------
    root : Path
        Of the repository.
    commit : str
        All expensive tests have passed with it, or were left out as nothing had touched them.
    when : date
        When that was.
    groups : iterable of str
        Of all expensive tests.

    Returns
    -------
    int
        How many are written down.

    Raises
    ------
    ValueError
        If git cannot compare with this commit.
    """
    since = find_changes(root, since=commit)
    if since.paths is None:
        raise ValueError(since.since)
    same = {group for group in groups if _is_untouched(since, group)}
    _add(root, when, dict.fromkeys(same, True))
    return len(same)


def _is_untouched(since: Changes, group: str) -> bool:
    places = tuple(group.split(" "))
    return not places[0].startswith(SKIPPED_THERE) and not since.touch(places)


def _add(root: Path, when: date, found: dict[str, bool]) -> None:
    file = root / RECORD
    known: dict[str, list[str]] = {}
    if file.exists():
        known = json.loads(file.read_text(encoding="utf-8"))["passed"]
    for group, fine in found.items():
        known.pop(name_of(group), None)
        if fine and (now := digest(root, tuple(group.split(" ")))) is not None:
            known[name_of(group)] = [when.isoformat(), now]
    today = datetime.now(UTC).date()
    kept = {
        name: entry
        for name, entry in sorted(known.items())
        if (root / name.partition(" ")[0]).exists() and (today - date.fromisoformat(entry[0])).days <= MOST_DAYS
    }
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in kept.items())
    file.write_text(f'{{\n "passed": {{\n{lines}\n }}\n}}\n', encoding="utf-8")


class _Groups:
    """Looks at what pytest collects, as a plugin."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the group of each expensive test."""
        self.found |= {str(value) for item in items for name, value in item.user_properties if name == PROPERTY}


def collected_groups(*places: str) -> set[str]:
    """Return the groups of all expensive tests, or of those at these places, as pytest finds them.

    Raises
    ------
    RuntimeError
        If it cannot collect all tests.
    """
    groups = _Groups()
    words = ["--collect-only", "-q", "-W", "ignore::pytest.PytestAssertRewriteWarning", *places]
    with redirect_stdout(StringIO()):
        outcome = pytest.main(words, plugins=[groups])
    if outcome != pytest.ExitCode.OK:
        raise RuntimeError("pytest cannot collect all tests: 'pytest --collect-only -q' says why")
    return groups.found


def main(words: list[str]) -> None:
    """Write down what the command line names."""
    if words[:1] == ["--landed"] and len(words) == 3:
        number = write_landed(ROOT, words[1], date.fromisoformat(words[2]), collected_groups())
        print(f"{words[1]}: {number} groups of expensive tests see the files that they passed with: {RECORD}")
        return
    for name in words:
        print(f"{name}: {write(ROOT, Path(name))} groups of expensive tests have passed: {RECORD}")


if __name__ == "__main__":
    main(sys.argv[1:])

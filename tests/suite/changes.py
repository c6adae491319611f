"""Which expensive tests a change can have touched; the others are left out, and the run says so.

A test that takes long and seldom breaks is marked ``expensive("path", …)`` with what it depends on: files, folders,
patterns of them; or its folder is listed in ``areas``. It runs wherever somebody asks for it by hand;
``--changed-only``, which ``make test`` gives, leaves it out where nothing of that, and of its own file, differs from
what it was before this branch. On the main branch itself it is left out where all of it is as it was when the test
passed last, by the digests that ``tests.suite.record`` has written down, and that was not long ago. Where neither can
be told, all are run.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .areas import ALWAYS, BY_MARK, ONLY_ON_GPUS, area_of
from .order import file_of

ROOT = Path(__file__).parents[2]
MAIN_BRANCHES = ("origin/HEAD", "origin/main", "main", "origin/master", "master")
EVERYTHING = "make test-all"
_LEFT_OUT = pytest.StashKey[dict[str, str]]()
_CHANGES = pytest.StashKey["Changes"]()


RECORD = Path("tests", "suite", "passed.json")
"""Digests of what expensive tests depended on when they passed last."""
MOST_DAYS = 14
"""A run longer ago says nothing: what tests depend on is more than what they name."""
PROPERTY = "expensive"
"""In the report of a run: the group of an expensive test."""


@dataclass(frozen=True)
class Changes:
    """What differs from an earlier commit, or from the last run of all expensive tests."""

    paths: tuple[str, ...] | None
    """Files that differ from the commit; None where there is none to compare with."""
    since: str
    """The commit or the run, or why there is none."""
    passed: Mapping[str, str] = field(default_factory=dict)
    """Digests by group, of the run."""
    root: Path = ROOT

    def touch(self, places: tuple[str, ...]) -> bool:
        """Whether something at or below one of these places differs, or may differ; a '*' stands for no slash."""
        if self.paths is not None:
            return any(_is_below(path, place) for path in self.paths for place in places)
        known = self.passed.get(name_of(group_of(places)))
        return known is None or known != digest(self.root, places)

    @property
    def can_tell(self) -> bool:
        """Whether there is something to compare with."""
        return self.paths is not None or bool(self.passed)


def _is_below(path: str, place: str) -> bool:
    if path.startswith(ONLY_ON_GPUS) and not place.startswith(ONLY_ON_GPUS):
        return False
    return _pattern(place).fullmatch(path) is not None


@cache
def _pattern(place: str) -> re.Pattern[str]:
    """Return what matches the place itself and all that is below; each process compares thousands of paths with it."""
    return re.compile("[^/]*".join(map(re.escape, place.split("*"))) + "(/.*)?", re.DOTALL)


def group_of(places: tuple[str, ...]) -> str:
    """Return what tests of one file depend on together; the first place is that file."""
    return " ".join((*places[:1], *sorted(set(places[1:]))))


def name_of(group: str) -> str:
    """Return a short name of such a group: the file, and a digest of all places."""
    return f"{group.partition(' ')[0]} {hashlib.sha256(group.encode()).hexdigest()[:12]}"


@cache
def digest(root: Path, places: tuple[str, ...]) -> str | None:
    """Return a digest of all files at or below these places; None where git does not know the files."""
    files = _files(root)
    if files is None:
        return None
    found = hashlib.sha256()
    for path in sorted({path for place in places for path in _files_below(root, place)}):
        content = root / path
        found.update(f"{path}\0".encode())
        found.update(hashlib.sha256(content.read_bytes()).digest() if content.is_file() else b"")
    return found.hexdigest()


@cache
def _files(root: Path) -> tuple[str, ...] | None:
    listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return None if listed is None else tuple(sorted({*listed.split("\0")} - {"", RECORD.as_posix()}))


@cache
def _files_below(root: Path, place: str) -> tuple[str, ...]:
    return tuple(path for path in _files(root) or () if _is_below(path, place))


def git(root: Path, *words: str) -> str | None:
    """Return what git says, or None where it refuses or is not there."""
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def starting_point(root: Path) -> str | None:
    """Return where this work left the main branch; None on that branch itself, which may hold any number of changes."""
    head = git(root, "rev-parse", "HEAD")
    for branch in MAIN_BRANCHES:
        if git(root, "rev-parse", "--verify", "--quiet", f"{branch}^{{commit}}") is None:
            continue
        base = git(root, "merge-base", "HEAD", branch)
        return base.strip() if base is not None and base != head else None
    return None


def find_changes(root: Path = ROOT, since: str = "") -> Changes:
    """Compare the working tree, with what is not committed yet, with a commit."""
    base = since or starting_point(root)
    if not base:
        return since_they_passed(root)
    differ = git(root, "diff", "--name-only", "--no-renames", "-z", base, "--")
    new = git(root, "ls-files", "--others", "--exclude-standard", "-z")
    if differ is None or new is None:
        return Changes(None, f"git cannot compare with {base}")
    return Changes(tuple(sorted({*differ.split("\0"), *new.split("\0")} - {""})), base[:12])


def since_they_passed(root: Path) -> Changes:
    """Compare with what expensive tests have passed with, where that was not too long ago."""
    none = "this is the main branch, or git knows none"
    try:
        record = json.loads((root / RECORD).read_text(encoding="utf-8"))
    except OSError:
        return Changes(None, f"{none}, and no run of expensive tests is written down")
    today = datetime.now(UTC).date()
    dates = {name: date.fromisoformat(when) for name, (when, _) in record["passed"].items()}
    recent = {name: found for name, (_, found) in record["passed"].items() if (today - dates[name]).days <= MOST_DAYS}
    if not recent:
        last = max(dates.values(), default="never")
        return Changes(None, f"{none}, and expensive tests ran last on {last}")
    oldest = min(dates[name] for name in recent)
    return Changes(None, f"they passed, on {oldest} or later", recent, root)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make test` leave out what a change cannot have touched."""
    group = parser.getgroup("gpucluster")
    group.addoption("--changed-only", action="store_true", help="leave out expensive tests that no change touches")
    group.addoption("--since", default="", metavar="COMMIT", help="what --changed-only compares with")


def pytest_configure(config: pytest.Config) -> None:
    """Look once, in the process that the others are told by."""
    if config.getoption("changed_only") and not hasattr(config, "workerinput"):
        config.stash[_CHANGES] = find_changes(since=config.getoption("since"))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process of pytest-xdist what was found."""
    if (changes := node.config.stash.get(_CHANGES, None)) is not None:
        node.workerinput["changes"] = (changes.paths, changes.since, dict(changes.passed))


def changes_of(config: pytest.Config) -> Changes | None:
    """Return what was found, or None where everything is to run."""
    if (told := getattr(config, "workerinput", {}).get("changes")) is not None:
        return Changes(*told)
    return config.stash.get(_CHANGES, None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out expensive tests that nothing has touched."""
    changes = changes_of(config)
    left_out: dict[str, str] = {}
    for item in items:
        if item.nodeid in ALWAYS:
            continue
        marked = tuple(place for mark in item.iter_markers("expensive") for place in mark.args)
        area, of_the_area = area_of(file_of(item))
        if marked and file_of(item) in BY_MARK:
            area, of_the_area = "", ()
        places = (*marked, *of_the_area)
        if not places:
            continue
        within = (file_of(item), *places)
        item.user_properties.append((PROPERTY, group_of(within)))
        if changes is not None and not changes.touch(within):
            named = (*marked, *([f"what is listed for {area}"] if area else []))
            left_out[item.nodeid] = ", ".join(dict.fromkeys(named))
    if changes is None:
        return
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]
    config.stash[_LEFT_OUT] = left_out


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(_LEFT_OUT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a process of pytest-xdist has left out; all leave out the same."""
    if hasattr(node, "workeroutput"):
        node.config.stash[_LEFT_OUT] = node.workeroutput["left_out"]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was left out, and why."""
    if (changes := config.stash.get(_CHANGES, None)) is None:
        return
    if not changes.can_tell:
        terminalreporter.write_line(f"Nothing was left out: {changes.since}.")
        return
    left_out = config.stash.get(_LEFT_OUT, {})
    if not left_out:
        terminalreporter.write_line(
            f"Nothing was left out: what expensive tests here depend on has changed since {changes.since}."
        )
        return
    count = f"{len(left_out)} expensive test" + ("s" if len(left_out) > 1 else "")
    terminalreporter.section("left out")
    terminalreporter.write_line(f"{count} that nothing has touched since {changes.since}; `{EVERYTHING}` runs them:")
    groups = Counter((name.partition("::")[0], places) for name, places in left_out.items())
    for (file, places), number in groups.items():
        terminalreporter.write_line(f"  {file} ({number}), which depends on {places}")

"""Which expensive tests a change can have touched; the others are left out, and the run says so.

A test that takes long and seldom breaks is marked ``expensive("path", …)`` with what it depends on: files, folders,
patterns of them. It runs wherever somebody asks for it by hand; ``--changed-only``, which ``make test`` gives, leaves
it out where nothing of that differs from what it was before this branch. Where that cannot be told, all are run.
"""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MAIN_BRANCHES = ("origin/HEAD", "origin/main", "main", "origin/master", "master")
EVERYTHING = "make test-all"
_LEFT_OUT = pytest.StashKey[dict[str, str]]()
_CHANGES = pytest.StashKey["Changes"]()


@dataclass(frozen=True)
class Changes:
    """What differs from an earlier commit; ``paths`` is None where nobody can tell."""

    paths: tuple[str, ...] | None
    since: str
    """The commit, or why there is none."""

    def touch(self, places: tuple[str, ...]) -> bool:
        """Whether something at or below one of these places differs, or may differ; a '*' stands for no slash."""
        if self.paths is None:
            return True
        files = [PurePosixPath("/", path) for path in self.paths]
        return any(part.match(f"/{place}") for file in files for part in (file, *file.parents) for place in places)


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
        return Changes(None, "this is the main branch, or git knows none")
    differ = git(root, "diff", "--name-only", "--no-renames", "-z", base, "--")
    new = git(root, "ls-files", "--others", "--exclude-standard", "-z")
    if differ is None or new is None:
        return Changes(None, f"git cannot compare with {base}")
    return Changes(tuple(sorted({*differ.split("\0"), *new.split("\0")} - {""})), base[:12])


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
        node.workerinput["changes"] = (changes.paths, changes.since)


def changes_of(config: pytest.Config) -> Changes | None:
    """Return what was found, or None where everything is to run."""
    if (told := getattr(config, "workerinput", {}).get("changes")) is not None:
        return Changes(*told)
    return config.stash.get(_CHANGES, None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out expensive tests that nothing has touched."""
    changes = changes_of(config)
    if changes is None:
        return
    left_out: dict[str, str] = {}
    for item in items:
        marks = list(item.iter_markers("expensive"))
        if marks and not any(changes.touch(mark.args) for mark in marks):
            left_out[item.nodeid] = ", ".join(dict.fromkeys(place for mark in marks for place in mark.args))
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
    if changes.paths is None:
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

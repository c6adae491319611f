"""Long files first, so that several processes end at about the same time; files that share something together."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import psutil
import pytest

RECORD = Path(__file__).with_name("seconds.json")
"""Seconds of each file, as ``python -m benchmarks.suite`` wrote them down last."""
UNKNOWN_SECONDS = 10.0
"""What a file counts as that is not in the record: one in the middle."""
TOGETHER = ("tests/browser/",)
"""Folders whose files share a server and a browser, as long as a process tests nothing else in between."""
MOST_PROCESSES = 8
BYTES_EACH = 2 * 2**30
"""A process of tests with a cluster, a server and a browser, or with a lesson: the largest one takes 1.34 GB."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order files by their time where several processes share them; the tests of a file stay as they are."""
    if hasattr(config, "workerinput") and RECORD.exists():
        seconds: dict[str, float] = json.loads(RECORD.read_text(encoding="utf-8"))
        place = {file: number for number, file in enumerate(in_order({*map(file_of, items)}, seconds))}
        items.sort(key=lambda item: place[file_of(item)])


def in_order(files: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """Return the longest file first; a folder that stays together has the place of its longest file."""

    def long(file: str) -> float:
        return seconds.get(file, UNKNOWN_SECONDS)

    groups: dict[str, list[str]] = {}
    for file in sorted(files):
        groups.setdefault(next((folder for folder in TOGETHER if file.startswith(folder)), file), []).append(file)
    ordered = [sorted(group, key=long, reverse=True) for group in groups.values()]
    return [file for group in sorted(ordered, key=lambda group: long(group[0]), reverse=True) for file in group]


def file_of(item: pytest.Item) -> str:
    """Return the file of a test, as everywhere in this project's record: relative to the root, with slashes."""
    return item.nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Tests wait more than they compute: a process more than there are processors, as far as the memory goes."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors + 1, MOST_PROCESSES, psutil.virtual_memory().total // BYTES_EACH))

"""``python -m benchmarks.suite REPORT.xml …``: write what a run of the tests took into ``suite.md``."""

from __future__ import annotations

import argparse
import os
import platform
from collections import defaultdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("suite.md")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
LONGEST = 10
"""Number of folders and files that the page lists."""


def file_of(classname: str) -> str | None:
    """Return the file of a test: the longest part of its dotted name that is one."""
    parts = classname.split(".")
    while parts:
        if (ROOT / (path := "/".join(parts) + ".py")).is_file():
            return path
        parts.pop()
    return None


def read(report: Path) -> tuple[dict[str, list[float]], float]:
    """Return the seconds of the tests of each file, and those of the whole run."""
    found = defaultdict(list)
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None, f"{report} is not a report of pytest"
    for case in suite.iter("testcase"):
        if (path := file_of(case.get("classname", ""))) is not None:
            found[path].append(float(case.get("time", 0)))
    return found, float(suite.get("time", 0))


def table(files: dict[str, list[float]], totals: dict[str, tuple[int, float, float]]) -> list[str]:
    """Return the lines of the page that were measured."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("distributed", "jupyterlab", "pytest", "pytest-xdist"))
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}, {machine}, {versions}.",
        "",
        "| run | tests | minutes | minutes of all tests, one after another |",
        "|---|---|---|---|",
    ]
    for name, (number, wall, summed) in totals.items():
        lines.append(f"| {name} | {number:,} | {wall / 60:.1f} | {summed / 60:.1f} |")
    lines += ["", f"The {LONGEST} longest folders and files:", "", "| folder | tests | seconds |", "|---|---|---|"]
    folders: defaultdict[str, list[float]] = defaultdict(list)
    for path, seconds in files.items():
        folders["/".join(path.split("/")[:2])] += seconds
    for folder, seconds in sorted(folders.items(), key=lambda item: -sum(item[1]))[:LONGEST]:
        lines.append(f"| `{folder}` | {len(seconds):,} | {sum(seconds):.0f} |")
    lines += ["", "| file | tests | seconds |", "|---|---|---|"]
    for path, seconds in sorted(files.items(), key=lambda item: -sum(item[1]))[:LONGEST]:
        lines.append(f"| `{path}` | {len(seconds):,} | {sum(seconds):.0f} |")
    return lines


def main() -> None:
    """Read the reports and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite")
    parser.add_argument("reports", nargs="+", type=Path)
    files: defaultdict[str, list[float]] = defaultdict(list)
    totals = {}
    for report in parser.parse_args().reports:
        found, wall = read(report)
        for path, seconds in found.items():
            files[path] += seconds
        totals[report.stem] = (sum(map(len, found.values())), wall, sum(map(sum, found.values())))
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text("\n".join([before + BEGIN, *table(files, totals), END + after]), encoding="utf-8")


if __name__ == "__main__":
    main()

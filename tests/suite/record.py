"""``python -m tests.suite.record REPORT.xml …``: write down which expensive tests have passed, and with which files.

Run it on the very files that were tested, with reports of runs of whole files of tests: what ``-k`` left out of one
would count as passed. ``make expensive-tests`` does. On the main branch, ``make test`` then leaves those out that would
see the same files again.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from xml.etree import ElementTree

from .changes import MOST_DAYS, PROPERTY, RECORD, ROOT, digest, name_of


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
    file = root / RECORD
    known: dict[str, list[str]] = {}
    if file.exists():
        known = json.loads(file.read_text(encoding="utf-8"))["passed"]
    when = datetime.now(UTC).date()
    found = groups_in(report)
    for group, fine in found.items():
        known.pop(name_of(group), None)
        if fine and (now := digest(root, tuple(group.split(" ")))) is not None:
            known[name_of(group)] = [when.isoformat(), now]
    kept = {
        name: entry
        for name, entry in sorted(known.items())
        if (root / name.partition(" ")[0]).exists() and (when - date.fromisoformat(entry[0])).days <= MOST_DAYS
    }
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in kept.items())
    file.write_text(f'{{\n "passed": {{\n{lines}\n }}\n}}\n', encoding="utf-8")
    return sum(found.values())


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}: {write(ROOT, Path(name))} groups of expensive tests have passed: {RECORD}")

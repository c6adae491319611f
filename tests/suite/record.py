"""``python -m tests.suite.record REPORT.xml``: write down which expensive tests have passed, and with which files.

Run it on the very files that were tested; ``make expensive-tests`` does. On the main branch, ``make test`` then leaves
those out that would see the same files again.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from .changes import PROPERTY, RECORD, ROOT, digest, name_of


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
    """Write the record of a report anew; return how many groups of tests have passed."""
    passed = {
        name_of(group): digest(root, tuple(group.split(" "))) for group, fine in groups_in(report).items() if fine
    }
    record = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "passed": dict(sorted(passed.items()))}
    (root / RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return len(passed)


if __name__ == "__main__":
    print(f"{write(ROOT, Path(sys.argv[1]))} groups of expensive tests have passed: {RECORD}")

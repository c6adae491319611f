"""``python -m tests.suite.second_run REPORT.xml``: run files with a test that failed once more, from their beginning.

For continuous integration only. ``--reruns`` runs a test again where it stands. In a file whose tests tell one story,
of a cluster that is created, shared and stopped, what a test has done before it failed cannot be done again: such a
file needs its story from the beginning. Whatever is run here is listed, as each of it is a bug to look for.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from .changes import ROOT

MOST_FILES = 3
"""Where more files fail than this, it is no hiccup of the machine."""


def failed_files(report: Path, root: Path) -> list[str] | None:
    """Return the files of tests that failed, in order; None where something failed that is in no file."""
    found: dict[str, None] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        if case.find("failure") is None and case.find("error") is None:
            continue
        parts = case.get("classname", "").split(".")
        files = [Path(*parts[:length]).with_suffix(".py") for length in range(len(parts), 0, -1) if parts[0]]
        file = next((file for file in files if (root / file).is_file()), None)
        if file is None:
            return None
        found[file.as_posix()] = None
    return list(found)


def main(report: Path, options: list[str]) -> int:
    """Run them once more; return what the process is to end with."""
    if not report.exists():
        print("Nothing is run again: the first run has left no report.")
        return 2
    files = failed_files(report, ROOT)
    if not files or len(files) > MOST_FILES:
        print(f"Nothing is run again: {'not a test' if not files else f'{len(files)} files'} failed.")
        return 1
    print("Once more, from the beginning of each file; each is a bug to look for:", *files, sep="\n  ", flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", *options, *files], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))

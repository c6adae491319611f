"""Make the notebooks and pages of all lessons from their sources: ``python -m gpucluster.lessons.build [--check]``.

Each ``notebooks/<lesson>/lesson.py`` gives three notebooks (for the learner, with the solutions, without prose), the
``sheet.json`` that is read at run time, and a web page in ``docs/lessons``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..protocol.errors import GPUClusterError
from .building.files import differs, pages_folder, render
from .catalogue import notebooks_folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Build all lessons that are in order, or only say which files are stale."""
    parser = argparse.ArgumentParser(prog="python -m gpucluster.lessons.build", description="Build the lessons.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a file is not up to date")
    parser.add_argument("--folder", type=Path, help="folder of the lessons")
    parser.add_argument("--pages", type=Path, help="folder of the web pages; with --folder alone, none are made")
    options = parser.parse_args(arguments)
    folder: Path = options.folder or notebooks_folder()
    pages: Path | None = options.pages or (None if options.folder else pages_folder())
    code, old = 0, 0
    for path in sorted(folder.glob("*/lesson.py")):
        try:
            files = {file: text for file, text in render(path, pages).items() if differs(file, text)}
        except GPUClusterError as error:
            print(error, file=sys.stderr)
            code = error.exit_code
            continue
        for file, text in files.items():
            name = file.relative_to(folder) if file.is_relative_to(folder) else file.name
            if options.check:
                print(f"{name} is not up to date.", file=sys.stderr)
                old += 1
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
                print(f"Wrote {name}.")
    if old:
        print("Run: python -m gpucluster.lessons.build", file=sys.stderr)
    return code or int(bool(old))


if __name__ == "__main__":
    raise SystemExit(main())

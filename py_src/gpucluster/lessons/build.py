"""Make the notebooks of all lessons from their sources: ``python -m gpucluster.lessons.build``.

Each ``course/<lesson>/lesson.py`` gives three notebooks (for the learner, with the solutions, without prose), the
``sheet.json`` that is read at run time, and, in a checkout, a web page in ``docs/lessons``. In the repository are only
the learner's notebooks, in ``notebooks``; with ``--check`` they are compared, and nothing is written.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from ..protocol.errors import GPUClusterError
from .building.files import differs, hooks, pages_folder, render, render_page, tracked_notebook, write
from .catalogue import BUILT, COURSE


def main(arguments: Sequence[str] | None = None) -> int:
    """Build all lessons that are in order, or only say which files are stale."""
    parser = argparse.ArgumentParser(prog="python -m gpucluster.lessons.build", description="Build the lessons.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a file is not up to date")
    parser.add_argument("--folder", type=Path, help="folder of other lessons")
    parser.add_argument("--pages", type=Path, help="folder of the web pages; with --folder alone, none are made")
    parser.add_argument("--no-pages", action="store_true", help="make no web pages")
    options = parser.parse_args(arguments)
    folder: Path = options.folder or COURSE
    pages: Path | None = options.pages or (None if options.folder or options.no_pages else pages_folder())
    made: set[Path] = set()
    stale: list[Path] = []
    code = 0
    sources = sorted(folder.glob("*/lesson.py"))
    steps: list[tuple[Path, Callable[[], dict[Path, str]]]] = [(path, partial(render, path)) for path in sources]
    if pages and not options.check:
        steps += [(path, partial(render_page, path, pages)) for path in sources]
    for path, step in steps:
        try:
            files = step()
        except GPUClusterError as error:
            print(error, file=sys.stderr)
            code = error.exit_code
            continue
        if options.check and (tracked := tracked_notebook(path)):
            files = {tracked: files[tracked]}
        stale += [file for file, text in files.items() if differs(file, text)]
        if not options.check:
            write(files)
        made |= {file.parent for file in files}
    for file in stale:
        name = f"{file.parent.name}/{file.name}"
        if options.check:
            print(f"{name} is not up to date.", file=sys.stderr)
        else:
            print(f"Wrote {name}.")
    if options.check and stale:
        print("Run: python -m gpucluster.lessons.build", file=sys.stderr)
        return code or 1
    if not (options.folder or options.check or code):
        write(hooks())
        _remove_others(made)
    return code


def _remove_others(folders: Collection[Path]) -> None:
    """Remove what was built of lessons that are gone or have another name now."""
    for path in BUILT.iterdir():
        if path.is_dir() and path not in folders:
            shutil.rmtree(path)


if __name__ == "__main__":
    raise SystemExit(main())

"""Make the notebooks of all lessons from their sources: ``python -m gpucluster.lessons.build``.

Each ``course/<lesson>/lesson.py`` gives three notebooks (for the learner, with the solutions, without prose), the
``sheet.json`` that is read at run time, and, in a checkout, a web page in ``docs/lessons``. In the repository are only
the learner's notebooks, in ``notebooks``; with ``--check`` they are compared, and nothing is written.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ..protocol.errors import GPUClusterError
from .building.notebooks import Copy, make_notebook, notebook_name
from .building.page import make_page
from .building.source import LessonSource, LessonSourceError, read_source, slug_of
from .building.words import read_words, with_words
from .catalogue import BUILT, COURSE, checkout

# Which files a lesson gives, with their content.


def pages_folder() -> Path | None:
    """Return where the web pages are: in the documentation of a checkout; an installed package has none."""
    root = checkout()
    return root / "docs" / "lessons" if root else None


def render(path: Path) -> dict[Path, str]:
    """Return the files that one ``lesson.py`` gives, with their content, but for its page.

    They lie beside it. Those of the package's lessons go to the folder that is read at run time, and in a checkout the
    learner's notebook to ``notebooks`` as well.

    Parameters
    ----------
    path : pathlib.Path
        The source.

    Raises
    ------
    LessonSourceError
        When the source is not in order.
    """
    source, folder = read_source(path), path.parent
    linked = with_words(source, read_words())
    notebooks = {notebook_name(source.slug, copy): _json(make_notebook(linked, copy)) for copy in Copy}
    made: dict[Path, str] = {}
    if folder.parent == COURSE:
        folder = BUILT / source.slug
        copied = [path, *path.parent.glob("*.json")]
        made |= {folder / one.name: one.read_text(encoding="utf-8") for one in copied}
        if tracked := tracked_notebook(path):
            made[tracked] = notebooks[tracked.name]
    made |= {folder / name: text for name, text in notebooks.items()}
    made[folder / "sheet.json"] = _json(make_sheet(source))
    return made


def render_page(path: Path, pages: Path) -> dict[Path, str]:
    """Return the web page that one ``lesson.py`` gives, once what `render` returns is written.

    Raises
    ------
    LessonSourceError
        When the source is not in order, or would put a script into the page.
    """
    source = read_source(path)
    try:
        return {pages / f"{source.slug}.html": make_page(with_words(source, read_words()))}
    except ValueError as error:
        raise LessonSourceError(str(error)) from error


def tracked_notebook(path: Path) -> Path | None:
    """Return the learner's notebook in the repository, readable without an installation."""
    root, slug = checkout(), slug_of(path.parent)
    return root / "notebooks" / slug / notebook_name(slug, Copy.LEARNER) if root and path.parents[1] == COURSE else None


def hooks() -> dict[Path, str]:
    """Return the file with the cards of all lessons together."""
    return {BUILT / "hooks.json": (COURSE / "hooks.json").read_text(encoding="utf-8")}


def make_sheet(source: LessonSource) -> dict[str, Any]:
    """Return what programs need to know about a lesson: ``sheet.json``, which is read at run time."""
    return {
        "id": source.id,
        "slug": source.slug,
        "title": source.title,
        "minutes": source.minutes,
        "needs": source.needs,
        "objectives": list(source.objectives),
        "topics": [asdict(topic) for topic in source.topics],
        "keypoints": list(source.keypoints),
        "anchors": list(source.anchors),
        "exercises": source.exercises(),
        "paths": {copy.value: notebook_name(source.slug, copy) for copy in Copy},
    }


def write(files: Mapping[Path, str]) -> None:
    """Write those of the files that have another content; readers never see half of one."""
    for file, text in files.items():
        if differs(file, text):
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(f".{file.name}.{os.getpid()}")
            part.write_text(text, encoding="utf-8")
            part.replace(file)


def differs(file: Path, text: str) -> bool:
    """Whether a file is missing or has another content."""
    return not file.exists() or file.read_text(encoding="utf-8") != text


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


# Make the notebooks of all lessons from their sources: ``python -m gpucluster.lessons.build``.


def main(arguments: Sequence[str] | None = None) -> int:
    """Build all lessons that are in order, or only say which files are stale."""
    parser = argparse.ArgumentParser(prog="python -m gpucluster.lessons.build", description="Build the lessons.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is out of date")
    parser.add_argument("--folder", type=Path, help="folder of other lessons")
    parser.add_argument("--pages", type=Path, help="folder of the web pages; with --folder alone, none are written")
    parser.add_argument("--no-pages", action="store_true", help="write no web pages")
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
            print(f"{name} is out of date.", file=sys.stderr)
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

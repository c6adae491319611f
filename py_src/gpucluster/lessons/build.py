"""Make the notebooks of all lessons from their sources: ``python -m gpucluster.lessons.build [--check]``.

Each ``notebooks/<lesson>/lesson.py`` gives the learner's notebook, the solution notebook and ``sheet.json``
(objectives, hints and solutions, read at run time). The result depends on nothing but the source.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..protocol.errors import GPUClusterError
from .catalogue import notebooks_folder
from .source import LessonSource, SourceCell, read_source


def cell_id(cell: SourceCell, used: Counter[str]) -> str:
    """Return an id that stays the same as long as the cell does."""
    if cell.anchor is not None:
        name = cell.anchor
    elif cell.exercise is not None:
        kind = cell.tags[0] if cell.tags else cell.type
        name = f"ex-{cell.exercise.replace('.', '-')}-{kind}"
    else:
        name = f"{cell.type}-{hashlib.sha256(cell.text.encode()).hexdigest()[:10]}"
    used[name] += 1
    return name if used[name] == 1 else f"{name}-{used[name]}"


def make_notebook(source: LessonSource, *, solution: bool) -> dict[str, Any]:
    """Return the learner's or the solution notebook as nbformat 4.5 JSON."""
    used: Counter[str] = Counter()
    cells = []
    for cell in source.cells:
        name = cell_id(cell, used)
        if cell.hint or ("instructor" in cell.tags and not solution):
            continue
        text = cell.solution_text() if solution else cell.learner_text()
        metadata: dict[str, Any] = {"tags": list(cell.tags)} if cell.tags else {}
        if cell.exercise is not None:
            metadata["gpucluster"] = {"exercise": cell.exercise}
        entry: dict[str, Any] = {"cell_type": cell.type, "id": name, "metadata": metadata}
        if cell.type == "code":
            entry |= {"execution_count": None, "outputs": []}
        entry["source"] = text.splitlines(keepends=True)
        cells.append(entry)
    metadata = {
        "gpucluster": {"lesson": source.id, "copy": "solution" if solution else "learner"},
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "title": source.title,
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def make_sheet(source: LessonSource) -> dict[str, Any]:
    """Return what programs need to know about the lesson."""
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
    }


def render(path: Path) -> dict[Path, str]:
    """Return the files that one ``lesson.py`` gives, with their content."""
    source, folder = read_source(path), path.parent
    made = {
        folder / f"{source.slug}.ipynb": make_notebook(source, solution=False),
        folder / f"{source.slug}-solution.ipynb": make_notebook(source, solution=True),
        folder / "sheet.json": make_sheet(source),
    }
    return {file: json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True) + "\n" for file, data in made.items()}


def stale(folder: Path) -> list[Path]:
    """Return the generated files below a folder that do not match their source."""
    made = {file: text for path in sorted(folder.glob("*/lesson.py")) for file, text in render(path).items()}
    return [file for file, text in made.items() if _differs(file, text)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Build all lessons that are in order, or only say which files are stale."""
    parser = argparse.ArgumentParser(prog="python -m gpucluster.lessons.build", description="Build the lessons.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a file is not up to date")
    parser.add_argument("--folder", type=Path, default=None, help="folder of the lessons")
    options = parser.parse_args(arguments)
    folder: Path = options.folder or notebooks_folder()
    code, old = 0, 0
    for path in sorted(folder.glob("*/lesson.py")):
        try:
            files = {file: text for file, text in render(path).items() if _differs(file, text)}
        except GPUClusterError as error:
            print(error, file=sys.stderr)
            code = error.exit_code
            continue
        for file, text in files.items():
            if options.check:
                print(f"{file.relative_to(folder)} is not up to date.", file=sys.stderr)
                old += 1
            else:
                file.write_text(text, encoding="utf-8")
                print(f"Wrote {file.relative_to(folder)}.")
    if old:
        print("Run: python -m gpucluster.lessons.build", file=sys.stderr)
    return code or int(bool(old))


def _differs(file: Path, text: str) -> bool:
    return not file.exists() or file.read_text(encoding="utf-8") != text


if __name__ == "__main__":
    raise SystemExit(main())

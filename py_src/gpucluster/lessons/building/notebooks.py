"""The three notebooks of a lesson: for the learner, with all solutions, and without prose."""

import hashlib
from collections import Counter
from enum import StrEnum
from typing import Any

from .source import LessonSource, SourceCell

NBGRADER_SCHEMA = 3


class Copy(StrEnum):
    """For whom a notebook is.

    The recall copy has the learner's code cells and no prose: can you say why each cell is there?
    """

    LEARNER = "learner"
    SOLUTION = "solution"
    RECALL = "recall"


def notebook_name(slug: str, copy: Copy) -> str:
    """Return the name of the file."""
    return f"{slug}.ipynb" if copy is Copy.LEARNER else f"{slug}-{copy.value}.ipynb"


def make_notebook(source: LessonSource, copy: Copy) -> dict[str, Any]:
    """Return one of the notebooks as nbformat 4.5 JSON."""
    ids, graded = cell_ids(source), nbgrader_metadata(source)
    cells = []
    for place, cell in enumerate(source.cells):
        if not _belongs(cell, copy):
            continue
        metadata = cell_metadata(cell)
        if place in graded and copy is not Copy.RECALL:
            metadata["nbgrader"] = graded[place]
        entry: dict[str, Any] = {"cell_type": cell.type, "id": ids[place], "metadata": metadata}
        if cell.type == "code":
            entry |= {"execution_count": None, "outputs": []}
        text = cell.solution_text() if copy is Copy.SOLUTION else cell.learner_text()
        entry["source"] = text.splitlines(keepends=True)
        cells.append(entry)
    metadata = {
        "gpucluster": {"lesson": source.id, "copy": copy.value},
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "title": source.title,
    }
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _belongs(cell: SourceCell, copy: Copy) -> bool:
    if cell.hint or ("instructor" in cell.tags and copy is not Copy.SOLUTION):
        return False
    return cell.type == "code" or copy is not Copy.RECALL


def cell_ids(source: LessonSource) -> list[str]:
    """Return one id per cell, which stays the same as long as the cell does."""
    used: Counter[str] = Counter()
    ids = []
    for cell in source.cells:
        name = _name(cell)
        used[name] += 1
        ids.append(name if used[name] == 1 else f"{name}-{used[name]}")
    return ids


def cell_metadata(cell: SourceCell) -> dict[str, Any]:
    """Return tags, the exercise that the cell belongs to, and its anchor."""
    metadata: dict[str, Any] = {"tags": list(cell.tags)} if cell.tags else {}
    own = {"exercise": cell.exercise, "anchor": cell.anchor}
    own = {key: value for key, value in own.items() if value is not None}
    return {**metadata, "gpucluster": own} if own else metadata


def nbgrader_metadata(source: LessonSource) -> dict[int, dict[str, Any]]:
    """Return what nbgrader wants to know about each cell that it grades, by the place of the cell.

    The cells that a learner writes are solution cells. The cell with the last check of an exercise gives its point and
    is locked; further checks of the same exercise give none.
    """
    ids = cell_ids(source)
    checks = {cell.exercise: place for place, cell in enumerate(source.cells) if _is_check(cell)}
    found: dict[int, dict[str, Any]] = {}
    for place, cell in enumerate(source.cells):
        if cell.type != "code" or cell.exercise is None:
            continue
        entry = {"schema_version": NBGRADER_SCHEMA, "grade_id": ids[place], "task": False}
        if "exercise" in cell.tags:
            found[place] = {**entry, "grade": False, "solution": True, "locked": False}
        elif _is_check(cell):
            points = 1 if checks[cell.exercise] == place else 0
            found[place] = {**entry, "grade": True, "solution": False, "locked": True, "points": points}
    return found


def _is_check(cell: SourceCell) -> bool:
    return "check" in cell.tags and cell.type == "code"


def _name(cell: SourceCell) -> str:
    if cell.anchor is not None:
        return cell.anchor
    if cell.exercise is not None:
        kind = cell.tags[0] if cell.tags else cell.type
        return f"ex-{cell.exercise.replace('.', '-')}-{kind}"
    return f"{cell.type}-{hashlib.sha256(cell.text.encode()).hexdigest()[:10]}"

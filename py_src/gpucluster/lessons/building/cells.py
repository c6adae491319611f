"""What all copies of a cell have in common: its id and its metadata."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from .source import LessonSource, SourceCell

NBGRADER_SCHEMA = 3


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

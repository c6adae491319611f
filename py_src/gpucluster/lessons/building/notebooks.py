"""The three notebooks of a lesson: for the learner, with all solutions, and without prose."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from .cells import cell_ids, cell_metadata, nbgrader_metadata
from .source import LessonSource, SourceCell


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

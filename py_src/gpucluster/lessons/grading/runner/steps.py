"""What to run of a learner's notebook, and where in it each exercise is graded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ...catalogue import Lesson
from ...checks import exercises
from ..notebooks import source_of
from .needed_cells import needed_cells

_START = "lessons.start("
_END = "lab.close("


@dataclass(frozen=True)
class Step:
    """One cell to run, then the exercises to grade.

    Attributes
    ----------
    exercise : str or None
        The one that the cell belongs to.
    noted : bool
        Whether what goes wrong in it is worth a note: not in a cell of the lesson that nothing needs.
    """

    code: str
    graded: tuple[str, ...] = ()
    exercise: str | None = None
    noted: bool = True


def steps_of(
    notebook: dict[str, Any], lesson: Lesson, original: dict[str, Any], *, every_cell: bool = False
) -> list[Step]:
    """Return what to run and where to grade.

    An exercise is graded where the notebook has its check, or, where the learner has deleted that, after the last cell
    of the exercise, or at the end, before the cluster is stopped. A check cell that is as it came is not run: the
    grader takes its place. Nor are cells that are as they came and that what the learner has written does not need;
    see `needed_cells`.

    Parameters
    ----------
    notebook : dict
        The learner's notebook.
    lesson : Lesson
        The lesson that it belongs to.
    original : dict
        The notebook as it was given out.
    every_cell : bool, optional
        Run what nothing needs as well.
    """
    known = {exercise.id for exercise in exercises(lesson.id)}
    wanted = [exercise.id for exercise in lesson.exercises if exercise.id in known]
    unchanged = {cell.get("id"): source_of(cell).strip() for cell in original["cells"]}
    # By their text: programs that know no ids of cells give them new ones.
    shown = {source_of(cell).strip() for cell in original["cells"] if _exercise(cell) is None} - {""}
    cells = [cell for cell in notebook["cells"] if cell.get("cell_type") == "code"]
    codes = [source_of(cell) for cell in cells]
    places = {exercise: _place(exercise, cells, codes) for exercise in wanted}
    own = [code.strip() not in shown or _START in code for code in codes]
    needed = needed_cells(codes, own)
    is_told = not all(needed)  # Else a cell may read anything, and all run.
    steps = []
    for number, cell in enumerate(cells):
        graded = tuple(exercise for exercise in wanted if places[exercise] == number)
        is_check = _is_check(cell) and unchanged.get(cell.get("id")) == codes[number].strip()
        runs = not is_check and (every_cell or needed[number])
        noted = own[number] or (is_told and needed[number])
        steps.append(Step(codes[number] if runs else "", graded, _exercise(cell), noted))
    at_the_end = tuple(exercise for exercise in wanted if places[exercise] is None)
    return [*steps, Step("", at_the_end)] if at_the_end else steps


def _place(exercise: str, cells: list[dict[str, Any]], codes: list[str]) -> int | None:
    """After which cell to grade an exercise; None: nowhere in the notebook."""
    own = [number for number, cell in enumerate(cells) if _exercise(cell) == exercise]
    checks = [number for number in own if _is_check(cells[number])]
    if checks or own:
        return checks[-1] if checks else own[-1]
    # Programs that know nothing of what the lesson notes beside its cells leave only their text.
    asked = re.compile(rf"""^check\(\s*["']{re.escape(exercise)}["']""", re.MULTILINE)
    named = [number for number, code in enumerate(codes) if asked.search(code)]
    if named:
        return named[-1]
    # Before the cluster is stopped.
    ends = [number for number, code in enumerate(codes) if _END in code]
    return ends[-1] - 1 if ends and ends[-1] > 0 else None


def _exercise(cell: dict[str, Any]) -> str | None:
    metadata = cell.get("metadata")
    own = metadata.get("gpucluster") if isinstance(metadata, dict) else None
    found = own.get("exercise") if isinstance(own, dict) else None
    return found if isinstance(found, str) else None


def _is_check(cell: dict[str, Any]) -> bool:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return isinstance(tags, list) and "check" in tags

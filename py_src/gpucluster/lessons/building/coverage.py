"""Which exercise, cell, question or card covers which row of the source material: ``course/coverage.yaml``.

``python -m gpucluster.lessons.building.coverage`` prints all rows, as the site lists them.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...protocol.errors import GPUClusterError
from ..catalogue import COURSE, lessons
from ..study.bank.files import all_cards, all_questions

SOURCES = {"S0": 66, "S1": 68, "S2": 60, "S3": 32, "S4": 17}
"""Number of rows of each of the five documents that the lessons grew from."""
_PLANNED = {f"{number:02}" for number in range(9, 17)}

_PLACES = (
    (re.compile(r"^[0-9]{2}\.[0-9]{1,2}$"), "exercise"),
    (re.compile(r"^[0-9]{2}#[a-z][a-z0-9-]*$"), "cell"),
    (re.compile(r"^[0-9]{2}\.q[0-9]{1,3}$"), "question"),
    (re.compile(r"^([0-9]{2}\.c|hook\.)[0-9]{1,3}$"), "card"),
)


class CoverageError(GPUClusterError):
    """The file cannot be read."""

    code = "coverage"


@dataclass(frozen=True)
class Row:
    """One row of the source material."""

    id: str
    item: str
    where: tuple[str, ...] = ()
    planned: str | None = None


def row_ids() -> list[str]:
    """Return the ids of all rows, in order."""
    return [f"{source}-{number:02}" for source, total in SOURCES.items() for number in range(1, total + 1)]


def read_rows(path: Path | None = None) -> list[Row]:
    """Read the file.

    Raises
    ------
    CoverageError
        With the row that is not in order.
    """
    import yaml  # type: ignore[import-untyped]

    path = path or COURSE / "coverage.yaml"
    try:
        # All plain text: 06.10 is not a number.
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506  # makes no objects
    except (OSError, yaml.YAMLError) as error:
        raise CoverageError(f"{path.name} cannot be read: {error}") from None
    if not isinstance(data, dict):
        raise CoverageError(f"{path.name} is not a list of rows.")
    return [_row(str(id), entry) for id, entry in data.items()]


def problems(rows: list[Row]) -> list[str]:
    """Return a sentence for each row that is missing, unknown, or points to nothing."""
    known, found = row_ids(), [row.id for row in rows]
    sentences = [f"{id} is missing." for id in known if id not in found]
    sentences += [f"{id} is not a row of the source material." for id in found if id not in known]
    places = _all_places()
    for row in rows:
        if row.planned is None and not row.where:
            sentences.append(f"{row.id} is neither covered nor planned.")
        if row.planned is not None and row.planned not in _PLANNED:
            sentences.append(f"{row.id} is planned for {row.planned!r}, which is not an unwritten lesson.")
        sentences += [
            f"{row.id} points to {place!r}, which does not exist." for place in row.where if place not in places
        ]
    return sentences


def page(rows: list[Row]) -> str:
    """Return the rows with their lessons, as Markdown."""
    parts = []
    for source in SOURCES:
        own = [f"* {row.item}: {_lessons_of(row)}\n" for row in rows if row.id.startswith(source)]
        parts += [f"## {source}\n\n", *own, "\n"]
    return "".join(parts).rstrip() + "\n"


def _lessons_of(row: Row) -> str:
    """Return the numbers of the lessons; memory hooks belong to none."""
    found = dict.fromkeys("all" if place.startswith("hook.") else place[:2] for place in row.where)
    return ", ".join(found) or f"planned for {row.planned}"


def _row(id: str, entry: Any) -> Row:
    if (
        not isinstance(entry, dict)
        or not isinstance(entry.get("item"), str)
        or set(entry) - {"item", "where", "planned"}
    ):
        raise CoverageError(f"{id} needs an item, and the places that cover it or the lesson planned for it.")
    where = entry.get("where", [])
    if not isinstance(where, list) or ("where" in entry) == ("planned" in entry):
        raise CoverageError(f"{id} needs either a list of places or the lesson planned for it.")
    for place in where:
        if not any(pattern.match(place) for pattern, _ in _PLACES):
            raise CoverageError(f"{id}: {place!r} is not an exercise, cell, question or card.")
    return Row(id, entry["item"], tuple(where), entry.get("planned"))


def _all_places() -> set[str]:
    known = lessons()
    cells = {f"{lesson.id}#{anchor}" for lesson in known for anchor in lesson.anchors}
    tasks = {exercise.id for lesson in known for exercise in lesson.exercises}
    items: list[Callable[[], list[Any]]] = [all_questions, all_cards]
    return cells | tasks | {item.id for read in items for item in read()}


if __name__ == "__main__":
    sys.stdout.write(page(read_rows()))

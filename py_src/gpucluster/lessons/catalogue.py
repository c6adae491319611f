"""The lessons that come with the package: what they are, and where."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..protocol.errors import GPUClusterError

NOTEBOOKS_VARIABLE = "GPUCLUSTER_NOTEBOOKS"
COURSE = Path(__file__).parent / "course"
"""What the authors of the lessons write, with a folder for each lesson."""
BUILT = Path(__file__).parent / "notebooks"
"""What `gpucluster.lessons.build` makes of it, with a folder for each lesson."""


class LessonsNotBuilt(GPUClusterError):
    """This is a checkout, and its lessons are not built."""

    code = "lessons_not_built"


@dataclass(frozen=True)
class Topic:
    """One idea of a lesson, as the study advisor names it.

    Attributes
    ----------
    name : str
        Lower-case-with-dashes, such as ``"starvation"``.
    link : str
        The place that explains it: an exercise (``"03.2"``) or an anchor (``"03#starvation"``).
    """

    name: str
    title: str
    link: str


@dataclass(frozen=True)
class Exercise:
    """What the lesson's sheet says about one exercise."""

    id: str
    title: str
    hints: tuple[str, ...]
    solution: str
    topic: str | None = None
    minutes: int | None = None


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes
    ----------
    id : str
        Number, such as ``"06"``.
    slug : str
        Name of its folder, such as ``"06-kmeans"``.
    minutes : int
        Time that a class needs.
    needs : str
        ``"cpu"``: runs anywhere; ``"gpu"``: needs a GPU.
    folder : pathlib.Path
        Where the notebooks are.
    topics : tuple of Topic
        What the study advisor speaks of.
    keypoints : tuple of str
        What a learner should keep, as Markdown.
    anchors : tuple of str
        Names of cells that links may lead to: ``"03#starvation"`` is the cell ``starvation`` of lesson 03.
    """

    id: str
    slug: str
    title: str
    minutes: int
    needs: str
    objectives: tuple[str, ...]
    exercises: tuple[Exercise, ...]
    folder: Path
    topics: tuple[Topic, ...] = ()
    keypoints: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()

    @property
    def notebook(self) -> Path:
        """The learner's notebook."""
        return self.folder / f"{self.slug}.ipynb"

    @property
    def solution_notebook(self) -> Path:
        """The notebook with all solutions."""
        return self.folder / f"{self.slug}-solution.ipynb"

    @property
    def recall_notebook(self) -> Path:
        """The learner's notebook without prose, to say from memory why each cell is there."""
        return self.folder / f"{self.slug}-recall.ipynb"

    def exercise(self, exercise: str) -> Exercise | None:
        """Return the exercise of that number."""
        return next((known for known in self.exercises if known.id == exercise), None)


def notebooks_folder() -> Path:
    """Return the folder of the lessons as they are built.

    The environment variable ``GPUCLUSTER_NOTEBOOKS`` names another one, such as a site's own lessons.

    Raises
    ------
    LessonsNotBuilt
        In a checkout, with the command that builds them.
    """
    if named := os.environ.get(NOTEBOOKS_VARIABLE):
        return Path(named)
    if not BUILT.is_dir():
        raise LessonsNotBuilt("The lessons are not built. Run: python -m gpucluster.lessons.build")
    return BUILT


def checkout() -> Path | None:
    """Return the root of the repository that this package is in; None where it is installed."""
    root = Path(__file__).parents[3]
    return root if (root / "notebooks").is_dir() else None


def solutions() -> list[Path]:
    """Return the folders and files with solutions that come with the package, whichever lessons are in use."""
    return [BUILT, *COURSE.glob("*/answers"), *COURSE.glob("*/lesson.py")]


def lessons() -> list[Lesson]:
    """Return all lessons, in order."""
    return [_read(sheet) for sheet in sorted(notebooks_folder().glob("*/sheet.json"))]


def find_lesson(lesson: str) -> Lesson | None:
    """Return the lesson of that number or folder name, such as ``"06"`` or ``"06-kmeans"``."""
    # A lesson's folder begins with its number: the panel asks for each lesson, and need not read all sheets each time.
    folder = notebooks_folder()
    with suppress(OSError):
        for name in sorted(os.listdir(folder)):
            sheet = folder / name / "sheet.json"
            if (name == lesson or name.startswith(f"{lesson}-")) and sheet.is_file():
                known = _read(sheet)
                if lesson in {known.id, known.slug}:
                    return known
    return None


def _read(sheet: Path) -> Lesson:
    # Keyed by time as well, so that a rebuilt lesson is seen without a restart.
    return _parse(sheet, sheet.stat().st_mtime_ns)


@cache
def _parse(sheet: Path, _mtime: int) -> Lesson:
    data: dict[str, Any] = json.loads(sheet.read_text(encoding="utf-8"))
    exercises = tuple(
        Exercise(item["id"], item["title"], tuple(item["hints"]), item["solution"], item["topic"], item.get("minutes"))
        for item in data["exercises"]
    )
    return Lesson(
        id=data["id"],
        slug=data["slug"],
        title=data["title"],
        minutes=data["minutes"],
        needs=data["needs"],
        objectives=tuple(data["objectives"]),
        exercises=exercises,
        folder=sheet.parent,
        topics=tuple(Topic(**item) for item in data["topics"]),
        keypoints=tuple(data["keypoints"]),
        anchors=tuple(data["anchors"]),
    )

"""A small lesson with three real exercises that need no cluster, and ways to hand it in."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest
from gpucluster.lessons.build import render
from gpucluster.lessons.catalogue import NOTEBOOKS_VARIABLE, find_lesson
from gpucluster.lessons.grading import Grades, Limits, Sandboxing, find_submissions, grade, whole_class
from gpucluster.lessons.grading.answer_key import AnswerKey, grade_key
from gpucluster.lessons.grading.sandbox.trying import choose
from gpucluster.lessons.grading.submissions import Submission

from tests.backends.packages import NotInstalled, installed

EXERCISES = ("06.2", "06.3", "06.4")
RIGHT = {number: find_lesson("06").exercise(number).solution for number in EXERCISES}
ALL, NONE = dict.fromkeys(EXERCISES, 1.0), dict.fromkeys(EXERCISES, 0.0)
"""All points, and no points."""
LIMITS = Limits(seconds=60, cell_seconds=20, memory_bytes=900 * 2**20, processes=40)
IMAGE = os.environ.get("GRADING_IMAGE", "")
"""An image of Podman or Docker: everything here is graded in containers then."""
HandIn = Callable[..., Path]
Graded = Callable[..., Grades]
IMPORTS = "import numpy as np\nfrom gpucluster.lessons import check\n"


@pytest.fixture(scope="session", autouse=True)
def _best_sandbox() -> None:
    """Install bubblewrap, where that is allowed, before anything chooses a sandbox: what follows tries the best."""
    with suppress(NotInstalled):
        installed(["bubblewrap"], lambda: shutil.which("bwrap"))


def lesson_source() -> str:
    """The source of a lesson that has only these exercises."""
    parts = [
        "# ---\n# jupyter:\n"
        '#   gpucluster: {lesson: "06", title: Small, minutes: 1, needs: cpu, objectives: [do]}\n# ---\n',
        f"# %%\n{IMPORTS}",
    ]
    for number in EXERCISES:
        parts.append(f'# %% [markdown] exercise="{number}" title="Title"\n# Text\n')
        parts += [f'# %% [markdown] tags=["hint-{n}"] exercise="{number}"\n# Hint\n' for n in (1, 2, 3)]
        solution = f"### BEGIN SOLUTION\n{RIGHT[number]}\n### END SOLUTION\n"
        parts.append(f'# %% tags=["exercise"] exercise="{number}"\n{solution}')
        parts.append(f'# %% tags=["check"] exercise="{number}"\n# The grader takes the place of this cell.\n')
    return "\n".join(parts)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where this test makes temporary folders; other tests grade at the same time, and have theirs in /tmp."""
    # Not tmp_path: the path of a unix socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="gt", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def small_lesson(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of lessons that has only the small one; everything here uses it."""
    text = lesson_source()
    folder = tmp_path_factory.mktemp("site") / "notebooks"
    source = folder / "06-kmeans" / "lesson.py"
    source.parent.mkdir(parents=True)
    source.write_text(text, encoding="utf-8")
    for file, content in render(source).items():
        file.write_text(content, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NOTEBOOKS_VARIABLE, str(folder))
        yield folder


@pytest.fixture
def hand_in(small_lesson: Path, tmp_path: Path) -> HandIn:
    """Write a learner's notebook: code per exercise, and cells before everything."""

    def write(learner: str, first: str = "", answers: dict[str, str] | None = None, name: str = "") -> Path:
        book: Any = nbformat.read(find_lesson("06").notebook, as_version=4)
        given = RIGHT if answers is None else answers
        for cell in book.cells:
            own = cell.metadata.get("gpucluster", {}).get("exercise")
            if "exercise" in cell.metadata.get("tags", ()) and own in given:
                cell.source = given[own]
        if first:
            book.cells.insert(1, nbformat.v4.new_code_cell(first))
        path = tmp_path / "class" / learner / (name or "06-kmeans.ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(book), encoding="utf-8")
        return path

    return write


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory; what is handed in is in its folder ``class``."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def keys() -> dict[str, AnswerKey]:
    """The graded answer key of the small lesson, by the limits."""
    return {}


@pytest.fixture(scope="session")
def best() -> Sandboxing:
    """The best sandbox that works here."""
    return choose("container" if IMAGE else "auto", IMAGE).sandboxing


@pytest.fixture
def graded(best: Sandboxing, tmp_path: Path, keys: dict[str, AnswerKey], monkeypatch: pytest.MonkeyPatch) -> Graded:
    """Grade what was handed in; the answer key is graded once for all classes of a file."""

    def once(lesson: str, limits: Limits, seed: int, **options: Any) -> AnswerKey:
        name = f"{lesson} {limits.model_dump_json()} {seed} {options['sandboxing']}"
        if name not in keys:
            keys[name] = grade_key(lesson, limits, seed, **options)
        return keys[name]

    monkeypatch.setattr(whole_class, "grade_key", once)

    def run(
        limits: Limits = LIMITS, submissions: list[Submission] | None = None, sandboxing: Sandboxing = best
    ) -> Grades:
        return grade(submissions or find_submissions(tmp_path / "class"), limits, seed=7, sandboxing=sandboxing)

    return run

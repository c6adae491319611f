"""What the expensive tests of a lesson depend on."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.lessons.catalogue import find_lesson

_LESSONS = "py_src/gpucluster/lessons"
_SHARED = tuple(f"tests/lessons/{name}.py" for name in ("closed_site", "conftest", "loopback"))


def expensive_for(lesson: str, *also: str) -> pytest.MarkDecorator:
    """Return the mark of a test that tells something new where this lesson, or what checks all lessons, has changed.

    Also where one of these other places has.
    """
    return pytest.mark.expensive(
        f"notebooks/{find_lesson(lesson).slug}",
        f"{_LESSONS}/checks/lesson_{lesson}_*",
        f"tests/lessons/answers/{lesson}.*",
        f"{_LESSONS}/checks/*.py",
        f"{_LESSONS}/*.py",
        *_SHARED,
        *also,
    )


def seeds(lesson: str, number: int) -> list[Any]:
    """Return so many seeds of hidden inputs: the first in every run, the others where the lesson may have changed."""
    return [0, *(pytest.param(seed, marks=expensive_for(lesson)) for seed in range(1, number))]


def carried_out(lesson: str) -> pytest.MarkDecorator:
    """Return the mark of a test that carries a lesson out, with the magics and widgets in it."""
    packages = ("gauges", "magics", "profiling", "recordings", "widgets")
    return expensive_for(lesson, *(f"py_src/gpucluster/{name}" for name in packages))

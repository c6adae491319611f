"""What the expensive tests of a lesson depend on."""

from __future__ import annotations

from typing import Any

import pytest

from .internals import internals_of

_PACKAGE = "py_src/gpucluster"
_LESSONS = f"{_PACKAGE}/lessons"
_OF_ALL = ("lessons/*.py", "lessons/probes", "lessons/simulations/*.py", "datasets")
_SHARED = (
    *(f"{_PACKAGE}/{place}" for place in (*_OF_ALL, "operating_system")), *internals_of(*_OF_ALL),
    *(f"{_PACKAGE}/protocol/{name}.py" for name in ("errors", "plain_text", "sizes")),
    f"{_PACKAGE}/__init__.py", "pyproject.toml", "requirements/cpu.txt", "tests/*.py",
    *(f"tests/lessons/{name}.py" for name in ("closed_site", "conftest", "loopback")),
)  # fmt: skip
RANKS = f"{_LESSONS}/simulations/ranks"
WITH_RANKS = frozenset({"06", "09", "10", "12"})
"""Lessons whose exercises run ranks of MPI, real or simulated."""
ALGORITHMS = f"{_PACKAGE}/learn"
WITH_ALGORITHMS = frozenset({"05", "06", "07", "08", "10", "15"}) | WITH_RANKS
"""Lessons whose notebooks, checks or answers use ``gpucluster.learn``, as the ranks do."""


def expensive_for(lesson: str, *also: str) -> pytest.MarkDecorator:
    """Return the mark of a test that tells something new where this lesson, or what all lessons need, has changed.

    Also where one of these other places has.
    """
    return pytest.mark.expensive(
        f"{_LESSONS}/course/lesson_{lesson}_*",
        *internals_of(f"lessons/course/lesson_{lesson}_*"),
        *([RANKS, *internals_of("lessons/simulations/ranks")] if lesson in WITH_RANKS else []),
        *([ALGORITHMS, *internals_of("learn")] if lesson in WITH_ALGORITHMS else []),
        *_SHARED,
        *also,
    )


def seeds(lesson: str, number: int) -> list[Any]:
    """Return so many seeds of hidden inputs: the first in every run, the others where the lesson may have changed."""
    return [0, *(pytest.param(seed, marks=expensive_for(lesson)) for seed in range(1, number))]


def carried_out(lesson: str, *also: str) -> pytest.MarkDecorator:
    """Return the mark of a test that carries a lesson out, with magics and widgets; it depends on these places, too."""
    of_lessons = ("figures", "learner_progress", "material", "study")
    others = ("gauges", "magics", "profiling", "recordings", "widgets")
    return expensive_for(
        lesson,
        *(f"{_LESSONS}/{name}" for name in of_lessons),
        *(f"{_PACKAGE}/{name}" for name in others),
        *internals_of(*(f"lessons/{name}" for name in of_lessons), *others),
        *also,
    )


CLUSTERS = (f"{_PACKAGE}/client", *internals_of("client"), f"{_PACKAGE}/protocol")
"""What makes and reaches clusters: each lesson's solution runs again where it has changed, and answers need not."""

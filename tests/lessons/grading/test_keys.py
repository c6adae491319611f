"""The answer key of lesson 06, graded as a class is: all its points, without the cells that only show something.

``runner/test_grader.py`` judges answers to the exercises of all lessons.
"""

from __future__ import annotations

import pytest
from gpucluster.lessons.grading import Limits, Sandboxing
from gpucluster.lessons.grading.answer_key import grade_key


@pytest.mark.timeout(900)
def test_the_key_gets_all_points_without_what_only_shows_something(best: Sandboxing) -> None:
    key = grade_key("06", Limits(), 1, sandboxing=best)
    assert {one.id: one.findings for one in key.grades.values() if one.state != "passed"} == {}, key.notes
    assert not key.every_cell

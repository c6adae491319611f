"""What happens when this machine cannot grade: a result that says so, and the class goes on."""

import errno
import tempfile
from pathlib import Path

import pytest
from gpucluster.lessons.grading import Sandboxing, find_submissions, grade
from gpucluster.lessons.grading.sandbox.folder import Sandbox

from ..conftest import LIMITS, HandIn


def test_a_full_disk_does_not_end_the_class(hand_in: HandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(sandbox: Sandbox) -> None:
        (sandbox.root / "work").mkdir()
        raise OSError(errno.ENOSPC, "No space left on device")

    hand_in("ana")
    hand_in("bo")
    places = tmp_path / "places"
    places.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(places))
    monkeypatch.setattr(Sandbox, "prepare", prepare)
    grades = grade(find_submissions(tmp_path / "class"), LIMITS, seed=7, sandboxing=Sandboxing())
    note = "Its grader could not be started: No space left on device."
    assert [(one.learner, one.status, one.notes) for one in grades.submissions] == [
        ("ana", "stopped", [note]),
        ("bo", "stopped", [note]),
    ]
    assert note in grades.notes[0]
    assert list(places.iterdir()) == []
    places.rmdir()
    grades = grade(find_submissions(tmp_path / "class"), LIMITS, seed=7, sandboxing=Sandboxing())
    assert {one.status for one in grades.submissions} == {"stopped"}

"""A notebook goes through as many kernels as it takes, and no exercise pays for what another one did."""

import errno
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import zmq
from gpucluster.lessons.grading import ExerciseGrade, NotebookGrade
from gpucluster.lessons.grading.job import Job
from gpucluster.lessons.grading.runner import kernel_session as kernel_client
from gpucluster.lessons.grading.runner import notebook_run
from gpucluster.lessons.grading.runner.kernel_session import KernelEnded, KernelSession, Outcome
from gpucluster.lessons.grading.runner.steps import Step
from gpucluster.lessons.grading.sandbox.folder import Sandbox
from gpucluster.lessons.grading.sandbox.keeper import Keeper
from gpucluster.lessons.grading.sandbox.monitor import ResourceMonitor
from jupyter_client.blocking.client import BlockingKernelClient

from ..conftest import LIMITS, RIGHT, Graded, HandIn

pytestmark = pytest.mark.timeout(300)

WITHOUT_MAIN_THREAD = """
import ctypes, os
def assign(*a):  # the kernel's other threads go on
    ctypes.CDLL(None).syscall({"x86_64": 60}.get(os.uname().machine, 93), 0)
"""


@pytest.mark.full
def test_an_answer_that_ends_the_kernel_in_its_check_costs_no_other(
    hand_in: HandIn, graded: Graded, small_lesson: Path
) -> None:
    ends = "import os\ndef partial(*a):\n    os._exit(1)"
    hand_in("ana", "", {**RIGHT, "06.3": ends, "06.4": "def total(parts)\n    return 1"})
    # The last exercise: nothing is left for which another kernel would be of use.
    hand_in("bo", "", {**RIGHT, "06.2": WITHOUT_MAIN_THREAD, "06.3": ends})
    ana, bo = graded().submissions
    assert {one.id: one.points for one in ana.exercises} == {"06.2": 1, "06.3": 0, "06.4": 0}, ana.notes
    ended, invalid = ana.notes
    assert (ana.status, ended) == ("stopped", "The kernel ended in the check of 06.3; restarted.")
    assert "SyntaxError: expected ':'" in invalid
    [finding] = ana.exercises[2].findings  # it was not left empty
    assert (ana.exercises[2].state, finding.expected) == ("failed", "The cell is valid Python")
    assert finding.observed == "SyntaxError: expected ':' (line 1)"
    assert {one.id: one.points for one in bo.exercises} == {"06.2": 0, "06.3": 0, "06.4": 1}, bo.notes
    assert bo.notes == [f"The kernel ended in the check of {number}; restarted." for number in ("06.2", "06.3")]


FILLS = "filled = []\nwhile True:\n    filled.append(bytearray(b'1' * 50_000_000))"


@pytest.mark.full
def test_a_cell_that_fills_the_memory_costs_no_other(hand_in: HandIn, graded: Graded, small_lesson: Path) -> None:
    hand_in("ana", "", {**RIGHT, "06.2": FILLS})
    hand_in("bo", "", {**RIGHT, "06.3": "def partial(*a):\n    " + FILLS.replace("\n", "\n    ")})
    ana, bo = graded().submissions
    assert {one.id: one.points for one in ana.exercises} == {"06.2": 0, "06.3": 1, "06.4": 1}, ana.notes
    assert ana.status == "memory"
    assert [note.partition(": ")[2] for note in ana.notes] == ["it used too much memory; restarted without it."]
    assert {one.id: one.points for one in bo.exercises} == {"06.2": 1, "06.3": 0, "06.4": 1}, bo.notes
    assert (bo.status, bo.notes) == ("memory", ["The kernel ended in the check of 06.3; restarted."])
    assert "your code did not answer: it used too much memory" in bo.exercises[1].findings[-1].observed


@pytest.mark.full
def test_a_cell_that_loops_fails_or_ends_the_kernel_was_not_left_empty(hand_in: HandIn, graded: Graded) -> None:
    hand_in("ana", "", {"06.2": "while True: pass", "06.3": "import os\nos.kill(os.getpid(), 9)", "06.4": "1 / 0"})
    hand_in("bo", "", {})
    ana, bo = graded(LIMITS.model_copy(update={"cell_seconds": 5.0})).submissions
    assert [(one.state, one.points) for one in ana.exercises] == [("failed", 0)] * 3, ana.notes
    assert [(one.findings[0].expected, one.findings[0].observed) for one in ana.exercises] == [
        ("The cell ends within 5 s", "the cell took too long"),
        ("The cell runs without an error", "the kernel has died"),
        ("The cell runs without an error", "ZeroDivisionError: division by zero"),
    ]
    assert {one.state for one in bo.exercises} == {"not_yet"}


class Scripted:
    """A kernel that needs one second per letter of a cell, and ends on request."""

    refused = 0
    clock = 0.0
    begun = 0

    def __init__(self, *_: Any) -> None:
        self.alive = True
        Scripted.begun += 1
        if Scripted.begun <= Scripted.refused:
            raise KernelEnded("it says nothing")

    def run(self, code: str) -> Outcome:
        Scripted.clock += len(code)
        return Outcome()

    def grade(self, exercise: str, _seed: int, _place: str) -> ExerciseGrade:
        Scripted.clock += 10
        self.alive = exercise != "ends"
        return ExerciseGrade(id=exercise, points=1, state="passed")

    def close(self) -> None:
        self.alive = False


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., NotebookGrade]]:
    """Run steps in scripted kernels of which the first ones do not start."""

    def steps_in_kernels(steps: list[Step], refused: int = 0) -> NotebookGrade:
        Scripted.begun, Scripted.refused = 0, refused
        result = NotebookGrade(learner="ana", lesson="06", file="")
        job = Job(notebook=b"", learner="ana", lesson="06", seed=1, limits=LIMITS, places={})
        sandbox = Sandbox(tmp_path, "token")
        monitor = ResourceMonitor(LIMITS, Keeper(sandbox))
        notebook_run.NotebookRun(job, sandbox, steps, monitor, result).run()
        return result

    monkeypatch.setattr(notebook_run, "KernelSession", Scripted)
    monkeypatch.setattr(notebook_run, "monotonic", lambda: Scripted.clock)
    yield steps_in_kernels


def test_a_kernel_that_does_not_start_is_tried_again(run: Callable[..., NotebookGrade]) -> None:
    result = run([Step("x", ("06.2",))], refused=3)
    assert (result.status, [one.points for one in result.exercises]) == ("graded", [1])
    assert result.notes == ["The kernel did not start: it says nothing."] * 3
    result = run([Step("x", ("06.2",))], refused=9)
    assert (result.status, [one.state for one in result.exercises]) == ("stopped", ["not_reached"])
    assert Scripted.begun == 4


def test_no_kernel_is_begun_for_nothing(run: Callable[..., NotebookGrade]) -> None:
    result = run([Step("x", ("06.2",)), Step("x", ("ends",)), Step("x")])
    assert (Scripted.begun, result.notes) == (1, ["The kernel ended in the check of ends."])


def test_how_long_cells_and_checks_take_is_noted(run: Callable[..., NotebookGrade]) -> None:
    slow_cell, slow_check = Step("x" * 12, (), "06.2"), Step("x", ("06.3",), "06.3")
    result = run([Step("x" * 40), slow_cell, Step("", ("06.2",), "06.2"), slow_check])
    assert {one.id: one.seconds for one in result.exercises} == {"06.2": 12, "06.3": 10}
    assert result.longest_seconds == 40


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    with tempfile.TemporaryDirectory(prefix="gg") as root:
        made = Sandbox(Path(root), "token")
        made.prepare()
        monkeypatch.setenv("GPUCLUSTER_DIR", str(made.root / "clusters"))
        yield made


@pytest.mark.full
def test_nothing_is_left_of_a_kernel_that_did_not_start(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise zmq.ZMQError(errno.EMFILE)

    with monkeypatch.context() as patch:
        patch.setattr(BlockingKernelClient, "start_channels", refuse)
        with pytest.raises(KernelEnded, match="Too many open files"):
            KernelSession(sandbox, LIMITS, ResourceMonitor(LIMITS, Keeper(sandbox)))
    assert kernels() == []
    with monkeypatch.context() as patch:
        # A real one may answer on a fast machine, however short the time is.
        silent = Keeper(sandbox, [sys.executable, "-c", "import time; time.sleep(300)"])
        patch.setattr(kernel_client, "_READY_S", 1)
        with pytest.raises(KernelEnded, match="respond"):
            KernelSession(sandbox, LIMITS, ResourceMonitor(LIMITS, silent))
    assert kernels() == []
    session = KernelSession(sandbox, LIMITS, ResourceMonitor(LIMITS, Keeper(sandbox)))
    try:
        assert session.run("x = 1") == Outcome()
        assert len(kernels()) == 1
    finally:
        session.close()


def kernels() -> list[psutil.Process]:
    return [one for one in psutil.Process().children() if "gpucluster.lessons.grading.kernel" in one.cmdline()]

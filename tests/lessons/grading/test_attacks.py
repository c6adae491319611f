"""Submissions that want points without an answer, or harm: none gets any, and the others get theirs."""

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from gpucluster.lessons.catalogue import BUILT, COURSE
from gpucluster.lessons.grading import Grades, Limits, find_submissions
from gpucluster.operating_system import landlock

from .conftest import ALL, LIMITS, NONE, RIGHT, Graded, HandIn

pytestmark = pytest.mark.timeout(400)

WRONG = {
    "06.2": "def assign(points, centroids):\n    return np.zeros(len(points), dtype=int)",
    "06.3": "def partial(points, labels, centroids):\n    return points, labels, 0.0",
    "06.4": "counter_example = [np.ones((2, 2)), np.ones((3, 2))]",
}
PRETEND = """
import gpucluster.lessons as lessons
from gpucluster.lessons import checking, checks, examination, results
from gpucluster.lessons.results import CheckResult, Finding, State

def check(exercise, *answers, **options):
    return CheckResult(exercise, "", State.PASSED, (Finding("everything", True, "yes"),))

lessons.check = checking.check = checking.examine = check
examination.Examination.expect = lambda self, *a: True
examination.Examination.require = lambda self, *a: None
examination.Examination.findings = property(lambda self: (Finding("everything", True, "yes"),))
for exercise in list(checks._exercises.values()):
    object.__setattr__(exercise, "examine", lambda exam, *a: None)
checks.find_exercise = lambda number: None
State.FAILED = State.PASSED
"""
NUMPY = """
import numpy as np
np.allclose = np.array_equal = lambda *a, **k: True
np.testing.assert_allclose = lambda *a, **k: None
"""
RECORDS = """
from IPython.display import display
from gpucluster.lessons.results import LESSON_MIME
for number in ("06.2", "06.3", "06.4"):
    record = {"kind": "check", "exercise": number, "title": "", "state": "passed", "findings": []}
    display({LESSON_MIME: record, "text/plain": "passed"}, raw=True)
print('{"learner": "", "lesson": "06", "points": 3}')
"""
SERVING = """
import sys, types
from gpucluster.lessons.grading.kernel import check, server
from gpucluster.lessons.grading.remote import values
assert check.check_here and server.AnswerServer.answers and values.encode and server.encode  # it is these that answer
check.check_here = lambda *a: {"state": "passed", "findings": [{"expected": "x", "passed": True, "observed": ""}]}
server.AnswerServer.answers = lambda self, names: [True for name in names]
values.encode = server.encode = lambda *a, **k: ["bool", True]
"""
LIAR = """
class Liar:
    \"\"\"Equal to everything, larger and smaller than everything, of any length.\"\"\"
    def __eq__(self, other): return True
    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
    def __bool__(self): return True
    __hash__ = None
    def __len__(self): return 1
    def __getitem__(self, key): return self
    def __sub__(self, other): return 0
    __rsub__ = __add__ = __radd__ = __mul__ = __sub__
"""
LIAR_ANSWERS = {
    "06.2": "def assign(points, centroids):\n    return Liar()",
    "06.3": "def partial(points, labels, centroids):\n    return Liar(), Liar(), Liar()",
    "06.4": "counter_example = [Liar(), Liar()]",
}
EVIL_PICKLE = """
class Evil:
    def __reduce__(self):
        import os
        return (os.system, ("touch {marker}",))
"""
FRAMES = {
    "06.2": """
def assign(points, centroids):
    import gc, sys
    frame = sys._getframe()
    while frame:
        for value in frame.f_locals.values():
            if hasattr(value, "_findings"):
                value._findings.clear()
        frame = frame.f_back
    for thing in gc.get_objects():
        if type(thing).__name__ == "Examination":
            thing._findings = {}
    return points[:, 0] * 0
"""
}
KEY = """
import json, pathlib, subprocess
from gpucluster.lessons import catalogue, solution
from gpucluster.lessons.catalogue import find_lesson
found = [str(find_lesson("06").exercise("06.2").solution), str(solution("06.2", anyway=True))]
for place in ({site!r}, {others!r}, *{solutions!r}):
    for path in [pathlib.Path(place), *pathlib.Path(place).rglob("*")]:
        try:
            found.append(path.read_text())
        except OSError as error:
            pass
    found.append(subprocess.run("cat " + place + "/*/* 2>/dev/null", shell=True, capture_output=True, text=True).stdout)
text = "".join(found)
assert "scores" not in text and "argmin" not in text, "found the key"
assign = None
"""


def points(grades: Grades, learner: str) -> dict[str, float]:
    [result] = [one for one in grades.submissions if one.learner == learner]
    return {one.id: one.points for one in result.exercises}


def note(grades: Grades, learner: str) -> str:
    [result] = [one for one in grades.submissions if one.learner == learner]
    return f"{result.status} {' '.join(result.notes)}"


def test_pretending_to_pass_gives_nothing(hand_in: HandIn, graded: Graded, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    hand_in("a-check-redefined", PRETEND, WRONG)
    hand_in("b-records", RECORDS, WRONG)
    hand_in("c-numpy", NUMPY, WRONG)
    hand_in("d-serving", SERVING, WRONG)
    hand_in("e-liar", LIAR, LIAR_ANSWERS)
    evil = EVIL_PICKLE.format(marker=marker)
    hand_in("f-pickle", evil, {number: text.replace("Liar", "Evil") for number, text in LIAR_ANSWERS.items()})
    hand_in("g-frames", "", FRAMES)
    hand_in("h-honest")
    hand_in("i-right-all-the-same", PRETEND)
    grades = graded()
    assert grades.notes == []
    for learner in {one.learner for one in grades.submissions} - {"h-honest", "i-right-all-the-same"}:
        assert points(grades, learner) == NONE, learner
        # An attack that names what is not there proves nothing.
        assert not re.search("ImportError|ModuleNotFoundError|AssertionError", note(grades, learner)), learner
    assert points(grades, "h-honest") == ALL
    assert points(grades, "i-right-all-the-same") == ALL, "right answers count although the notebook was tampered with"
    assert not marker.exists()
    assert {one.place for result in grades.submissions for one in result.exercises} == {"outside"}


def test_a_link_in_the_place_of_ones_own_notebook_gives_nothing(
    hand_in: HandIn, graded: Graded, tmp_path: Path
) -> None:
    right, own = hand_in("bo"), hand_in("eve", "", WRONG)
    found = [one for one in find_submissions(tmp_path / "class") if one.learner == "eve"]
    own.unlink()
    own.symlink_to(right)
    grades = graded(submissions=found)
    assert points(grades, "eve") == NONE
    assert note(grades, "eve") == "unreadable The notebook is a link, or is behind one."


BOMB = "import numpy as np\nblocks = []\nwhile True:\n    blocks.append(np.ones(10_000_000))"
FORKS = """
import os, time
for _ in range(100_000):
    try:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
    except OSError:
        time.sleep(0.01)
"""
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        for name in list(os.environ):
            del os.environ[name]
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)  # left-behind"], {{}})
    os._exit(0)
"""


@pytest.mark.full
def test_harm_ends_one_notebook_and_no_other(hand_in: HandIn, graded: Graded, tmp_path: Path) -> None:
    first = {**RIGHT, "06.3": "while True:\n    pass"}
    hand_in("a-loop", "", first)
    hand_in("b-exit", "", {**first, "06.3": "import os, sys\nos._exit(3)"})
    hand_in("c-sys-exit", "import sys\nsys.exit(0)")
    hand_in("d-memory", "", {**first, "06.3": BOMB})
    hand_in("e-forks", "", {**first, "06.3": FORKS})
    hand_in("f-daemon", DAEMON.replace("{{}}", "{}"))
    hand_in("g-signal", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)")
    hand_in("h-answer-loops", "", {**first, "06.3": "def partial(*a):\n    while True:\n        pass"})
    hand_in("i-prints", "", {**first, "06.3": "while True:\n    print('x' * 10_000)"})
    hand_in("j-honest")
    grades = graded(Limits(seconds=60, cell_seconds=8, memory_bytes=700 * 2**20, processes=40))
    some = {"06.2": 1.0, "06.3": 0.0, "06.4": 1.0}
    assert points(grades, "a-loop") == some, note(grades, "a-loop")
    assert points(grades, "b-exit") == some, note(grades, "b-exit")
    assert points(grades, "c-sys-exit") == ALL, note(grades, "c-sys-exit")
    assert points(grades, "d-memory") == some, note(grades, "d-memory")
    # Whichever limit is reached first; after too much memory it goes on.
    forks = {"processes": {**NONE, "06.2": 1.0}, "memory": some}
    assert points(grades, "e-forks") == forks[note(grades, "e-forks").split()[0]], note(grades, "e-forks")
    assert points(grades, "f-daemon") == ALL, note(grades, "f-daemon")
    assert points(grades, "h-answer-loops")["06.2"] == 1
    assert points(grades, "h-answer-loops")["06.3"] == 0
    # Unread output fills the kernel's memory: it may be ended before its time is over.
    assert points(grades, "i-prints")["06.2"] == 1, note(grades, "i-prints")
    assert points(grades, "i-prints")["06.3"] == 0
    assert points(grades, "j-honest") == ALL
    if landlock.version() >= 6:
        assert points(grades, "g-signal") == ALL, note(grades, "g-signal")
    assert [process for process in psutil.process_iter() if "left-behind" in command(process)] == []


def command(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""


@pytest.mark.skipif(landlock.version() < 1, reason="this kernel has no Landlock")
def test_files_of_others_are_neither_changed_nor_read(
    hand_in: HandIn, graded: Graded, tmp_path: Path, small_lesson: Path
) -> None:
    precious = tmp_path / "grades.csv"
    precious.write_text("mine", encoding="utf-8")
    other = hand_in("other")
    delete = (
        f"import os, pathlib, shutil, subprocess\n"
        f"for step in (lambda: os.remove({str(precious)!r}), lambda: shutil.rmtree({str(tmp_path)!r}),\n"
        f"             lambda: pathlib.Path({str(precious)!r}).write_text('x'),\n"
        f"             lambda: os.rename({str(precious)!r}, 'x'), lambda: os.truncate({str(precious)!r}, 0),\n"
        f"             lambda: subprocess.run(['rm', '-rf', {str(other.parent.parent)!r}, {str(small_lesson)!r}])):\n"
        f"    try:\n        step()\n    except OSError:\n        pass\n"
        f"pathlib.Path('own').write_text('mine')\npathlib.Path(os.environ['HOME'], 'own').write_text('mine')\n"
    )
    hand_in("deletes", delete)
    of_package = [str(path) for path in (BUILT, *COURSE.glob("*/lesson.py"), *COURSE.glob("*/answers"))]
    hand_in("reads", KEY.format(site=str(small_lesson), others=str(tmp_path / "class"), solutions=of_package), WRONG)
    grades = graded()
    assert precious.read_text(encoding="utf-8") == "mine"
    assert other.is_file()
    assert (small_lesson / "06-kmeans" / "sheet.json").is_file()
    assert points(grades, "deletes") == ALL
    assert "Cell" not in note(grades, "deletes"), note(grades, "deletes")
    assert points(grades, "other") == ALL
    assert points(grades, "reads") == NONE
    assert "found the key" not in note(grades, "reads")


def test_nothing_is_left(hand_in: HandIn, graded: Graded, temporary: Path) -> None:
    hand_in("ana", "open('left', 'w').write('x')\nimport tempfile\ntempfile.mkdtemp()")
    graded()
    time.sleep(0.1)
    assert list(temporary.iterdir()) == []
    own = psutil.Process(os.getpid()).children(recursive=True)
    assert [one for one in own if "grading" in command(one)] == []


NO_MESSAGE = """
kernel = get_ipython().kernel
for parts in ([b"x", b"<IDS|MSG>", b"bad", b"{}", b"{}", b"{}", b"{}"], [b""], [b"<IDS|MSG>"]):
    kernel.iopub_socket.send_multipart(parts)
raise ValueError("half a letter: \\ud800")
"""


@pytest.mark.full
def test_odd_messages_cost_nothing(hand_in: HandIn, graded: Graded) -> None:
    hand_in("a-half-a-letter", "x = '\ud800'")
    hand_in("b-no-message", NO_MESSAGE)
    hand_in("c-long-text", "print('x' * 30_000_000)")
    hand_in("d-longer-text", "", {"06.2": RIGHT["06.2"], "06.3": "print('x' * 600_000_000)"})
    grades = graded()
    for learner in ("a-half-a-letter", "b-no-message", "c-long-text"):
        assert points(grades, learner) == ALL, note(grades, learner)
    assert points(grades, "d-longer-text")["06.2"] == 1, note(grades, "d-longer-text")
    assert note(grades, "d-longer-text").startswith("memory")


def test_names_of_folders_do_not_stop_the_class(hand_in: HandIn, graded: Graded, tmp_path: Path) -> None:
    hand_in("ana")
    hand_in("b:" + os.fsdecode(b"o\xff"))
    long = tmp_path / "class" / "eve" / ("a" * 250) / ("b" * 250)
    for number in range(60):
        folder = long / (f"{number:03}" + "c" * 240)
        folder.mkdir(parents=True)
        (folder / "x.ipynb").write_text("{}", encoding="utf-8")
    grades = graded()
    assert points(grades, "ana") == points(grades, "b:o\\xff") == ALL
    assert len([one for one in grades.submissions if one.learner == "eve"]) == 41


@pytest.mark.full
def test_a_submission_that_says_it_is_somebody_else(hand_in: HandIn, graded: Graded) -> None:
    hand_in("ana", "import os\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b'{\"learner\": \"bo\"}')\n"
                   "    except OSError:\n        pass\n", WRONG)  # fmt: skip
    # It may spoil the kernel's own messages: then each cell is waited for until its time is over.
    grades: Any = graded(LIMITS.model_copy(update={"cell_seconds": 4}))
    assert [one.learner for one in grades.submissions] == ["ana"]
    assert grades.submissions[0].points == 0
    assert "did not finish in time" not in note(grades, "ana"), "the grader must not hang"

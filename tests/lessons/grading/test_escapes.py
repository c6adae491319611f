"""The table of docs/grading.md, kind by kind: what a notebook can reach, attempted for real.

Older versions of Landlock are what they were: nothing is asked for that they did not have.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from gpucluster.lessons.grading import Limits, NotebookGrade, Sandboxing
from gpucluster.lessons.grading.job import Job
from gpucluster.lessons.grading.runner.process import grade_in_runner
from gpucluster.lessons.grading.sandbox.trying import try_out
from gpucluster.operating_system import landlock, seccomp
from gpucluster.operating_system.processes import namespaces_of

from . import escapes
from .conftest import IMAGE

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="the tries have the numbers of this machine's calls"),
]
TABLE = Path(__file__).parents[3] / "docs" / "grading.md"
AS_BEFORE = """
from gpucluster.operating_system import landlock, seccomp
landlock.version = lambda: {version}
if not {version}:
    seccomp.can_filter = lambda: False
    seccomp.restrict = lambda **_: False
"""
COLUMNS = {
    "bubblewrap": (Sandboxing(kind="bubblewrap", apart=True), None),
    "bubblewrap, one": (Sandboxing(kind="bubblewrap"), None),
    "container": (Sandboxing(kind="container", image=IMAGE), None),
    "Landlock 6 to 8": (Sandboxing(), 6),
    "Landlock 3 to 5": (Sandboxing(), 3),
    "Landlock 1, 2": (Sandboxing(), 1),
    "none": (Sandboxing(), 0),
}


def documented() -> dict[str, dict[str, bool]]:
    """The table of the documentation: by kind, whether each row holds."""
    text = TABLE.read_text(encoding="utf-8")
    table = text[text.index("| A notebook that") :].split("\n\n")[0].splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    assert {cell for row in rows for cell in row[1:]} == {"blocked", "possible"}
    named = {text: name for name, text in escapes.ROWS.items()}
    attempts = [(named[attempt], row) for row in rows for attempt in row[0].split("; ")]
    assert sorted(name for name, _ in attempts) == sorted(escapes.ROWS)
    return {
        kind: {name: row[place] == "blocked" for name, row in attempts} for place, kind in enumerate(head[1:], start=1)
    }


@pytest.fixture
def tried(small_lesson: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., NotebookGrade]:
    def run(sandboxing: Sandboxing, version: int | None) -> NotebookGrade:
        if version is not None:
            (tmp_path / "patch").mkdir()
            (tmp_path / "patch" / "sitecustomize.py").write_text(AS_BEFORE.format(version=version), encoding="utf-8")
            monkeypatch.setenv("PYTHONPATH", str(tmp_path / "patch"))
        monkeypatch.setenv("UNTOLD", "yes")
        other = tmp_path / "class" / "bo.ipynb"
        other.parent.mkdir()
        other.write_text("{}", encoding="utf-8")
        solution = small_lesson / "06-kmeans" / "06-kmeans-solution.ipynb"
        with escapes.laid_out(tmp_path, other=str(other), solution=str(solution)) as given:
            job = Job(
                notebook=escapes.notebook(given), learner="eve", lesson="06", seed=1, places={},
                limits=Limits(seconds=100, cell_seconds=60), closed_folders=[other.parent], unprotected=version == 0,
                sandboxing=sandboxing, namespaces=namespaces_of(),
            )  # fmt: skip
            return grade_in_runner(job)

    return run


def test_the_table_has_a_column_for_each_kind() -> None:
    assert list(documented()) == list(COLUMNS)


@pytest.mark.parametrize(
    "sandboxing",
    [Sandboxing(kind="bubblewrap", apart=True), Sandboxing(kind="bubblewrap"), Sandboxing()],
    ids=["bubblewrap", "together", "landlock"],
)
def test_each_sandbox_hides_the_solutions_where_the_lessons_are_now(sandboxing: Sandboxing) -> None:
    if not seccomp.can_filter() or (sandboxing.kind == "landlock" and landlock.version() < 1):
        pytest.skip("needs libseccomp, and Landlock")
    assert "read the solutions" not in try_out(sandboxing).reason


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.full
def test_the_table_says_what_holds(kind: str, tried: Callable[..., NotebookGrade]) -> None:
    sandboxing, version = COLUMNS[kind]
    if not seccomp.can_filter() or landlock.version() < max(version or 0, 6):
        pytest.skip("needs libseccomp, and a newer Landlock")
    if sandboxing.kind != "landlock" and (reason := try_out(sandboxing).reason):
        pytest.skip(reason)
    result = tried(sandboxing, version)
    got = escapes.worked(result.notes)
    assert {name for name, held in documented()[kind].items() if not held} == got
    had = result.protection
    assert had is not None
    assert (had.kind, had.apart) == (sandboxing.kind, sandboxing.apart)
    assert had.fenced == (sandboxing.kind != "landlock")
    assert had.landlock == (landlock.version() if version is None else version)
    assert re.match("bubblewrap|container|Landlock|no Landlock", str(had))

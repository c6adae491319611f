"""What is left out, and when nothing may be."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.suite import record
from tests.suite.areas import ALWAYS, AREAS, ONLY_ON_GPUS, area_of
from tests.suite.changes import RECORD, ROOT, Changes, _files, _files_below, digest, find_changes
from tests.suite.lessons import ALGORITHMS, RANKS, WITH_ALGORITHMS, WITH_RANKS

pytestmark = pytest.mark.processes
TODAY = datetime.now(UTC).date()


def git(root: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a main branch of two commits."""
    git(tmp_path, "init", "-b", "main")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
        git(tmp_path, "add", name)
        git(tmp_path, "commit", "-m", name)
    return tmp_path


def test_a_branch_is_compared_with_where_it_left_the_main_one(repository: Path) -> None:
    git(repository, "switch", "-c", "mine")
    (repository / "ünïcode name.txt").write_text("new")
    git(repository, "mv", "a.txt", "moved.txt")
    git(repository, "commit", "-m", "moved")
    (repository / "b.txt").write_text("not committed")
    assert find_changes(repository).paths == ("a.txt", "b.txt", "moved.txt", "ünïcode name.txt")


def test_on_the_main_branch_nothing_is_left_out(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is submitted may be many commits: the last one says nothing about those before it."""
    assert find_changes(repository).paths is None
    assert find_changes(repository, since="HEAD^").paths == ("b.txt",)
    assert find_changes(repository, since="HEAD").paths == ()
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", f"file://{repository}", ".")
    assert find_changes(clone).paths is None
    (clone / "c.txt").write_text("c")
    git(clone, "add", "c.txt")
    git(clone, "commit", "-m", "c")
    assert find_changes(clone).paths == ("c.txt",), "what is not pushed yet"


REPORT = """<testsuites><testsuite>
<testcase name="passes"><properties><property name="expensive" value="a.txt sub"/></properties></testcase>
<testcase name="too"><properties><property name="expensive" value="a.txt sub"/></properties></testcase>
<testcase name="passes"><properties><property name="expensive" value="b.txt"/></properties></testcase>
<testcase name="fails"><properties><property name="expensive" value="b.txt"/></properties><failure/></testcase>
<testcase name="cheap"/>
</testsuite></testsuites>"""


def test_on_the_main_branch_what_has_passed_with_the_same_files_is_left_out(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def touched(*places: str) -> bool:
        digest.cache_clear()
        return find_changes(repository).touch(places)

    report = tmp_path_factory.mktemp("report") / "report.xml"
    report.write_text(REPORT)
    (repository / RECORD).parent.mkdir(parents=True)
    assert record.write(repository, report) == 1
    git(repository, "add", ".")
    git(repository, "commit", "-m", "passed")
    assert not touched("a.txt", "sub")
    assert find_changes(repository).can_tell
    assert touched("b.txt"), "one of them has failed"
    assert touched("a.txt"), "nobody knows this group"
    (repository / "a.txt").write_text("changed")
    assert touched("a.txt", "sub")
    (repository / "a.txt").write_text("a.txt")
    assert not touched("a.txt", "sub")
    report.write_text(REPORT.replace('value="a.txt sub"', 'value="b.txt sub"'))
    assert record.write(repository, report) == 1
    assert not touched("a.txt", "sub"), "a later run says nothing of it"
    assert not touched("b.txt", "sub")
    report.write_text(REPORT.replace('value="b.txt"', 'value="b.txt sub"'))
    assert record.write(repository, report) == 1
    assert touched("b.txt", "sub"), "it has failed since"
    written = json.loads((repository / RECORD).read_text())["passed"]
    old = {name: ["2026-01-01", found] for name, (_, found) in written.items()}
    (repository / RECORD).write_text(json.dumps({"passed": old}))
    assert touched("a.txt", "sub"), "too long ago"
    assert not find_changes(repository).can_tell


def test_what_a_commit_has_passed_with_is_left_out_where_it_is_still_the_same(repository: Path) -> None:
    (repository / "b.txt").write_text("changed since")
    (repository / RECORD).parent.mkdir(parents=True)
    slurm = "tests/backends/slurm/test_slurm.py"
    assert record.write_landed(repository, "HEAD", TODAY, ["a.txt sub", "b.txt sub", slurm]) == 1
    digest.cache_clear()
    changes = find_changes(repository)
    assert changes.can_tell
    assert not changes.touch(("a.txt", "sub"))
    assert changes.touch(("b.txt", "sub"))
    assert changes.touch((slurm,)), "a bare machine has no Slurm"
    with pytest.raises(ValueError, match="cannot compare with nothing"):
        record.write_landed(repository, "nothing", TODAY, ["a.txt"])


def test_all_groups_are_found_by_collecting() -> None:
    groups = "collected_groups('tests/suite', 'tests/site')"
    find = f"from tests.suite.record import collected_groups; print(*{groups}, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", find], cwd=ROOT, check=True, capture_output=True, text=True)
    found = {Path(file).parent.name for file in re.findall(r"^tests/\S+", done.stdout, re.MULTILINE)}
    assert found == {"site"}


def test_a_new_file_below_a_place_is_a_change(repository: Path) -> None:
    before = digest(repository, ("sub", "a.txt"))
    (repository / "sub").mkdir()
    (repository / "sub" / "new.txt").write_text("new")
    for known in (_files, _files_below, digest):
        known.cache_clear()
    assert digest(repository, ("sub", "a.txt")) not in {before, None}


def test_nothing_is_left_out_where_nobody_can_tell(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    shallow = tmp_path_factory.mktemp("clone")
    git(shallow, "clone", "--depth", "1", f"file://{repository}", ".")
    for changes in (
        find_changes(shallow),
        find_changes(tmp_path_factory.mktemp("none")),
        find_changes(since="nothing"),
    ):
        assert changes.paths is None
        assert changes.touch(("anything",))


@pytest.mark.parametrize(
    ("place", "touched"),
    [("docs", True), ("docs/a.md", True), ("docs/*.md", True), ("doc", False), ("a.md", False), ("*.md", False),
     ("docs/b*", True), ("docs/*.txt", False), ("b/c.txt", False)],
)  # fmt: skip
def test_places(place: str, touched: bool) -> None:
    assert Changes(("docs/a.md", "docs/b/c.txt"), "abc").touch((place,)) is touched


def test_what_only_gpus_run_touches_only_who_names_it() -> None:
    kernel = Changes((f"{ONLY_ON_GPUS}/lloyd.cu",), "abc")
    assert kernel.touch((ONLY_ON_GPUS,))
    assert not kernel.touch(("py_src/gpucluster/learn", "docs"))
    assert not kernel.touch(area_of("tests/lessons/test_datasets.py")[1])
    assert kernel.touch(area_of("tests/learn/kernels/test_kernels_of_gpus.py")[1])


def test_areas_name_what_is_there() -> None:
    """A place that was renamed would be one that no change touches any more."""
    for area, places in AREAS.items():
        assert (ROOT / area).exists(), area
        assert [place for place in places if not _files_below(ROOT, place)] == [], area
    assert all((ROOT / test.partition("::")[0]).is_file() for test in ALWAYS)


def test_lessons_that_run_ranks_depend_on_them() -> None:
    checks = ROOT / "py_src" / "gpucluster" / "lessons" / "checks"
    found = {
        file.parent.name.split("_")[1]
        for file in checks.glob("lesson_*/*.py")
        if re.search(r"simulations\.ranks|run_mpi", file.read_text(encoding="utf-8"))
    }
    assert found <= WITH_RANKS
    assert (ROOT / RANKS).is_dir()


def test_lessons_that_use_algorithms_depend_on_them() -> None:
    """Also by way of what the lessons share: only what these modules of it offer uses the algorithms."""
    named = re.compile(r"\bgpucluster\.learn\b|\bfrom gpucluster import .*\blearn\b|\bfrom \.+learn\b|probes\.messages")
    number = re.compile(r"lesson_(\d\d)")
    found = {
        number.search(file.as_posix()).group(1)  # type: ignore[union-attr]  # each of these folders has a number
        for file in ROOT.glob("py_src/gpucluster/lessons/course/lesson_*/**/*.py")
        if named.search(file.read_text(encoding="utf-8"))
    }
    assert found | WITH_RANKS == WITH_ALGORITHMS
    assert (ROOT / ALGORITHMS).is_dir()
    imported = re.compile(
        r"^\s*(from (\.+|gpucluster\.)learn\b|from (\.+|gpucluster) import .*\blearn\b|import gpucluster\.learn\b)",
        re.MULTILINE,
    )
    packages = [*ROOT.glob("py_src/gpucluster/lessons/**/*.py"), *ROOT.glob("py_src/gpucluster/datasets/**/*.py")]
    shared = {
        file.relative_to(ROOT / "py_src/gpucluster").as_posix()
        for file in packages
        if "/checks/lesson_" not in file.as_posix() and imported.search(file.read_text(encoding="utf-8"))
    }
    assert {file for file in shared if "simulations/ranks/" not in file} == {"lessons/probes/messages.py"}


def test_a_file_of_an_area_depends_on_what_is_listed_for_it() -> None:
    area, places = area_of("tests/browser/test_views.py")
    assert area == "tests/browser"
    assert Changes(("labextension/src/index.ts",), "abc").touch(places)
    assert not Changes(("docs/panel.md", "tests/cli/test_life.py"), "abc").touch(places)
    assert area_of("tests/browser/test_panel.py") == area_of("tests/supervisor/test_life.py") == ("", ())
    assert area_of("tests/lessons/grading/test_attacks.py")[0] == "tests/lessons/grading", "the narrowest"
    assert area_of("tests/test_demo.py")[0] == "tests/test_demo.py"

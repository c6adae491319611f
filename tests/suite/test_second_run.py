"""Files with a failed test are run once more, where that can help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.suite import second_run
from tests.suite.second_run import MOST_FILES, failed_files, main

STORY = """
from pathlib import Path
import pytest

@pytest.fixture(scope="module")
def story():
    return []

def test_begins(story):
    story.append("begun")

class TestItsEnd:
    @pytest.mark.parametrize("how", ["well", "badly"])
    def test_ends(self, story, how):
        seen = Path(__file__).with_name("seen")
        first = not seen.exists()
        seen.touch()
        assert story == ["begun"] and not (first or {always})
"""


def _run(root: Path) -> Path:
    """Run all tests below a folder; return the report."""
    report = root / "report.xml"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", "."]
    subprocess.run(words, cwd=root, capture_output=True, check=False)
    return report


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own project without the options of this one, and without those of continuous integration."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(second_run.ROOT))
    monkeypatch.setattr(second_run, "ROOT", tmp_path)
    return tmp_path


@pytest.mark.processes
@pytest.mark.parametrize("always", [False, True])
def test_a_story_is_told_from_its_beginning(root: Path, always: bool, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "tests").mkdir()
    (root / "tests" / "__init__.py").touch()
    (root / "tests" / "test_story.py").write_text(STORY.format(always=always))
    (root / "tests" / "test_fine.py").write_text("def test_fine(): pass\n")
    report = _run(root)
    assert failed_files(report, root) == ["tests/test_story.py"]
    assert main(report, ["-q"]) == (1 if always else 0)
    assert ("2 failed, 1 passed" if always else "3 passed") in capfd.readouterr().out


@pytest.mark.processes
def test_what_is_no_hiccup_is_not_run_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(root / "report.xml", []) == 2, "the first run was killed"
    for number in range(MOST_FILES + 1):
        (root / f"test_{number}.py").write_text("def test_fails(): assert False\n")
    assert main(_run(root), []) == 1
    assert f"{MOST_FILES + 1} files failed" in capsys.readouterr().out


def test_what_is_in_no_file_is_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.xml"
    for case in ('<testcase classname="" name="x"><error/></testcase>', '<testcase classname="a.b" name="x"/>'):
        report.write_text(f"<testsuites><testsuite>{case}</testsuite></testsuites>")
        assert main(report, []) == 1
    assert "not a test failed" in capsys.readouterr().out

"""The table and the page: every notebook and exercise; what learners write is no formula and no HTML."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

import pytest
from gpucluster.lessons.grading import ExerciseGrade, Grades, Limits, NotebookGrade, html_report, table_text
from gpucluster.lessons.grading.model import Property

EVIL = '<script>alert(1)</script><img src=x onerror="x">'


def grades() -> Grades:
    wrong = Property(expected="One label per point", passed=False, observed=EVIL)
    passed = ExerciseGrade(id="06.2", title="Nearest", points=1, state="passed", findings=[Property(
        expected="x", passed=True, observed="y")])  # fmt: skip
    failed = ExerciseGrade(id="06.10", title="Photo", state="failed", findings=[wrong], place="inside")
    not_counted = ExerciseGrade(id="06.9", of=0, state="ungraded")
    first = NotebookGrade(learner="=HYPERLINK(1)", lesson="06", file="a.ipynb", exercises=[failed, passed, not_counted],
                          points=1, of=2, seconds=12.3, peak_bytes=812_345_678, notes=[EVIL, "two\nlines"])  # fmt: skip
    second = NotebookGrade(learner="+bo", lesson="05", file="b.ipynb", status="unreadable")
    return Grades(graded_at="2026-11-21T10:00:00Z", version="1", seed=7, limits=Limits(), submissions=[first, second],
                  notes=["A note."])  # fmt: skip


def test_the_table_has_a_row_per_notebook_and_a_column_per_exercise() -> None:
    rows = list(csv.DictReader(io.StringIO(table_text(grades()))))
    assert list(rows[0])[:8] == ["learner", "lesson", "points", "of", "status", "06.2", "06.9", "06.10"]
    assert (rows[0]["06.2"], rows[0]["06.9"], rows[0]["06.10"]) == ("1", "", "0")
    assert (rows[0]["points"], rows[0]["of"], rows[0]["seconds"], rows[0]["peak_megabytes"]) == (
        "1",
        "2",
        "12.3",
        "812",
    )
    assert rows[0]["learner"] == "'=HYPERLINK(1)"
    assert rows[1]["learner"] == "'+bo"
    assert rows[0]["notes"].endswith("two lines")
    assert (rows[1]["status"], rows[1]["06.2"]) == ("unreadable", "")


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("a;=1+1", "a;'=1+1"), ("a;+1", "a;'+1"), ("a; -1", "a; '-1"), ("a;@x", "a;'@x"), ("＝1", "'＝1"),
        ("＠x", "'＠x"), ("\t=1", "'=1"), ("a-b = c", "a-b = c"), ('"x', '"x'),
    ],
)  # fmt: skip
def test_no_cell_is_a_formula_wherever_it_is_split(given: str, written: str) -> None:
    made = grades()
    made.submissions[0].learner = given
    text = table_text(made)
    row = next(csv.reader(io.StringIO(text.split("\r\n", 1)[1])))
    assert row[0] == written
    assert all(line.startswith('"') and line.endswith('"') for line in text.splitlines())


def test_why_a_lesson_counts_for_nobody_is_in_the_table() -> None:
    made = grades()
    made.notes = ["Lesson 06: the answer key does not pass here.", "Lesson 07: something else."]
    first, second = csv.DictReader(io.StringIO(table_text(made)))
    assert first["notes"].endswith("two lines Lesson 06: the answer key does not pass here.")
    assert second["notes"] == ""


def test_the_page_escapes_what_learners_write() -> None:
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.append(tag)  # type: ignore[method-assign]
    text = html_report(grades())
    parser.feed(text)
    assert "script" not in tags
    assert "img" not in tags
    assert "&lt;script&gt;" in text
    assert "default-src 'none'" in text
    assert "Checked inside the learner&#x27;s kernel" in text or "Checked inside the learner's kernel" in text
    assert "1 of 1 properties" in text
    assert "seed 7" in text

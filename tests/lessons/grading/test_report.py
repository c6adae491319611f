"""The table and the page: every notebook and exercise; what learners write is no formula and no HTML."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest
from gpucluster.lessons.grading import (
    ExerciseGrade,
    Grades,
    Limits,
    NotebookGrade,
    exercise_table_text,
    html_report,
    learner_page,
    table_text,
)
from gpucluster.lessons.grading.grades import Property, Protection
from gpucluster.lessons.grading.report import file_names
from pydantic import ValidationError

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
        "1", "2", "12.3", "812",
    )  # fmt: skip
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


def test_what_a_terminal_would_obey_is_written_out_everywhere() -> None:
    obeyed = '\x1b[31m\x1b]0;PWNED\x07\u202e=HYPERLINK(1)\n"x",<b>bold</b>\x00 \ud800 end'
    wrong = Property(expected=obeyed, passed=False, observed=f"{obeyed}{chr(27) * 3_000}")
    made = grades()
    made.submissions[0] = NotebookGrade(
        learner="ana", lesson="06", file="a.ipynb", notes=[f"={obeyed}"],
        exercises=[ExerciseGrade(id="06.2", state="failed", message=obeyed, findings=[wrong])],
    )  # fmt: skip
    made = Grades.model_validate_json(made.model_dump_json())  # as it comes from a runner
    texts = [
        table_text(made),
        exercise_table_text(made),
        html_report(made),
        *(learner_page(made, one.learner) for one in made.submissions),
    ]
    assert all("[31m" in text for text in texts[:3])
    for text in texts:
        assert not re.search("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text)
    row = next(csv.DictReader(io.StringIO(table_text(made))))
    assert row["notes"] == '\'=\\x1b[31m\\x1b]0;PWNED\\x07\\u202e=HYPERLINK(1) "x",<b>bold</b>\\x00 \\ud800 end'


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


def test_the_page_says_what_fails_most_and_of_errors_which() -> None:
    made = grades()
    findings = [Property(expected="It runs without an error", passed=False, observed="ValueError: no (in f, line 2)")]
    for learner in ("cy", "dee"):
        wrong = ExerciseGrade(id="06.10", title="Photo", state="failed", findings=findings)
        made.submissions.append(NotebookGrade(learner=learner, lesson="06", file="", exercises=[wrong], of=1))
    page = html_report(made)
    row = page[page.index("<td>06.10 Photo") :]
    assert row.startswith(
        "<td>06.10 Photo</td><td>0 of 3</td>"
        "<td>2 × It runs without an error: ValueError<br>1 × One label per point</td></tr>"
    )
    assert "06.9" not in page[page.index("<h2>Exercises") : page.index('<h2 id="n0"')], "it gives no one points"


def test_notebooks_of_one_learner_and_lesson_are_told_apart() -> None:
    made = grades()
    for file in ("ana/one.ipynb", "ana/two.ipynb"):
        made.submissions.append(NotebookGrade(learner="ana", lesson="06", file=file))
    page = html_report(made)
    for text in ("ana (ana/one.ipynb)</a>", "ana (ana/two.ipynb)</a>", "ana (ana/two.ipynb), lesson 06", "+bo</a>"):
        assert text in page


def test_a_notebook_of_an_unknown_lesson_has_unknown_points() -> None:
    made = grades()
    made.submissions = [NotebookGrade(learner="cy", lesson="unknown", file="cy/x.ipynb", status="unreadable")]
    [row] = csv.DictReader(io.StringIO(table_text(made)))
    assert (row["lesson"], row["points"], row["of"]) == ("unknown", "0", "unknown")
    assert "cy, lesson unknown: 0 of unknown" in html_report(made)


def test_the_page_says_what_held_notebooks_back_and_what_did_not() -> None:
    made = grades()
    made.submissions[0].protection = Protection(landlock=9, system_calls=True, no_rights=True)
    assert "Isolation of the notebooks: Landlock 9, a seccomp filter. It could read other files" in html_report(made)
    fenced = Protection(kind="bubblewrap", namespaces=["user", "mnt", "pid", "net", "ipc"], apart=True, landlock=7)
    made.submissions[0].protection = fenced
    kind = "bubblewrap (namespaces: user, mnt, pid, net, ipc), Landlock 7, no seccomp filter"
    assert f"Isolation of the notebooks: {kind}, special rights of the superuser.</li>" in html_report(made)
    assert list(csv.DictReader(io.StringIO(table_text(made))))[0]["sandbox"] == "bubblewrap+landlock7"
    made.submissions[0].protection = Protection(no_rights=True)
    page = html_report(made)
    assert "no Landlock, no seccomp filter. It could read all files of this account, change them" in page
    assert "It could change modes and times of files" in page


def several_wrong() -> Grades:
    """Five properties fail, in four, three, two, one and one of four notebooks."""
    made = grades()
    made.submissions = []
    for number, learner in enumerate(("ana", "bo", "cy", "dee")):
        findings = [
            Property(expected=f"Property {one}", passed=number >= learners, observed=f"{learner} {one}")
            for one, learners in enumerate((4, 3, 2, 1, 1))
        ]
        wrong = ExerciseGrade(id="06.10", title="Photo", state="failed", findings=findings)
        right = ExerciseGrade(id="06.2", title="Nearest", points=1, state="passed")
        empty = ExerciseGrade(id="06.3", title="Sums", state="not_yet")
        made.submissions.append(
            NotebookGrade(learner=learner, lesson="06", file=f"{learner}.ipynb", exercises=[wrong, right, empty], of=3,
                          points=1, protection=Protection(no_rights=True))
        )  # fmt: skip
    return made


def test_the_page_shows_three_reasons_and_the_rest_on_a_click() -> None:
    page = html_report(several_wrong())
    row = page[page.index("<td>06.10 Photo") :]
    assert row.startswith(
        "<td>06.10 Photo</td><td>0 of 4</td><td>4 × Property 0<br>3 × Property 1<br>2 × Property 2"
        "<details><summary>2 more</summary>1 × Property 3<br>1 × Property 4</details></td></tr>"
    )


def test_the_table_of_exercises_has_a_row_for_each_property_that_failed() -> None:
    rows = list(csv.DictReader(io.StringIO(exercise_table_text(several_wrong()))))
    assert [row["exercise"] for row in rows] == ["06.2", "06.3"] + ["06.10"] * 5
    right, empty, *wrong = rows
    assert (right["right"], right["of"], right["property"], right["failed"]) == ("4", "4", "", "0")
    assert (empty["right"], empty["property"], empty["failed"], empty["failed_percent"]) == (
        "0", "left empty", "4", "100",
    )  # fmt: skip
    assert [(row["property"], row["failed"], row["failed_percent"]) for row in wrong] == [
        ("Property 0", "4", "100"), ("Property 1", "3", "75"), ("Property 2", "2", "50"),
        ("Property 3", "1", "25"), ("Property 4", "1", "25"),
    ]  # fmt: skip


def test_no_cell_of_the_table_of_exercises_is_a_formula() -> None:
    made = several_wrong()
    made.submissions[0].exercises[0].findings[0].expected = "=HYPERLINK(1)"
    text = exercise_table_text(made)
    assert "'=HYPERLINK(1)" in text
    assert '"=HYPERLINK' not in text


def test_a_learners_page_has_what_is_theirs_and_nothing_of_others() -> None:
    made = several_wrong()
    made.submissions.append(NotebookGrade(learner="bo", lesson="05", file="bo/05.ipynb", status="unreadable"))
    page = learner_page(made, "bo")
    for text in ("<h1>bo</h1>", "Lesson 06: 1 of 3", "bo 0", "2 of 5 properties", 'hint("06.10")', "cannot be read"):
        assert text in page
    for other in ("ana", "cy", "dee"):
        assert not re.search(rf"\b{other}\b", page)
    assert "Landlock" not in page
    assert "Continue with 06.10 Photo" in page, "an answer that is there comes before one that is not"
    assert 'hint("06.2")' not in page, "it has its point"


def test_who_handed_in_what_cannot_be_read_is_not_told_to_ask_for_hints() -> None:
    made = several_wrong()
    assert "hint(" in learner_page(made, "bo")
    for one in made.submissions:
        one.status = "unreadable"
    assert "hint(" not in learner_page(made, "bo")


def test_a_learners_page_escapes_what_they_write() -> None:
    made = grades()
    made.submissions[0].learner = EVIL
    page = learner_page(made, EVIL)
    assert file_names([EVIL]) == {EVIL: "script-alert-1-script-img-src-x-onerror-x.html"}
    assert "<script" not in page
    assert "<img" not in page
    assert "default-src 'none'" in page


def test_files_of_learners_are_told_apart_and_stay_in_their_folder() -> None:
    names = ["../../etc/passwd", "ana (ana/)", "Ana ana", "ana-ana", "…", "", "x" * 500]
    assert list(file_names(names).values()) == [
        "etc-passwd.html", "ana-ana.html", "Ana-ana-2.html", "ana-ana-3.html", "learner.html", "learner-2.html",
        "x" * 200 + ".html",
    ]  # fmt: skip
    assert [len(name.encode()) for name in file_names(["é" * 500, "a" + "雷" * 500]).values()] == [205, 204]


def test_long_texts_are_refused_and_those_that_become_long_are_cut() -> None:
    for name, most in (("expected", 2_000), ("observed", 4_000)):
        texts = {"expected": "", "observed": "", name: "\x00" * most}
        found = Property(passed=False, **texts)  # type: ignore[arg-type]
        assert len(getattr(found, name)) == most
        assert Property.model_validate(found.model_dump()) == found, "it is read again when grading goes on"
        with pytest.raises(ValidationError):
            Property(passed=False, **{**texts, name: "x" * (most + 1)})  # type: ignore[arg-type]

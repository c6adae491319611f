"""Which notebooks are graded, whose they are, and where in them exercises are graded."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.grading import Limits, find_submissions, missing_notes
from gpucluster.lessons.grading.job import Job
from gpucluster.lessons.grading.notebooks import LARGEST_NOTEBOOK, read_notebook
from gpucluster.lessons.grading.runner.steps import steps_of
from gpucluster.lessons.grading.submissions import closed_folders
from gpucluster.protocol.errors import InvalidRequest


def put(path: Path, lesson: str | None = "06", cells: list[Any] | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"gpucluster": {"lesson": lesson}} if lesson else {}
    book = {"cells": cells or [], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book), encoding="utf-8")
    return path


def test_who_handed_in_what(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "06-kmeans.ipynb")
    put(tmp_path / "ana" / "deep" / "er" / "my 06.ipynb")
    put(tmp_path / "bo-06-kmeans.ipynb")
    put(tmp_path / "Cy" / "06-kmeans.ipynb", lesson=None)
    put(tmp_path / "x\x1b[31my" / "06-kmeans.ipynb")
    for name in (
        ".hidden/a.ipynb",
        "ana/.ipynb_checkpoints/a.ipynb",
        "ana/06-kmeans.backup-1/a.ipynb",
        "a/b/c/d/e/f.ipynb",
    ):
        put(tmp_path / name)
    (tmp_path / "ana" / "notes.txt").write_text("x", encoding="utf-8")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "bo-06-kmeans.ipynb")
    found = find_submissions(tmp_path)
    assert [(one.learner, one.path.name, one.problem) for one in found] == [
        ("ana", "06-kmeans.ipynb", ""),
        ("ana", "my 06.ipynb", ""),
        ("bo", "bo-06-kmeans.ipynb", ""),
        ("Cy", "06-kmeans.ipynb", ""),
        ("x?[31my", "06-kmeans.ipynb", ""),
    ]
    assert {one.lesson for one in found} == {"06"}


def test_who_gets_no_row_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    (folder / "empty" / "deep").mkdir(parents=True)
    with pytest.raises(InvalidRequest, match="the folder has no notebook: empty"):
        find_submissions(folder)
    put(folder / "ana" / "06-kmeans.ipynb")
    put(folder / ".hidden" / "06-kmeans.ipynb")
    assert missing_notes(folder) == ["No row, because the folder has no notebook: empty."]
    (folder / "bo").symlink_to(folder / "ana")
    (folder / "cy\x1b[31m").symlink_to(tmp_path / "nowhere")
    (folder / "dee").mkdir()
    (folder / "dee" / "06-kmeans.ipynb").symlink_to(folder / "ana" / "06-kmeans.ipynb")
    (folder / "ana" / "data").symlink_to(tmp_path)
    (folder / "readme.txt").write_text("x", encoding="utf-8")
    (folder / "readme").symlink_to("readme.txt")
    for number in range(11):
        (folder / f"f{number:02}{'x' * 200}").mkdir()
    (folder / "empty").rename(folder / "e")
    linked, empty = missing_notes(folder)
    assert linked == "Not graded, as links are not followed: bo, cy?[31m, dee/06-kmeans.ipynb."
    assert empty.startswith("No row, because the folder has no notebook: e, f00xxx")
    assert empty.endswith("xxx… and 2 others.")
    assert len(empty) < 1_100


def test_what_cannot_be_graded_is_named(tmp_path: Path) -> None:
    put(tmp_path / "a" / "x.ipynb", lesson="99")
    put(tmp_path / "b" / "x.ipynb", lesson=None)
    (tmp_path / "c").mkdir()
    for name, text in {"c": "{", "d": "[]", "e": '{"cells": [1]}', "f": "[" * 10_000}.items():
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "06-kmeans.ipynb").write_text(text, encoding="utf-8")
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "06-kmeans.ipynb").write_bytes(b" " * (LARGEST_NOTEBOOK + 1))
    problems = {one.learner: one.problem for one in find_submissions(tmp_path)}
    assert problems["a"] == problems["b"] == "it does not belong to any lesson"
    assert {problems[name] for name in "cdef"} == {"it is not a notebook"}
    assert problems["g"] == "it is larger than 30 MiB"


@pytest.mark.timeout(60)
def test_a_pipe_stops_nobody(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "06-kmeans.ipynb")
    (tmp_path / "eve").mkdir()
    os.mkfifo(tmp_path / "eve" / "06-kmeans.ipynb")
    found = {one.learner: one.problem for one in find_submissions(tmp_path)}
    assert found == {"ana": "", "eve": "it is not a plain file"}


def test_no_link_is_followed_that_comes_up_later(tmp_path: Path) -> None:
    for name in ("bo/06-kmeans.ipynb", "eve/06-kmeans.ipynb", "eve/deep/06-kmeans.ipynb"):
        put(tmp_path / "class" / name)
    (tmp_path / "link").symlink_to(tmp_path / "class")  # the instructor's own link is followed
    [bo, plain, deep] = find_submissions(tmp_path / "link")
    assert (bo.problem, plain.problem, deep.problem) == ("", "", "")
    plain.path.unlink()
    plain.path.symlink_to(bo.path)
    deep.path.parent.rename(tmp_path / "aside")
    deep.path.parent.symlink_to(bo.path.parent)
    assert read_notebook(bo.path, bo.root)["cells"] == []
    for one in (plain, deep):
        with pytest.raises(ValueError, match="is a link, or is behind one"):
            read_notebook(one.path, one.root)


def test_names_of_any_bytes_are_told_apart(tmp_path: Path) -> None:
    folder = bytes(tmp_path)
    for name in (b"eve\xff", b"eve\xfe", b"a:b", b"c\n"):
        put(Path(os.fsdecode(folder + b"/" + name)) / os.fsdecode(b"06-\xff.ipynb"))
    found = find_submissions(tmp_path)
    assert [one.learner for one in found] == ["a:b", "c?", "eve\\xfe", "eve\\xff"]
    assert found[3].file == "eve\\xff/06-\\xff.ipynb"
    for one in found:
        json.dumps([one.learner, one.file], ensure_ascii=False).encode()
        job = Job(
            notebook=bytes(range(256)), learner=one.learner, lesson="06", seed=1, limits=Limits(), places={},
            closed_folders=[one.path],
        )  # fmt: skip
        assert Job.of(job.text().encode().decode()) == job


def test_a_learner_hands_in_so_many_notebooks_at_most(tmp_path: Path) -> None:
    for number in range(60):
        put(tmp_path / "eve" / f"{number:02}.ipynb")
    put(tmp_path / "ana" / "06-kmeans.ipynb")
    found = find_submissions(tmp_path)
    assert [one.learner for one in found if not one.problem] == ["ana"] + ["eve"] * 40
    [rest] = [one for one in found if one.problem]
    assert rest.problem == "this learner handed in 60 notebooks; this one and 19 others were left out"


def test_what_is_closed_to_submissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUCLUSTER_DIR", str(tmp_path / "clusters"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "session"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    # The account's usual registry as well: its clusters may have been made without the variable.
    own = {tmp_path / name for name in ("clusters", "runtime", "session", "home/.local/share/jupyter/runtime")}
    own.add(Path(f"/tmp/gpucluster-{os.getuid()}"))
    put(tmp_path / "class" / "ana" / "06-kmeans.ipynb")
    put(tmp_path / "class" / "bo-06-kmeans.ipynb")
    found = find_submissions(tmp_path / "class")
    assert set(closed_folders(found)) == {*own, tmp_path / "class"}
    # Closing a folder that Python needs would end every kernel.
    monkeypatch.setattr("sys.prefix", str(tmp_path / "class" / "python"))
    ana, bo = (tmp_path / "class" / name for name in ("ana", "bo-06-kmeans.ipynb"))
    assert set(closed_folders(found)) == {*own, ana, bo}


def test_a_broken_notebook_belongs_to_the_lesson_that_its_name_says(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "06-kmeans" / "mine.ipynb").write_text("{", encoding="utf-8")
    put(tmp_path / "bo-06-kmeans.ipynb").write_text("{", encoding="utf-8")
    put(tmp_path / "cy" / "mine.ipynb").write_text("{", encoding="utf-8")
    put(tmp_path / "dee" / "06-kmeans.ipynb", lesson="no such")
    found = find_submissions(tmp_path)
    assert [(one.learner, one.lesson, one.problem) for one in found] == [
        ("ana", "06", "it is not a notebook"),
        ("bo", "06", "it is not a notebook"),
        ("cy", "unknown", "it is not a notebook"),
        ("dee", "06", ""),
    ]
    # It may belong to the requested lesson: it is not skipped silently.
    assert [one.learner for one in find_submissions(tmp_path, "06")] == ["ana", "bo", "cy", "dee"]


def test_learners_of_one_name_are_told_apart(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "06-kmeans.ipynb")
    put(tmp_path / "ana" / "05-flights.ipynb", lesson="05")
    put(tmp_path / "Ana-06-kmeans.ipynb")
    put(tmp_path / "bo-05-flights.ipynb", lesson="05")
    put(tmp_path / "bo-06-kmeans.ipynb")
    assert [(one.learner, one.lesson) for one in find_submissions(tmp_path)] == [
        ("Ana (Ana-06-kmeans.ipynb)", "06"),
        ("ana (ana/)", "05"),
        ("ana (ana/)", "06"),
        ("bo", "05"),
        ("bo", "06"),
    ]


def test_only_one_lesson(tmp_path: Path) -> None:
    put(tmp_path / "a" / "06-kmeans.ipynb")
    assert len(find_submissions(tmp_path, "06")) == 1
    with pytest.raises(InvalidRequest, match="No notebook of lesson 05"):
        find_submissions(tmp_path, "05")
    with pytest.raises(InvalidRequest, match="Folder .* not found"):
        find_submissions(tmp_path / "nowhere")


def code(source: str, exercise: str | None = None, tag: str = "", id: str = "") -> dict[str, Any]:
    metadata: dict[str, Any] = {"gpucluster": {"exercise": exercise}} if exercise else {}
    return {"cell_type": "code", "id": id, "metadata": {**metadata, "tags": [tag]}, "source": [source]}


def plan(*cells: Any) -> list[tuple[str, tuple[str, ...]]]:
    lesson = find_lesson("06")
    steps = steps_of({"cells": list(cells)}, lesson, read_notebook(lesson.notebook))
    rest = {exercise.id for exercise in lesson.exercises}
    return [(step.code, tuple(one for one in step.graded if one in {"06.2", "06.3"})) for step in steps if rest]


def test_an_exercise_is_graded_where_its_check_was() -> None:
    check = code('check("06.2", assign)', "06.2", "check", "ex-06-2-check")
    changed = code("print(1)\ncheck('06.2', assign)", "06.2", "check", "ex-06-2-check")
    answer = code("assign = 1", "06.2", "exercise")
    text = {"cell_type": "markdown", "source": "x", "metadata": {}}
    # As it came: the grader takes its place. Changed: it runs as well.
    assert plan(answer, text, check, code("assign = 2"))[:3] == [
        ("assign = 1", ()),
        ("", ("06.2",)),
        ("assign = 2", ()),
    ]
    assert plan(answer, changed)[1] == (changed["source"][0], ("06.2",))
    # What lies beside the cells is gone: where the notebook asks for it. All gone: before the cluster is stopped.
    asks = code("check('06.2', assign)")
    assert plan(code("x"), asks, code("y"))[1] == (asks["source"][0], ("06.2",))
    assert plan(code("x"), code("y"), code("lab.close()"))[1] == ("y", ("06.2", "06.3"))
    # Deleted: after the last cell of the exercise. All gone: at the end.
    assert plan(answer, code("x"))[:2] == [("assign = 1", ("06.2",)), ("x", ())]
    assert plan(code("x"))[-1] == ("", ("06.2", "06.3"))


def test_what_only_shows_something_is_not_run() -> None:
    lesson = find_lesson("06")
    notebook = read_notebook(lesson.solution_notebook)
    original = read_notebook(lesson.notebook)

    def runs(**options: bool) -> list[bool]:
        steps = steps_of(notebook, lesson, original, **options)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        return [
            bool(step.code) for step, cell in zip(steps, cells, strict=True) if "check" not in cell["metadata"]["tags"]
        ]

    few = runs()
    assert few[0], "the cell that starts the lesson"
    assert 10 < sum(few) < 0.6 * len(few)
    assert all(runs(every_cell=True))
    for cell in notebook["cells"]:
        cell["id"] = "another"
    assert runs() == few, "as they have the same text"
    notebook["cells"].append(code("eval('x')"))
    assert all(runs())


def test_odd_metadata_does_no_harm() -> None:
    odd = [
        {"cell_type": "code", "source": 5, "metadata": {"gpucluster": [], "tags": "check"}},
        {"cell_type": "code", "metadata": None},
        {"cell_type": "code", "source": ["a", 5], "metadata": {"gpucluster": {"exercise": ["06.2"]}}},
        {},
    ]
    assert [step[0] for step in plan(*odd)] == ["5", "", "a5", ""]

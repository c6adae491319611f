"""One source, three notebooks, a sheet and a page."""

import ast
import html
import io
import json
import re
import shutil
import subprocess
import sys
import tokenize
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import nbformat
import pytest
from gpucluster.lessons import build
from gpucluster.lessons.build import differs, hooks, pages_folder, render, render_page
from gpucluster.lessons.building.notebooks import NBGRADER_SCHEMA
from gpucluster.lessons.building.page import make_page
from gpucluster.lessons.building.source import ASSIGNED, BEGIN, END, LessonSourceError, read_source
from gpucluster.lessons.catalogue import BUILT, COURSE, find_lesson, lessons
from gpucluster.lessons.copies import copy_lessons
from gpucluster.lessons.study.bank.files import problems_of
from IPython.core.inputtransformer2 import TransformerManager

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
NOTEBOOKS = [
    path for lesson in lessons() for path in (lesson.notebook, lesson.solution_notebook, lesson.recall_notebook)
]


def test_every_lesson_says_alike_what_ran_on_a_gpu() -> None:
    ran = {}
    for file in sorted(RESULTS.glob("gpu-lessons-*.json"), key=lambda file: file.stem[-10:]):
        found = json.loads(file.read_text(encoding="utf-8"))
        card = " ".join(found["machine"]["gpus"][0]["name"].split()[:2])
        rapids = found["machine"]["versions"]["cudf-cu13"].rpartition(".")[0]
        for lesson, checks in found["gpu_checks"].items():
            if set(checks.values()) == {"passed"}:
                ran[lesson] = f"all checks passed on one {card} on {file.stem[-10:]}, with RAPIDS {rapids}"
    for path in COURSE.glob("*/lesson.py"):
        source = path.read_text(encoding="utf-8")
        said = re.findall(r"^# \* \*\*Run on a GPU:\*\* (.*)\.$", source, re.MULTILINE)
        status = ran.get(path.parent.name.split("_")[1], "not yet")
        assert said == [status] * source.count('anchor="where-it-runs"'), path


def test_what_is_built_is_fresh_in_this_checkout() -> None:
    assert NOTEBOOKS
    made = hooks()
    for path in sorted(COURSE.glob("*/lesson.py")):
        made |= render(path) | render_page(path, pages_folder())
    assert [file for file, text in made.items() if differs(file, text)] == [], "python -m gpucluster.lessons.build"
    assert build.main(["--check"]) == 0


@pytest.mark.full
def test_lessons_are_built_from_nothing(tmp_path: Path) -> None:
    package = tmp_path / "py_src" / "gpucluster"
    (tmp_path / "notebooks").mkdir()
    shutil.copytree(
        COURSE.parents[1], package, ignore=shutil.ignore_patterns("__pycache__", "notebooks", "labextension")
    )
    command = [sys.executable, "-c", "from gpucluster.lessons.catalogue import lessons; lessons()"]
    options = {"cwd": tmp_path / "py_src", "capture_output": True, "text": True, "timeout": 60}
    assert "LessonsNotBuilt: The lessons are not built. Run: python" in subprocess.run(command, **options).stderr
    done = subprocess.run([sys.executable, "-m", "gpucluster.lessons.build"], **options)
    assert (done.returncode, done.stderr) == (0, "")
    built = {path.relative_to(BUILT): path.read_bytes() for path in BUILT.rglob("*") if path.is_file()}
    again = package / "lessons" / "notebooks"
    assert built == {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}
    assert not list(again.rglob("answers"))
    for lesson in lessons():
        tracked = tmp_path / "notebooks" / lesson.slug / lesson.notebook.name
        assert tracked.read_bytes() == lesson.notebook.read_bytes()
        assert (tmp_path / "docs" / "lessons" / f"{lesson.slug}.html").is_file()


def test_the_check_fails_when_a_notebook_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path, (COURSE / "lesson_06_kmeans" / "lesson.py").read_text(encoding="utf-8"), "06-kmeans")
    assert build.main(["--check", "--folder", str(tmp_path)]) == 1
    assert build.main(["--folder", str(tmp_path)]) == 0
    assert build.main(["--check", "--folder", str(tmp_path)]) == 0
    for name in ("06-kmeans.ipynb", "06-kmeans-solution.ipynb", "06-kmeans-recall.ipynb", "sheet.json"):
        made = source.parent / name
        assert made.read_bytes() == (BUILT / "06-kmeans" / name).read_bytes()
        made.write_text(made.read_text(encoding="utf-8").replace("k-means", "k means", 1), encoding="utf-8")
        capsys.readouterr()
        assert build.main(["--check", "--folder", str(tmp_path)]) == 1
        assert f"06-kmeans/{name} is out of date." in capsys.readouterr().err
        build.main(["--folder", str(tmp_path)])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_valid_and_empty(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    ids = [cell.id for cell in book.cells]
    assert len(set(ids)) == len(ids)
    text = path.read_text(encoding="utf-8")
    assert not any(mark in text for mark in (BEGIN, END, ASSIGNED))
    assert text == nbformat.writes(book) + ("" if nbformat.writes(book).endswith("\n") else "\n")


def code_cells(path: Path) -> list[str]:
    book: Any = nbformat.read(path, as_version=4)
    return [cell.source for cell in book.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_only_the_first_cell_knows_what_it_runs_on(path: Path) -> None:
    first, *others = code_cells(path)
    assert "lessons.start(" in first
    assert others[-1].endswith("lab.close()")
    pattern = re.compile(r"\b(cpu|gpu|cuda|cupy|cudf|rmm)\b", re.IGNORECASE)
    if path.parent.name in ABOUT_DEVICES:
        others = [without_texts(cell) for cell in others]
    assert [cell for cell in others if pattern.search(cell)] == []


ABOUT_DEVICES = {"11-gpu-memory", "12-moving-bytes", "14-onto-the-machine"}
"""Their exercises speak of options of RMM and Slurm, and of ways to devices; what a text says decides nothing about
what the code runs on."""


def without_texts(cell: str) -> str:
    """Return code without what stands between quotes and in comments."""
    readable = TransformerManager().transform_cell(cell)
    tokens = tokenize.generate_tokens(io.StringIO(readable).readline)
    left_out = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", None)}  # the last from 3.12 on
    return " ".join(one.string for one in tokens if one.type not in left_out)


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.slug)
def test_the_learner_gets_no_solution(lesson: Any) -> None:
    learner = "\n".join(code_cells(lesson.notebook))
    solved = "\n".join(code_cells(lesson.solution_notebook))
    source = read_source(lesson.folder / "lesson.py")
    exercises = [cell for cell in source.cells if "exercise" in cell.tags]
    assert {cell.exercise for cell in exercises} == {exercise.id for exercise in lesson.exercises}
    for cell in exercises:
        given, block_pattern = cell.learner_text(), rf"^ *{BEGIN}\n(.*?)\n *{END}$"
        assert given in learner
        assert cell.solution_text() in solved
        assert given != cell.solution_text()
        assert "..." in given
        for block in re.findall(block_pattern, cell.text, re.MULTILINE | re.DOTALL):
            assert block not in learner
            assert [line for line in block.splitlines() if len(line.strip()) > 30 and line in given] == []
    for text in code_cells(lesson.notebook):
        ast.parse(re.sub(r"^%.*$", "", text, flags=re.MULTILINE))


def test_the_instructor_note_is_not_for_learners() -> None:
    lesson = find_lesson("06")
    assert "For the instructor" not in lesson.notebook.read_text(encoding="utf-8")
    assert "For the instructor" in lesson.solution_notebook.read_text(encoding="utf-8")


def test_the_recall_copy_has_the_code_and_no_prose() -> None:
    for lesson in lessons():
        cells = nbformat.read(lesson.recall_notebook, as_version=4).cells
        assert {cell.cell_type for cell in cells} == {"code"}
        assert [cell.source for cell in cells] == code_cells(lesson.notebook)


# The schema of nbgrader's cell metadata, version 3 (nbgrader/nbgraderformat/v3.json), and the rules of its validator.
NBGRADER = {
    "type": "object",
    "properties": {
        "schema_version": {"type": "integer", "minimum": 3, "maximum": 3},
        **{name: {"type": "boolean"} for name in ("grade", "locked", "solution", "task")},
        "grade_id": {"type": "string", "pattern": r"^[a-zA-Z0-9_\-]+$"},
        "points": {"type": "number", "minimum": 0},
        "checksum": {"type": "string", "minLength": 32, "maxLength": 32},
        "cell_type": {"type": "string", "enum": ["raw", "code", "markdown"]},
    },
    "required": ["schema_version", "grade", "locked", "solution", "grade_id"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.id)
def test_nbgrader_can_grade_the_notebooks(lesson: Any) -> None:
    for path in (lesson.notebook, lesson.solution_notebook):
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if "nbgrader" in cell.metadata]
        for cell in cells:
            jsonschema.validate(cell.metadata.nbgrader, NBGRADER)
            assert cell.metadata.nbgrader.schema_version == NBGRADER_SCHEMA
            assert cell.cell_type == "code"  # a text that is graded would have to be a solution as well
            assert ("points" in cell.metadata.nbgrader) == cell.metadata.nbgrader.grade
        ids = [cell.metadata.nbgrader.grade_id for cell in cells]
        assert len(ids) == len(set(ids))
        # One point per exercise, and something to write for each.
        points = Counter()
        for cell in cells:
            points[cell.metadata.gpucluster.exercise] += cell.metadata.nbgrader.get("points", 0)
        assert points == Counter({exercise.id: 1 for exercise in lesson.exercises})
        written = {cell.metadata.gpucluster.exercise for cell in cells if cell.metadata.nbgrader.solution}
        assert written == {exercise.id for exercise in lesson.exercises}
    assert "nbgrader" not in lesson.recall_notebook.read_text(encoding="utf-8")


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.id)
def test_the_page_has_no_script_and_loads_nothing(lesson: Any) -> None:
    text = (pages_folder() / f"{lesson.slug}.html").read_text(encoding="utf-8")
    elements = Elements(text).found
    tags = Counter(tag for tag, _ in elements)
    assert not {"script", "iframe", "object", "embed", "link"} & set(tags)
    for _, attributes in elements:
        assert not any(name.startswith("on") for name in attributes)
        assert not (attributes.get("src") or "").startswith(("http", "//"))
        assert "javascript:" not in (attributes.get("href") or "")
    # What an anchor or an exercise leads to is there.
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert set(lesson.anchors) <= set(ids)
    assert tags["details"] >= 3 * len(lesson.exercises)  # the hints
    assert "prefers-color-scheme: dark" in text
    assert "For the instructor" not in text
    for exercise in lesson.exercises:
        assert f"ex-{exercise.id.replace('.', '-')}-exercise" in ids


def test_a_page_with_a_script_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + COMPLETE + "# %% [markdown]\n# <b onclick='x()'>b</b>\n")
    with pytest.raises(ValueError, match="page without scripts"):
        make_page(read_source(path))
    assert build.main(["--folder", str(tmp_path), "--pages", str(tmp_path / "pages")]) == 1
    path.write_text(HEADER + COMPLETE + "# %% [markdown]\n# The code `<script>` and a|b < c.\n", encoding="utf-8")
    assert build.main(["--folder", str(tmp_path), "--pages", str(tmp_path / "pages")]) == 0
    assert "&lt;script&gt;" in (tmp_path / "pages" / "90-x.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("lesson", ["06", "10", "11", "13", "14", "16"])
def test_a_page_has_the_lines_that_are_to_be_put_in_order(lesson: str) -> None:
    known = find_lesson(lesson)
    (problem,) = problems_of(lesson)
    text = (pages_folder() / f"{known.slug}.html").read_text(encoding="utf-8")
    (shown,) = re.findall(r'<ul class="lines">.*?</ul>', text, re.DOTALL)
    for line in (*problem.lines, *problem.distractors):
        assert f"</code> {html.escape(line.text)}</li>" in shown


def test_the_photo_is_attributed() -> None:
    lesson = find_lesson("06")
    for path in (lesson.notebook, lesson.solution_notebook, pages_folder() / "06-kmeans.html"):
        text = path.read_text(encoding="utf-8")
        assert "danielbuechele" in text
        assert "creativecommons.org/licenses/by/2.0" in text


HEADER = """# ---
# jupyter:
#   gpucluster: {lesson: "90", title: T, minutes: 1, needs: cpu, objectives: [do]}
# ---
"""
COMPLETE = """
# %% [markdown] exercise="90.1" title="One"
# Text
# %% tags=["exercise"] exercise="90.1"
x = 3  # SOLUTION
# %% [markdown] tags=["hint-1"] exercise="90.1"
# a
# %% [markdown] tags=["hint-2"] exercise="90.1"
# b
# %% [markdown] tags=["hint-3"] exercise="90.1"
# c
"""


def topics(entry: str) -> str:
    return HEADER.replace("objectives: [do]", f"objectives: [do], topics: {{{entry}}}") + COMPLETE


def written(folder: Path, text: str, name: str = "90-x") -> Path:
    path = folder / name / "lesson.py"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEADER + "# %%\n### BEGIN SOLUTION\nx = 1\n", "does not end"),
        (HEADER + "# %%\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n", "not the tag 'exercise'"),
        (HEADER + "# %%\ndef f(\n", "not valid Python"),
        (HEADER + COMPLETE.replace('tags=["hint-3"]', ""), "three hints"),
        (HEADER + COMPLETE.replace(' title="One"', ""), "needs a title"),
        (HEADER + COMPLETE.replace(' title="One"', ' title="One" topic="sums"'), "not one of the header's"),
        (HEADER + COMPLETE + '# %% anchor="a b"\nx\n', "not lower-case-with-dashes"),
        (HEADER.replace("minutes: 1, ", "") + COMPLETE, "header of 90-x/lesson.py is not complete: 'minutes'"),
        (topics('sums: {title: Sums, link: "90#sums"}'), "leads to '90#sums', which is neither"),
        (topics("sums: {title: Sums}"), "not complete: 'link'"),
        (topics('Sums: {title: Sums, link: "90.1"}'), "not lower-case-with-dashes"),
    ],
)
def test_a_faulty_source_is_refused_with_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(LessonSourceError, match=sentence):
        read_source(path)
    assert build.main(["--folder", str(tmp_path)]) == 1
    assert not list(path.parent.glob("*.ipynb"))


def test_topics_keypoints_and_anchors_are_in_the_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keypoints = '# %% [markdown] tags=["keypoints"] anchor="sums"\n# ## Keypoints\n#\n# * a\n#   and b\n# * c\n'
    text = topics('sums: {title: Sums, link: "90#sums"}') + keypoints
    good = written(tmp_path, text.replace(' title="One"', ' title="One" topic="sums"'))
    written(tmp_path, "nothing", "91-y")
    assert build.main(["--folder", str(tmp_path)]) == 1
    assert "91-y/lesson.py has no 'gpucluster' section" in capsys.readouterr().err
    sheet = json.loads((good.parent / "sheet.json").read_text(encoding="utf-8"))
    assert sheet["topics"] == [{"name": "sums", "title": "Sums", "link": "90#sums"}]
    assert (sheet["keypoints"], sheet["anchors"]) == (["a and b", "c"], ["sums"])
    assert sheet["exercises"][0]["topic"] == "sums"


def test_a_complete_small_source(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + COMPLETE)
    assert build.main(["--folder", str(tmp_path)]) == 0
    assert code_cells(path.parent / "90-x.ipynb") == ["x = ..."]
    assert code_cells(path.parent / "90-x-solution.ipynb") == ["x = 3"]
    sheet = json.loads((path.parent / "sheet.json").read_text(encoding="utf-8"))
    [exercise] = sheet["exercises"]
    about = {"id": "90.1", "title": "One", "topic": None, "minutes": None}
    assert exercise == about | {"hints": ["a", "b", "c"], "solution": "x = 3"}


def test_copies_for_a_learner(tmp_path: Path) -> None:
    written = copy_lessons(tmp_path)
    assert written == [tmp_path / lesson.slug / f"{lesson.slug}.ipynb" for lesson in lessons()]
    for lesson, path in zip(lessons(), written, strict=True):
        copy, original = (json.loads(file.read_text(encoding="utf-8")) for file in (path, lesson.notebook))
        assert copy["cells"] == original["cells"]
    written[0].write_text("my work", encoding="utf-8")
    assert copy_lessons(tmp_path) == []
    assert written[0].read_text(encoding="utf-8") == "my work"
    assert copy_lessons(tmp_path, overwrite=True, solutions=True, only=["06"]) == [
        tmp_path / "06-kmeans" / "06-kmeans.ipynb",
        tmp_path / "06-kmeans" / "06-kmeans-solution.ipynb",
    ]


def test_a_site_can_have_lessons_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, HEADER + COMPLETE)
    assert build.main(["--folder", str(tmp_path)]) == 0
    monkeypatch.setenv("GPUCLUSTER_NOTEBOOKS", str(tmp_path))
    assert [lesson.id for lesson in lessons()] == ["90"]


def test_the_catalogue() -> None:
    lesson = find_lesson("06-kmeans")
    assert lesson == find_lesson("06")
    assert lesson.minutes > 0 and lesson.needs == "cpu" and len(lesson.objectives) >= 4
    assert [exercise.id for exercise in lesson.exercises] == [f"06.{number}" for number in range(1, 11)]
    for known in lessons():
        for exercise in known.exercises:
            assert len(exercise.hints) == 3 and exercise.solution and exercise.title
    assert find_lesson("nothing") is None


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.id)
def test_a_lesson_names_its_topics_and_keypoints(lesson: Any) -> None:
    topics = {topic.name for topic in lesson.topics}
    assert 2 <= len(topics) == len(lesson.topics)
    assert 3 <= len(lesson.keypoints) <= 9
    assert {exercise.topic for exercise in lesson.exercises} <= topics | {None}

"""Pages of the documentation: links, lists, lessons with outputs. `test_site` tests the built site."""

import base64
import io
import re
import types
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from gpucluster.lessons.building.outputs import OutputsError, read_outputs, record_outputs
from gpucluster.lessons.building.source import read_source
from gpucluster.lessons.catalogue import COURSE, lessons
from gpucluster.lessons.checks import exercises
from gpucluster.lessons.figures.vector import Picture
from gpucluster.server.openapi import OPERATIONS, openapi_document
from PIL import Image

from docs.website.contents import sections
from docs.website.errors import SiteError
from docs.website.lessons import LessonPage, drawn
from docs.website.links import on_the_site
from docs.website.pages import ROOT, Pages
from docs.website.proof import faults
from docs.website.reference import reference_pages
from docs.website.rest import routes_and_models
from docs.website.staging import Staging

OUTPUTS = ROOT / "docs" / "lessons" / "outputs"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    files = {
        "README.md": "# gpucluster\n\n[The panel](docs/panel.md#cards), [code](src/code.py), [all](src)\n",
        "docs/README.md": "# gpucluster\n\n## Guide\n\nDaily.\n\n* [Start](../README.md): see [the panel](panel.md)\n",
        "docs/panel.md": "# The panel\n\n## Cards\n",
        "src/code.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "docs" / "images").mkdir()
    return tmp_path


def test_all_links_lead_somewhere_and_all_pages_are_listed() -> None:
    Staging(Pages(), OUTPUTS).check()
    places = list(Pages().places.values())
    assert len(places) == len(set(places)), "two pages share a place on the site"


def test_a_link_leads_to_the_page_or_to_the_repository(checkout: Path) -> None:
    pages = Pages(checkout)
    text = on_the_site(pages, "README.md", (checkout / "README.md").read_text())
    assert "[The panel](panel.md#cards)" in text
    assert "[code](https://github.com/gpucluster/gpucluster/blob/main/src/code.py)" in text
    assert "[all](https://github.com/gpucluster/gpucluster/tree/main/src)" in text
    text = "`[a](b.md)`\n\n```python\nx = d[0](y)\n```\n\n[`code`](panel.md)\n"
    assert on_the_site(pages, "docs/panel.md", text) == text, "code is no link"
    with pytest.raises(SiteError, match=r"docs/panel.md: the link to 'gone.md' leads to nothing"):
        on_the_site(pages, "docs/panel.md", "[x](gone.md)")


def test_a_page_on_no_list_is_named(checkout: Path) -> None:
    (checkout / "docs" / "lost.md").write_text("# Lost\n")
    with pytest.raises(SiteError, match=r"docs/lost.md is in no list of pages. Put it into docs/README.md"):
        Staging(Pages(checkout), OUTPUTS).check()


def test_the_list_is_the_order(checkout: Path) -> None:
    (section,) = sections(Pages(checkout))
    assert (section.title, section.place) == ("Guide", "section-guide.md")
    assert section.entries == (("Start", "README.md"), ("The panel", "docs/panel.md"))


def test_outputs_come_back_small_and_without_this_machine(tmp_path: Path) -> None:
    drawing, photo = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (2_000, 100), "red").save(drawing, "PNG")
    noise = Image.effect_noise((300, 300), 90)
    Image.merge("RGB", [noise, noise.rotate(90), noise.rotate(180)]).save(photo := io.BytesIO(), "PNG")
    png = [base64.b64encode(one.getvalue()).decode() for one in (drawing, photo)]
    cell = nbformat.v4.new_code_cell("draw()", id="draw", outputs=[
        nbformat.v4.new_output("stream", text=f"{ROOT}/file\n"),
        nbformat.v4.new_output("stream", text="\n".join(map(str, range(200)))),
        *(nbformat.v4.new_output("display_data", data={"image/png": one, "text/plain": "<Figure>"}) for one in png),
    ])  # fmt: skip
    record_outputs("00-a", nbformat.v4.new_notebook(cells=[cell]), tmp_path, measured="on 2026-11-24, on 2 CPU cores")
    recorded = read_outputs("00-a", tmp_path)
    assert recorded.measured == "on 2026-11-24, on 2 CPU cores"
    text, first, second = recorded.of("draw", "draw()") or ()
    assert text.text.startswith("…/gpucluster/file\n0\n1\n")
    assert text.text.endswith("more lines")
    with Image.open(recorded.picture(first.picture)) as small:
        assert small.width == 900
    assert Path(first.picture).suffix == ".png"
    assert Path(second.picture).suffix == ".jpg"
    assert recorded.of("draw", "draw(more)") is None


def test_a_drawing_stands_in_the_page_in_its_colours(tmp_path: Path) -> None:
    picture = Picture(20, 10, "A <box>")
    picture.box(1, 1, 5, 5, "red")
    bundle = picture._repr_mimebundle_()
    cell = nbformat.v4.new_code_cell(
        "draw()", id="draw", outputs=[nbformat.v4.new_output("display_data", data=bundle)]
    )  # fmt: skip
    record_outputs("00-a", nbformat.v4.new_notebook(cells=[cell]), tmp_path)
    recorded = read_outputs("00-a", tmp_path)
    (output,) = recorded.of("draw", "draw()") or ()
    assert (output.drawing, output.text, output.picture) == ("draw-1.html", "", "")
    assert drawn(recorded, output.drawing).splitlines()[1:-1] == [f'<div class="drawing">{picture.svg()}</div>']
    foreign = {"text/html": "<img src=x onerror=alert(1)>", "text/plain": "an image"}
    cell.outputs = [nbformat.v4.new_output("display_data", data=foreign)]
    record_outputs("00-a", nbformat.v4.new_notebook(cells=[cell]), tmp_path)
    (output,) = read_outputs("00-a", tmp_path).of("draw", "draw()") or ()
    assert output.text == "an image"


def test_outputs_that_cannot_be_read_say_how_to_make_them(tmp_path: Path) -> None:
    assert read_outputs("00-a", tmp_path).cells == {}
    for text in ("{", "[]", '{"format": 2}', '{"format": 1, "cells": {"a": [{"sound": ""}]}}'):
        (tmp_path / "00-a.json").write_text(text)
        with pytest.raises(OutputsError, match=r"gpucluster.lessons.measuring 00"):
            read_outputs("00-a", tmp_path)


def test_lesson_shows_outputs_and_folds_answers() -> None:
    source = read_source(COURSE / "lesson_06_kmeans" / "lesson.py")
    text = LessonPage(source, read_outputs(source.slug, OUTPUTS)).markdown()
    assert text.count("<details") == text.count("</details>")
    before, after = text.split('check("06.1", order)')
    assert "order = ..." in before
    assert 'order = [("B", 0)' not in before
    hint, solution = after.index("Hint 3"), after.index("<summary>Solution</summary>")
    assert hint < solution < after.index('order = [("B", 0)')
    assert "273,280 points × 3 features" in text
    assert re.search(r"What its cells put out was recorded on 20\d\d-\d\d-\d\d, on \d+ CPU cores", text)
    assert "instructor" not in text


def test_a_cell_that_has_changed_shows_no_output() -> None:
    source = read_source(COURSE / "lesson_06_kmeans" / "lesson.py")
    recorded = read_outputs(source.slug, OUTPUTS)
    cells = tuple(
        replace(cell, text='lessons.banner("flights")') if cell.text == 'lessons.banner("pixels")' else cell
        for cell in source.cells
    )
    page = LessonPage(replace(source, cells=cells), recorded)
    before = LessonPage(source, recorded)
    before.markdown()
    page.markdown()
    assert page.changed == before.changed + 1


def test_agendas_give_each_lesson_its_time() -> None:
    text = (ROOT / "docs" / "teaching" / "agendas.md").read_text()
    # For the course of one day see `tests.lessons.test_pacing`.
    before, day = text.split("\n## A day\n")
    text = before + day[day.index("\n## ") :]
    rows = re.findall(r"^\| (\d+):(\d+)–(\d+):(\d+) \| \[(\d\d) [^|]*?\.ipynb\)([^|]*)", text, re.MULTILINE)
    parts = {
        ("05", "first part"): 60, ("05", "second part"): 60, ("06", "first part"): 75, ("06", "second part"): 65,
        ("08", "first part"): 75, ("08", "second part"): 75, ("09", "first part"): 75, ("09", "second part"): 75,
        ("15", "in groups"): 120, ("15", "to the end"): 60,
    }  # fmt: skip
    minutes = {lesson.id: lesson.minutes for lesson in lessons()}
    assert sum(minutes[lesson] for lesson in ("05", "06", "08", "09", "15")) == sum(parts.values())
    parts |= {("12", "sections 1 to 4"): 85, ("14", "sections 1 to 4"): 70, ("16", "the exam"): 30}
    whole = 0
    for from_hour, from_minute, to_hour, to_minute, lesson, rest in rows:
        took = 60 * (int(to_hour) - int(from_hour)) + int(to_minute) - int(from_minute)
        which = re.match(r"[,:] (first part|second part|sections 1 to 4|in groups|to the end|the exam)", rest)
        if which and (lesson, which[1]) in parts:
            assert took == parts[lesson, which[1]], (lesson, rest)
        elif not which:
            assert took == minutes[lesson], lesson
            whole += 1
    assert whole >= 15


def test_all_routes_are_in_the_reference() -> None:
    text = routes_and_models(openapi_document())
    for operation in OPERATIONS:
        assert f"### `{operation.method.upper()} /{operation.path}`" in text


def test_all_public_names_are_in_the_reference() -> None:
    import gpucluster
    import gpucluster.learn

    found = [f"{page.module}.{name}" for page in reference_pages() for name in page.names]
    assert len(found) == len(set(found))
    for module in (gpucluster, gpucluster.learn):
        for name in set(module.__all__) - {"__version__", "GPUClusterError"}:
            assert f"{module.__name__}.{name}" in found
            assert not isinstance(getattr(module, name), types.ModuleType), f"{module.__name__}.{name} is a module"


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<a href="gone.html">x</a>', "leads to nothing"),
        ('<a href="#gone">x</a>', "a place that the page does not have"),
        ('<script src="https://cdn.example.org/x.js"></script>', "from elsewhere"),
        ('<img src="data:,x">', "has no text for those who do not see it"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "from elsewhere"),
    ],
)
def test_faults_of_built_pages_are_found(tmp_path: Path, page: str, fault: str) -> None:
    (tmp_path / "index.html").write_text(f'<p id="here"><a href="#here">ok</a>{page}')
    (found,) = faults(tmp_path)
    assert fault in found


def test_the_readme_counts_the_lessons() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    known = lessons()
    words = {16: "Sixteen", 17: "Seventeen", 18: "Eighteen", 19: "Nineteen", 20: "Twenty"}
    n_exercises = sum(len(exercises(lesson.id)) for lesson in known)
    assert f"{words[len(known)]} lessons with {n_exercises} exercises" in text

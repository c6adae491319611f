"""Slides of the lessons: their text, their notes, and their height."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpucluster.lessons.building.outputs import read_outputs
from gpucluster.lessons.building.source import read_source, slug_of
from gpucluster.lessons.catalogue import COURSE

from docs.website.pages import ROOT
from docs.website.slides.condense import blocks, condensed
from docs.website.slides.deck import Deck
from tests.browser.chromium import chromium, executable

TOOLS = ROOT / ".venv-docs"
LESSONS = sorted(COURSE.glob("*/lesson.py"))


def deck(path: Path) -> str:
    source = read_source(path)
    recorded = read_outputs(source.slug, ROOT / "docs" / "lessons" / "outputs")
    return Deck(source, recorded, path.with_name("quiz.json")).markdown()


def test_a_slide_has_how_paragraphs_begin_and_the_notes_have_all() -> None:
    found = condensed("## 2. The plan\n\nIt is a graph. " + "Long. " * 60 + "\n\n* a\n* b\n\n**Explain:** Because. So.")
    assert (found.heading, found.level) == ("2. The plan", 2)
    assert found.seen[0].startswith("It is a graph. Long.")
    assert found.seen[1:] == ["* a\n* b", "**Explain:** Because. So."]
    assert [len(one) for one in found.spoken] == [len("It is a graph. " + "Long. " * 60) - 1]
    assert condensed("word " * 80).seen == []
    assert condensed("<details>\nanswer</details>").seen == []


def test_fenced_code_stays_together() -> None:
    assert blocks("a\n\n```\nb\n\nc\n```\n\n$$\nd\n\ne\n$$\n\nf") == ["a", "```\nb\n\nc\n```", "$$\nd\n\ne\n$$", "f"]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: slug_of(path.parent)[:2])
def test_no_solution_is_on_a_slide(path: Path) -> None:
    text = deck(path)
    seen, notes = [], False
    for line in text.splitlines():
        if line.startswith("```````"):
            notes = not notes
        elif not notes:
            seen.append(line)
    source = read_source(path)
    slides = "\n".join(seen)
    for cell in source.cells:
        if "exercise" in cell.tags and cell.solution_text() != cell.learner_text():
            assert cell.solution_text() not in slides
        if cell.hint:
            assert cell.text.splitlines()[0] in text
    assert text.count("Hands up") == 3
    assert "SOLUTION" not in text


@pytest.mark.processes
@pytest.mark.timeout(300)
@pytest.mark.full
@pytest.mark.skipif(not TOOLS.exists(), reason="needs what builds the slides: make slides")
@pytest.mark.skipif(executable() is None, reason="needs Chromium: make chromium")
def test_slides_fit_their_content(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "docs.website.slides", "--out", str(tmp_path)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(TOOLS)}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        for path in LESSONS:
            page.goto((tmp_path / "html" / f"{slug_of(path.parent)}.html").as_uri())
            page.wait_for_function("window.Reveal?.isReady()")
            too_high = page.evaluate(
                """() => Reveal.getSlides().map((slide, number) => {
                    slide.style.display = 'block'
                    return [number, slide.scrollHeight, slide.querySelector('h1, h2, h3')?.textContent]
                }).filter(([, height]) => height > 720)"""
            )
            assert too_high == [], slug_of(path.parent)
            assert page.evaluate("Reveal.getTotalSlides()") > 15
            assert page.evaluate("Reveal.getSlides().filter(slide => Reveal.getSlideNotes(slide)).length") > 5
        assert said == []

"""The agenda of a day fits its hours; the code of the live-coding page runs from top to bottom."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.building.outputs import RecordedOutputs
from gpucluster.lessons.building.source import LessonSource, SourceCell
from gpucluster.lessons.pacing import Block, agenda_page, blocks, pace, paces, page

CELLS = (
    SourceCell("markdown", "# Title\n\none two three"),
    SourceCell("code", "lab = start()", anchor="begin"),
    SourceCell("markdown", "### Exercise 90.1 · A (5 min)\n\nfour", exercise="90.1"),
    SourceCell("markdown", "a hint of many words", tags=("hint-1",), exercise="90.1"),
    SourceCell("code", "check()", tags=("check",), exercise="90.1"),
    SourceCell("markdown", "## 2. Second\n\n```\nno words\n```\nfive"),
    SourceCell("markdown", "### Exercise 90.2 · B (10 min)", exercise="90.2"),
    SourceCell("markdown", "for the teacher", tags=("instructor",)),
)
SOURCE = LessonSource("90", "90-x", "X", 1, "cpu", (), (), CELLS)
OUTPUTS = RecordedOutputs(Path(), {}, {"begin": 90.0, "ex-90-1-check": 30.0})


@pytest.fixture
def agenda() -> str:
    return agenda_page().read_text(encoding="utf-8")


def test_each_block_of_the_day_fits_and_they_follow_each_other(agenda: str) -> None:
    day = paces(agenda)
    assert len(day) == 6
    for block, source, one in day:
        assert one.minutes <= block.minutes, f"{source.id}: {one.minutes:.0f} of {block.minutes} minutes"
    clocks = [block.clock.split("–") for block in blocks(agenda)]
    assert all(end <= begin for (_, end), (begin, _) in zip(clocks, clocks[1:], strict=False))


def test_the_page_has_the_blocks_of_the_agenda(agenda: str) -> None:
    written = (agenda_page().parent / "clock.md").read_text(encoding="utf-8")
    rows = [
        re.findall(r"^\| (\d\d:\d\d–\d\d:\d\d) \| ([^|]+) \| (\d+) \|", text, re.M) for text in (written, page(agenda))
    ]
    assert rows[0] == rows[1], "run: python -m gpucluster.lessons.pacing > docs/teaching/clock.md"


def test_all_of_a_lesson_or_up_to_the_end_of_a_section() -> None:
    whole = pace(SOURCE, OUTPUTS, Block("", 60, "90-x"))
    assert whole.exercises == 15
    assert whole.running == 2.0
    assert pace(SOURCE, OUTPUTS, Block("", 60, "90-x", first=10)).minutes == whole.minutes + 10
    first = pace(SOURCE, OUTPUTS, Block("", 60, "90-x", last="90.1"))
    assert (first.exercises, first.running) == (5, 2.0)
    assert first.reading < whole.reading
    # Title one two three; Exercise 90.1 A 5 min four
    assert first.reading == pytest.approx(10 / 180)


def test_a_row_says_which_lesson_and_how_far() -> None:
    text = (
        "# Agendas\n\n## A day\n\n| Clock | What |\n|---|---|\n"
        "| 09:00–10:15 | [06](../../notebooks/06-kmeans/06-kmeans.ipynb): a play first (10 min), up to 06.5 |\n"
        "| 10:15–10:30 | break |\n"
        "| 10:30–11:00 | [02](../../notebooks/02-lazy-on-purpose/02-lazy-on-purpose.ipynb) without 02.5 |\n\n"
        "## Two days\n\n| 09:00–10:00 | [03](../../notebooks/03-the-kitchen/03-the-kitchen.ipynb) |\n"
    )
    assert blocks(text) == [
        Block("09:00–10:15", 75, "06-kmeans", "06.5", first=10),
        Block("10:30–11:00", 30, "02-lazy-on-purpose", None, "02.5"),
    ]


PAGE = Path(__file__).resolve().parents[2] / "docs" / "teaching" / "live-coding.md"


@pytest.mark.processes
@pytest.mark.full
def test_the_scripts_run_as_written(registry: Path) -> None:
    notebook: dict[str, Any] = {"__name__": "live"}
    said = []
    for cell in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        with redirect_stdout(io.StringIO()) as out:
            exec(compile(cell, str(PAGE), "exec"), notebook)
        said.append(out.getvalue())
    text = "".join(said)
    for figure in (
        "140\n", "336776 flights before, 335220 after", "336776 flights after, 1573 without a temperature",
        "531720 (192,) (192, 192)", "7188 bytes came",
    ):  # fmt: skip
        assert figure in text, text
    inertias = [float(one.replace(",", "")) for one in re.findall(r"inertia ([\d,]+)", text)]
    assert len(inertias) == 8
    assert inertias == sorted(inertias, reverse=True)

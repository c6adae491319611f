"""A day's agenda against the clock: ``python -m gpucluster.lessons.pacing > docs/teaching/clock.md``.

For each block of "A day" in ``docs/teaching/agendas.md``: how long reading its prose takes, the minutes stated with its
exercises, and how long its cells ran when the lesson was last measured (``python -m gpucluster.lessons.measuring``).
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from .building.notebooks import cell_ids
from .building.outputs import RecordedOutputs, read_outputs
from .building.source import STATED_MINUTES, LessonSource, read_source
from .catalogue import checkout, notebooks_folder

WORDS_PER_MINUTE = 180
_ROW = re.compile(r"^\| (\d\d):(\d\d)–(\d\d):(\d\d) \| (.+) \|$", re.MULTILINE)
_LESSON = re.compile(
    r"\[[^\]]+\]\((?:\.\./)+notebooks/(?P<slug>\d\d-[a-z0-9-]+)/[^)]+\.ipynb\)(?:.*?up to (?P<last>\d\d\.\d+))?"
)
_WITHOUT = re.compile(r"without (\d\d\.\d+)")
_FIRST = re.compile(r"\((\d+) min\)")
_WORD = re.compile(r"[^\W_][\w’'.,/-]*")
_NO_WORDS = re.compile(r"```.*?```|<[^>]*>|\]\([^)]*\)", re.DOTALL)
_HEAD = f"""# Timing of the one-day agenda

Generated from the [one-day agenda](agendas.md#a-day), the lessons' sources and their last measurement by
`python -m gpucluster.lessons.pacing`. For each block, in minutes:

* **first**: an activity before the lesson, such as acting out the kitchen;
* **reading**: the words of its prose (tables count, code does not), at {WORDS_PER_MINUTE} words a minute;
* **exercises**: the minutes stated with them;
* **running**: the run time of its solution's cells on two cores, without waiting times;
* **left**: the rest of the block, for predictions, questions and problems.

These are sums: no class has been timed. A test fails if a block no longer fits.

| Clock | Block | Minutes | First | Reading | Exercises | Running | Left |
|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Block:
    """A row of an agenda that is a lesson, or its first part.

    Attributes
    ----------
    clock : str
        From when to when, such as ``"09:00–09:25"``.
    minutes : int
        How long that is.
    slug : str
        The lesson.
    last : str, optional
        Its last exercise; the section of it is gone through to its end. Left out: the whole lesson.
    without : str, optional
        An exercise that is left out.
    first : int
        Minutes of what the agenda puts before the lesson.
    """

    clock: str
    minutes: int
    slug: str
    last: str | None = None
    without: str | None = None
    first: int = 0


@dataclass(frozen=True)
class Pace:
    """What a block takes, in minutes."""

    reading: float
    exercises: int
    running: float
    first: int = 0

    @property
    def minutes(self) -> float:
        """All of it."""
        return self.first + self.reading + self.exercises + self.running


def blocks(agenda: str) -> list[Block]:
    """Return the lessons of the agenda of one day.

    Parameters
    ----------
    agenda : str
        The page of agendas.
    """
    day = agenda.split("\n## A day\n")[1].split("\n## ")[0]
    found = []
    for begin_hour, begin_minute, end_hour, end_minute, what in _ROW.findall(day):
        lesson = _LESSON.search(what)
        if lesson is None:
            continue
        minutes = 60 * (int(end_hour) - int(begin_hour)) + int(end_minute) - int(begin_minute)
        left_out = _WITHOUT.search(what)
        found.append(
            Block(
                f"{begin_hour}:{begin_minute}–{end_hour}:{end_minute}", minutes, lesson["slug"], lesson["last"],
                left_out[1] if left_out else None, sum(map(int, _FIRST.findall(what))),
            )
        )  # fmt: skip
    return found


def pace(source: LessonSource, outputs: RecordedOutputs, block: Block) -> Pace:
    """Return what a block of a lesson takes."""
    words, exercises, seconds = 0, 0, 0.0
    reached = False
    for cell, name in zip(source.cells, cell_ids(source), strict=True):
        prose = cell.type == "markdown"
        if reached and prose and cell.text.startswith("## "):
            break
        reached = reached or (block.last is not None and cell.exercise == block.last)
        if cell.hint or "instructor" in cell.tags or (cell.exercise is not None and cell.exercise == block.without):
            continue
        if prose:
            words += len(_WORD.findall(_NO_WORDS.sub(" ", cell.text)))
            exercises += sum(map(int, STATED_MINUTES.findall(cell.text)))
        else:
            seconds += outputs.seconds.get(name, 0.0)
    return Pace(words / WORDS_PER_MINUTE, exercises, seconds / 60, block.first)


def paces(agenda: str) -> list[tuple[Block, LessonSource, Pace]]:
    """Return each block of the agenda of one day, with its lesson and what it takes."""
    root = notebooks_folder()
    found = []
    for block in blocks(agenda):
        source = read_source(root / block.slug / "lesson.py")
        outputs = read_outputs(block.slug, (checkout() or Path()) / "docs" / "lessons" / "outputs")
        found.append((block, source, pace(source, outputs, block)))
    return found


def page(agenda: str) -> str:
    """Return the page about the day."""
    rows, total, needed = [], 0, 0.0
    for block, source, one in paces(agenda):
        part = f", up to {block.last}" if block.last else f", without {block.without}" if block.without else ""
        total, needed = total + block.minutes, needed + one.minutes
        rows.append(
            f"| {block.clock} | {source.id} {source.title}{part} | {block.minutes} | {one.first or ''} | "
            f"{one.reading:.0f} | {one.exercises} | {one.running:.1f} | {block.minutes - one.minutes:.0f} |\n"
        )
    return f"{_HEAD}{''.join(rows)}| | total | {total} | | | | | {total - needed:.0f} |\n"


def agenda_page() -> Path:
    """Return where the agendas are, in a checkout."""
    return (checkout() or Path()) / "docs" / "teaching" / "agendas.md"


if __name__ == "__main__":
    sys.stdout.write(page(agenda_page().read_text(encoding="utf-8")))

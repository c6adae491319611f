"""Work through a lesson in JupyterLab as a learner would, and take pictures: ``python scripts/walk_lesson.py 06``.

Guesses each prediction, gives a wrong answer to each exercise before the right one, asks for the hints of the first
one, moves each slider, runs every cell by hand, and writes one picture per screen. Fails when a cell raises, when a
wrong answer passes, or when a right one does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from gpucluster.lessons.catalogue import Lesson, find_lesson
from gpucluster.lessons.checks import exercises
from gpucluster.lessons.copies import copy_lessons
from playwright.sync_api import Locator, Page

from tests.browser.chromium import chromium, open_page
from tests.browser.lab import Lab, jupyter
from tests.lessons.answering import answers_to

FOLDER = "gpucluster-lessons"
HEIGHT = 1200
CELL_SECONDS = 180


def prepare(lab: Lab, theme: str) -> None:
    """Choose the theme, and draw all cells, those outside the screen too."""
    settings = lab.directory / "settings" / "@jupyterlab"
    (settings / "apputils-extension" / "themes.jupyterlab-settings").write_text(json.dumps({"theme": theme}))
    (settings / "notebook-extension").mkdir()
    (settings / "notebook-extension" / "tracker.jupyterlab-settings").write_text(json.dumps({"windowingMode": "none"}))
    copy_lessons(lab.directory / "root" / FOLDER)


def alone(answer: str, exercise: str) -> str:
    """Return the answer such that of the names it brings along, only those of the exercise reach the notebook."""
    names = next(known.answers for known in exercises(exercise.partition(".")[0]) if known.id == exercise)
    taken = "\n".join(f'{name} = answer["{name}"]' for name in names)
    return f'answer = {{"__name__": "__main__"}}\nexec({answer!r}, answer)\n{taken}'


class Learner:
    """Someone at the keyboard of one notebook."""

    def __init__(self, page: Page, lesson: Lesson, pictures: Path, stumbles: list[str] | None) -> None:
        self.page = page
        self.lesson = lesson
        self.pictures = pictures
        self.stumbles = stumbles
        self.trouble: list[str] = []
        self.executed: dict[int, str] = {}
        self.cells = page.locator(".jp-NotebookPanel .jp-Cell")

    def write(self, cell: Locator, text: str) -> None:
        """Replace the code of a cell."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def run(self, number: int) -> str:
        """Run one cell, wait for its end, and return the text of its output."""
        cell = self.cells.nth(number)
        prompt = cell.locator(".jp-InputPrompt")
        before = self.executed.get(number)
        for tick in range(CELL_SECONDS * 5):
            shown = prompt.inner_text().strip(" []:\xa0")
            if tick % 50 == 0 and shown in {"", before}:
                # Again after ten seconds, as one does: JupyterLab may just have taken the focus elsewhere.
                cell.locator(".jp-InputArea-prompt, .jp-InputPrompt").first.click()
                self.page.keyboard.press("ControlOrMeta+Enter")
            if shown.isdigit() and shown != before:
                self.executed[number] = shown
                break
            self.page.wait_for_timeout(200)
        else:
            self.trouble.append(f"cell {number} did not end")
        output = cell.locator(".jp-OutputArea")
        text = output.first.inner_text() if output.count() else ""  # a widget has a separate area
        if "Traceback (most recent call last)" in text:
            self.trouble.append(f"cell {number} raised: {text[-300:]}")
        return text

    def work(self, book: dict[str, Any]) -> None:
        """Go through the notebook from top to bottom."""
        right = json.loads(self.lesson.solution_notebook.read_text(encoding="utf-8"))
        solutions = {cell["id"]: "".join(cell["source"]) for cell in right["cells"]}
        places: dict[str, list[int]] = {}
        for number, cell in enumerate(book["cells"]):
            if cell["cell_type"] != "code":
                continue
            tags, text = cell["metadata"].get("tags", []), "".join(cell["source"])
            exercise = cell["metadata"].get("gpucluster", {}).get("exercise")
            if "predict" in tags:
                self.write(self.cells.nth(number), text.replace("...", "1"))
            if "exercise" in tags and exercise is not None:
                places.setdefault(exercise, []).append(number)
                if not self.stumbles_at(exercise):
                    self.write(self.cells.nth(number), solutions[cell["id"]])
            said = self.run(number)
            self.move_sliders(number)
            if "check" in tags and exercise in places and not self.stumbles_at(exercise):
                self.expect_check(exercise, said, passes=True)
            elif "check" in tags and exercise in places:
                self.answer_wrongly(exercise, places[exercise][0], number)
                if len(places) == 1 or self.stumbles is not None:
                    self.ask_for_hints(exercise, places[exercise][0])
                for place in places[exercise]:
                    self.write(self.cells.nth(place), solutions[book["cells"][place]["id"]])
                # From the first answer on: between two of them there may be a run that the second one needs.
                for place in range(places[exercise][0], number):
                    if book["cells"][place]["cell_type"] == "code":
                        self.run(place)
                self.expect_check(exercise, self.run(number), passes=True)

    def stumbles_at(self, exercise: str) -> bool:
        """Whether a wrong answer comes first."""
        return self.stumbles is None or exercise in self.stumbles

    def answer_wrongly(self, exercise: str, place: int, check: int) -> None:
        """Give a known-wrong answer and take a picture of the check's output."""
        wrong = next(one for one in answers_to(exercise) if not one.right)
        self.write(self.cells.nth(place), alone(wrong.text, exercise))
        self.run(place)
        self.expect_check(exercise, self.run(check), passes=False)
        self.cells.nth(check).scroll_into_view_if_needed()
        self.page.screenshot(path=self.pictures / f"{exercise}-wrong.png")

    def ask_for_hints(self, exercise: str, place: int) -> None:
        """Request all three hints, as the check suggests, and take a picture of them."""
        self.write(self.cells.nth(place), f'display(*(hint("{exercise}", number) for number in (1, 2, 3)))')
        if "int 3 of 3" not in (said := self.run(place)):
            self.trouble.append(f"{exercise}: the third hint: {said[-300:]}")
        self.cells.nth(place).scroll_into_view_if_needed()
        self.page.screenshot(path=self.pictures / f"{exercise}-hints.png")

    def move_sliders(self, number: int) -> None:
        """Move each slider of a cell by the keyboard, and take a picture of what it shows then."""
        handles = self.cells.nth(number).locator(".noUi-handle, input[type=range]")
        for place in range(handles.count()):
            handles.nth(place).focus()
            for _ in range(2):
                self.page.keyboard.press("ArrowRight")
            self.page.wait_for_timeout(700)
            self.page.screenshot(path=self.pictures / f"cell-{number}-slider-{place}.png")
        if handles.count() and "Traceback" in (said := self.cells.nth(number).inner_text()):
            self.trouble.append(f"cell {number}: a slider raised: {said[-300:]}")

    def expect_check(self, exercise: str, said: str, *, passes: bool) -> None:
        """Record it if a check's output differs from what is expected."""
        if ("not right yet" in said) == passes or (passes and "passed" not in said):
            self.trouble.append(f"{exercise}: the {'right' if passes else 'wrong'} answer: {said[:300]}")

    def photograph(self) -> None:
        """Take one picture per screen, from top to bottom."""
        notebook = self.page.locator(".jp-NotebookPanel .jp-WindowedPanel-outer").first
        height = notebook.evaluate("element => element.scrollHeight")
        for screen in range(-(-height // (HEIGHT - 160))):
            notebook.evaluate("(element, top) => { element.scrollTop = top }", screen * (HEIGHT - 160))
            self.page.wait_for_timeout(250)
            self.page.screenshot(path=self.pictures / f"screen-{screen:02d}.png")


def main() -> int:
    """Walk through one lesson."""
    parser = argparse.ArgumentParser(description="Work through a lesson in JupyterLab and take pictures.")
    parser.add_argument("lesson", help="number of the lesson, such as 06")
    parser.add_argument("--theme", default="JupyterLab Light", help='such as "JupyterLab Dark"')
    parser.add_argument(
        "--stumble-at",
        nargs="*",
        metavar="EXERCISE",
        help="wrong answers and hints at these exercises only, such as 06.1 06.4: a walk of fewer minutes",
    )
    parser.add_argument("--pictures", type=Path, required=True, help="folder for the pictures")
    options = parser.parse_args()
    lesson = find_lesson(options.lesson)
    if lesson is None:
        print(f"There is no lesson {options.lesson}.", file=sys.stderr)
        return 2
    options.pictures.mkdir(parents=True, exist_ok=True)
    book = json.loads(lesson.notebook.read_text(encoding="utf-8"))
    with jupyter() as lab, chromium() as browser:
        prepare(lab, options.theme)
        page = open_page(browser, lab, f"lab/tree/{FOLDER}/{lesson.slug}/{lesson.slug}.ipynb?reset", height=HEIGHT)
        page.locator(".jp-NotebookPanel .jp-Cell").nth(len(book["cells"]) - 1).wait_for(state="attached")
        page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').first.wait_for()
        learner = Learner(page, lesson, options.pictures, options.stumble_at)
        learner.work(book)
        learner.photograph()
        page.context.close()
    for line in learner.trouble:
        print(line)
    print(f"{len(learner.trouble)} troubles; pictures in {options.pictures}")
    return 1 if learner.trouble else 0


if __name__ == "__main__":
    raise SystemExit(main())

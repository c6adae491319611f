"""What a learner does with the lessons, in a real browser: outputs in an untrusted notebook, and the panel.

The tests of this module are one story and run in order: each goes on where the one before left off.
"""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")

from gpucluster.lessons.learner_progress import FILE_NAME, Progress, load, record, share
from playwright.sync_api import Browser, Locator, Page, expect

from .axe import violations
from .chromium import PATIENCE_MS, open_lessons, open_page, open_panel
from .conftest import ARTIFACTS
from .lab import Lab, jupyter
from .studynotebook import PROBLEM, right_order, write_notebook

pytestmark = pytest.mark.timeout(400)
LESSON = "06"
SLUG = "06-kmeans"


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that a class shares, with two learners in it."""
    shared = tmp_path_factory.mktemp("class")
    for name, state in (("Ada", "passed"), ("<b>Bo<b>", "failed")):
        own = tmp_path_factory.mktemp("learner")
        share(shared, name, own)
        failed = ["The sums add up"] if state == "failed" else []
        record({"kind": "check", "exercise": "06.3", "state": state, "failed": failed}, own)
    return shared


@pytest.fixture(scope="module")
def lab(classroom: Path) -> Iterator[Lab]:
    """A JupyterLab as behind a hub, of an instructor who learns too."""
    options = (f"--GPUClusterExtension.class_folder={classroom}",)
    with jupyter(base_url="/user/ada/", options=options) as running:
        write_notebook(running.directory / "root" / "Study.ipynb")
        yield running


@pytest.fixture(scope="module")
def errors() -> list[str]:
    """What went wrong in the page."""
    return []


@pytest.fixture(scope="module")
def page(browser: Browser, lab: Lab, errors: list[str]) -> Page:
    page = open_page(browser, lab, "lab/tree/Study.ipynb?reset", reduced_motion="reduce")
    page.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack}"))
    # Not all cells are drawn at once.
    expect(page.locator(".jp-Notebook .gpc-StudyOutput")).to_have_count(12)
    return page


def progress_of(lab: Lab) -> Progress:
    return load(folder_of(lab))


def eventually(lab: Lab, holds: Callable[[Progress], bool]) -> Progress:
    """Return the progress once a condition holds: a page tells the server a moment after it tells the learner."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not holds(progress_of(lab)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return progress_of(lab)


def folder_of(lab: Lab) -> Path:
    return lab.directory / "root" / "gpucluster-lessons"


def study(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def question(page: Page, number: int, quiz: str = "Quiz: Distributed k-means") -> Locator:
    return study(page, quiz).get_by_role("group", name=f"Question {number} of 4")


class TestOutputs:
    """In a notebook that Jupyter does not trust."""

    def test_a_question_is_answered_with_the_keyboard(self, page: Page, lab: Lab) -> None:
        first = question(page, 1)
        expect(first.locator("mjx-container, .MathJax").first).to_be_visible()
        expect(first.locator("pre span").first).to_be_visible()
        wrong = first.get_by_role("radio", name="1.0")
        wrong.focus()
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        expect(first.get_by_role("status")).to_have_text("✗ Incorrect. Try again.")
        expect(first.locator(".gpc-Option[data-chosen='true'] .gpc-Option-verdict")).to_have_text(
            "✗ your choice, wrong"
        )
        expect(first.get_by_text("That is the mean of all points")).to_be_visible()
        # Nothing of what the other options would say, nor the explanation.
        expect(first.get_by_text("NumPy has no objection.")).to_have_count(0)
        expect(first.get_by_text("never means")).to_have_count(0)
        for _ in range(4):
            page.keyboard.press("ArrowDown")
            if first.get_by_role("radio", name="2.0").is_checked():
                break
        page.keyboard.press("Enter")
        expect(first.get_by_role("status")).to_have_text("✓ Correct.")
        expect(first.get_by_text("never means")).to_be_visible()
        expect(study(page, "Quiz: Distributed k-means").get_by_text("1 of 4 right")).to_be_visible()
        # The keys stayed in the quiz: the notebook has no new cell and did not begin to edit one.
        expect(page.locator(".jp-Notebook.jp-mod-editMode")).to_have_count(0)
        progress = eventually(lab, lambda known: "06.q1" in known.questions and known.questions["06.q1"].answered == 2)
        answered = progress.questions["06.q1"]
        assert (answered.answered, answered.right, answered.last_right) == (2, 1, True)

    def test_several_options_numbers_and_words(self, page: Page, lab: Lab) -> None:
        second = question(page, 2)
        second.get_by_role("checkbox", name="the sums of each cluster").check()
        second.get_by_role("checkbox", name="the counts of each cluster").check()
        second.get_by_role("button", name="Check").click()
        expect(second.get_by_role("status")).to_have_text("✓ Correct.")
        third = question(page, 3)
        third.get_by_label("Your number").fill("four")
        expect(third.get_by_role("button", name="Check")).to_be_disabled()
        third.get_by_label("Your number").fill("3,7")
        third.get_by_role("button", name="Check").click()
        expect(third.get_by_role("status")).to_have_text("✓ Correct.")
        fourth = question(page, 4)
        fourth.get_by_label("Your answer").fill("  AllReduce ")
        fourth.get_by_label("Your answer").press("Enter")
        expect(fourth.get_by_role("status")).to_have_text("✓ Correct.")
        expect(study(page, "Quiz: Distributed k-means").get_by_text("4 of 4 right")).to_be_visible()

    def test_what_was_answered_is_there_after_scrolling(self, page: Page) -> None:
        study(page, "Review").scroll_into_view_if_needed()
        first = question(page, 1)
        first.scroll_into_view_if_needed()
        expect(first.get_by_role("status")).to_have_text("✓ Correct.")

    def test_an_exam_is_judged_at_the_end(self, page: Page, lab: Lab) -> None:
        exam = study(page, "Practice exam")
        question(page, 1, "Practice exam").get_by_role("radio", name="2.0").check()
        expect(exam.get_by_text("✓ Correct.")).to_have_count(0)
        exam.get_by_role("button", name="Submit").click()
        expect(exam.get_by_text("3 questions have no answer yet.")).to_be_visible()
        exam.get_by_role("button", name="Submit anyway").click()
        result = exam.locator(".gpc-Exam-result")
        expect(result).to_contain_text("1 of 4 right.")
        expect(result).to_be_focused()
        taken = eventually(lab, lambda known: bool(known.exams)).exams[-1]
        assert (taken.right, taken.total) == (1, 4)

    def test_cards_with_the_keyboard(self, page: Page, lab: Lab) -> None:
        cards = study(page, "Cards: Distributed k-means")
        cards.get_by_role("button", name="Flip the card").focus()
        page.keyboard.press("Enter")
        expect(cards.get_by_role("button", name="I knew it")).to_be_focused()
        expect(cards.get_by_text("Parts differ in size.")).to_be_visible()
        animation = cards.locator(".gpc-Card-back").evaluate("node => getComputedStyle(node).animationName")
        assert animation == "none", "less motion was asked for"
        page.keyboard.press("Enter")
        expect(cards.get_by_text("Due again in 2 days.")).to_be_visible()
        page.keyboard.press("Enter")
        cards.get_by_role("button", name="Not yet").click()
        expect(cards.get_by_text("sum and count", exact=True)).to_be_visible()
        cards.get_by_role("button", name="Flip the card").click()
        cards.get_by_role("button", name="I knew it").click()
        cards.get_by_role("button", name="Flip the card").click()
        cards.get_by_role("button", name="I knew it").click()
        expect(cards.get_by_text("You knew 2 of 3 immediately.")).to_be_visible()
        cards_known = eventually(lab, lambda known: len(known.cards) == 3).cards
        boxes = {card: known.box for card, known in cards_known.items()}
        assert boxes == {"06.c1": 2, "06.c2": 1, "hook.3": 2}

    def test_lines_are_put_in_order_with_the_keyboard_alone(self, page: Page, lab: Lab) -> None:
        parsons = study(page, "06.1 One iteration")
        texts = [line.text for line in PROBLEM.lines]
        for letter, text in zip(right_order().split(), texts, strict=True):
            parsons.get_by_role("button", name=f"Put in line {letter}: {text}").focus()
            page.keyboard.press("Enter")
            expect(parsons.get_by_text(f"Line {letter} is now")).to_be_visible()
        program = parsons.get_by_role("listbox", name="Your program")
        program.focus()
        parsons.get_by_role("button", name="Check the order").press("Enter")
        expect(parsons.get_by_text("✗ Not correct yet.")).to_be_visible()
        expect(parsons.get_by_text("wrong:")).to_be_visible()
        # The third and the fourth line belong in the loop.
        program.focus()
        for _ in range(len(texts)):
            page.keyboard.press("ArrowUp")
        for _ in range(2):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        # There and back again: the order of these two does not matter, that of the others does.
        page.keyboard.press("Alt+ArrowUp")
        parsons.get_by_role("button", name="Check the order").press("Enter")
        expect(parsons.get_by_text("✓ Correct.")).to_be_visible()
        progress = eventually(
            lab, lambda known: "06.1" in known.exercises and known.exercises["06.1"].state == "passed"
        )
        tried = progress.exercises["06.1"]
        assert (tried.state, tried.attempts) == ("passed", 2)

    def test_lines_are_dragged(self, page: Page) -> None:
        parsons = study(page, "06.1 One iteration")
        parsons.get_by_role("button", name="Start over").click()
        first, second = right_order().split()[:2]
        target = parsons.locator(".gpc-Parsons-column").nth(1)
        parsons.get_by_role("button", name=f"Put in line {first}:").drag_to(target)
        option = parsons.get_by_role("option", name=f"{first}, indented 0")
        expect(option).to_be_visible()
        parsons.get_by_role("button", name=f"Put in line {second}:").drag_to(option)
        expect(parsons.get_by_role("option").first).to_have_accessible_name(
            f"{second}, indented 0: for block in blocks:"
        )

    def test_checks_show_what_they_are_given_as_text(self, page: Page) -> None:
        failed = study(page, "06.2 Find the nearest centroid")
        expect(failed.get_by_text("1 of 2 properties hold")).to_be_visible()
        expect(failed.get_by_text("<b>one</b>")).to_be_visible()
        assert failed.locator("b").count() == 0
        expect(study(page, "Prediction 06.a").get_by_text("Your guess is 3.5 × the real value.")).to_be_visible()
        expect(page.get_by_text("From a newer version")).to_be_visible()
        # Hints come from the notebook's kernel, even where the notebook is not trusted: nothing of it is run.
        expect(page.get_by_text("| Idle")).to_be_visible()
        expect(failed.get_by_role("button", name="Hint 2")).to_be_disabled()
        failed.get_by_role("button", name="Hint 1").click()
        expect(failed.get_by_text("Hint 1 of 3.")).to_be_visible()
        failed.get_by_role("button", name="Hint 2").click()
        expect(failed.get_by_text("Hint 2 of 3.")).to_be_visible()
        failed.get_by_role("button", name="Hint 1").click()
        expect(failed.get_by_text("Hint 1 of 3.")).to_be_visible()
        failed.scroll_into_view_if_needed()
        ARTIFACTS.mkdir(exist_ok=True)
        failed.screenshot(path=ARTIFACTS / "check-hints.png")

    def test_nothing_serious_is_wrong_for_assistive_technology(self, page: Page) -> None:
        assert violations(page, ".jp-Notebook .gpc-StudyOutput") == []


class TestPanel:
    def test_the_lessons_are_copied(self, page: Page, lab: Lab) -> None:
        panel = open_lessons(open_panel(page))
        expect(panel.get_by_text("Quiz:").first).to_be_visible()
        # A beginner has nothing to review; a blocked lesson is one click away.
        first = panel.get_by_role("listitem").filter(has_text="Distributed k-means").first
        expect(first.get_by_role("button", name="06 Distributed k-means")).to_be_visible()
        panel.get_by_role("button", name="Copy all lessons").click()
        expect(panel.get_by_role("button", name="Copy all lessons")).to_have_count(0)
        assert (folder_of(lab) / SLUG / f"{SLUG}.ipynb").is_file()

    def test_an_exercise_opens_at_its_cell(self, page: Page) -> None:
        panel = open_lessons(open_panel(page))
        row = panel.get_by_role("listitem").filter(has_text="Distributed k-means").first
        row.get_by_role("button", name="Details of lesson 06").click()
        row.get_by_title("Open the cell of exercise 06.5").click()
        notebook = page.locator(".jp-NotebookPanel:visible")
        active = notebook.locator(".jp-Cell.jp-mod-active")
        expect(active).to_contain_text("06.5")
        expect(active).to_be_in_viewport()
        # Who has only looked has nothing to save, even when the kernel has told of its language.
        notebook.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()
        expect(page.locator(".lm-TabBar-tab.lm-mod-current").filter(has_text=SLUG)).not_to_have_class(
            re.compile("dirty")
        )

    def test_progress_of_a_kernel_arrives_by_itself(self, page: Page, lab: Lab) -> None:
        record({"kind": "check", "exercise": "06.2", "state": "failed", "failed": ["It is sorted"]}, folder_of(lab))
        panel = open_lessons(open_panel(page))
        exercise = panel.get_by_title("Open the cell of exercise 06.2")
        expect(exercise.get_by_role("img", name="not correct yet")).to_be_visible()
        ARTIFACTS.mkdir(exist_ok=True)
        panel.screenshot(path=ARTIFACTS / "lessons.png")
        expect(panel.get_by_text("Its last check failed: It is sorted.")).to_be_visible()

    def test_a_link_of_a_question_leads_to_the_lesson(self, page: Page) -> None:
        page.locator(".lm-TabBar-tab").filter(has_text="Study.ipynb").click()
        question(page, 1).get_by_role("button", name="Covered in: 06.3").click()
        active = page.locator(".jp-NotebookPanel:visible .jp-Cell.jp-mod-active")
        expect(active).to_contain_text("06.3")

    def test_a_link_that_leads_nowhere_says_so(self, page: Page) -> None:
        page.locator(".lm-TabBar-tab").filter(has_text="Study.ipynb").click()
        question(page, 2).get_by_role("button", name="Covered in").click()
        expect(page.get_by_text("has no such cell")).to_be_visible()

    def test_restarting_a_lesson_keeps_the_previous_copy(self, page: Page, lab: Lab) -> None:
        panel = open_lessons(open_panel(page))
        # What is typed but not saved is kept too.
        panel.get_by_title("Open the cell of exercise 06.5").click()
        notebook = page.locator(".jp-NotebookPanel:visible")
        expect(notebook.locator(".jp-Cell.jp-mod-active")).to_contain_text("06.5")
        page.keyboard.press("b")
        page.keyboard.press("Enter")
        page.keyboard.insert_text("# my own words")
        expect(notebook.get_by_text("# my own words")).to_be_visible()
        panel.get_by_role("button", name=f"Start lesson {LESSON} over").click()
        page.get_by_role("dialog").get_by_role("button", name="Start Over").click()
        expect(page.get_by_text("Your previous copy is in")).to_be_visible()
        expect(notebook.get_by_text("# my own words")).to_have_count(0)
        [backup] = folder_of(lab).glob(f"{SLUG}.backup-*")
        assert "# my own words" in (backup / f"{SLUG}.ipynb").read_text()
        assert "# my own words" not in (folder_of(lab) / SLUG / f"{SLUG}.ipynb").read_text()

    def test_the_class_is_shown_to_its_instructor(self, page: Page) -> None:
        panel = open_lessons(open_panel(page))
        panel.get_by_role("button", name="Class").click()
        tab = page.locator("#gpucluster-class")
        expect(tab.get_by_role("heading", name="2 learners share progress")).to_be_visible()
        expect(tab.get_by_role("row", name="Ada")).to_contain_text("passed")
        expect(tab.get_by_role("row", name="<b>Bo<b>")).to_contain_text("The sums add up")
        assert tab.locator("b").count() == 0
        assert violations(page, "#gpucluster-class") == []

    def test_nothing_serious_is_wrong_for_assistive_technology(self, page: Page) -> None:
        open_lessons(open_panel(page))
        assert violations(page, ".gpc-Lessons") == []

    def test_progress_is_deleted_after_a_question(self, page: Page, lab: Lab) -> None:
        panel = open_lessons(open_panel(page))
        delete = panel.get_by_role("button", name="Delete my progress…")
        delete.click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        assert (folder_of(lab) / FILE_NAME).exists()
        delete.click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(delete).to_have_count(0)
        assert not (folder_of(lab) / FILE_NAME).exists()
        assert (folder_of(lab) / SLUG / f"{SLUG}.ipynb").exists()

    def test_nothing_went_wrong(self, errors: list[str]) -> None:
        assert errors == []

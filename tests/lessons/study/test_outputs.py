"""What quiz, cards, hooks, Parsons problems and progress leave in a notebook."""

import json
import pkgutil
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import gpucluster.lessons
import pytest
from gpucluster.lessons import cards, exam, hooks, parsons, quiz
from gpucluster.lessons.learner_progress import record
from gpucluster.lessons.results import LESSON_MIME
from gpucluster.lessons.study.output import StudyOutput, html_of, inline
from gpucluster.lessons.study.scrambling import hashed, unlocked

from .conftest import PROBLEM, card, question


class Tags(HTMLParser):
    """Collects the tags of a page, and sees whether they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        self.open.append(tag)
        assert {name for name, _ in attrs} <= {"type", "style"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags_of(html: str) -> set[str]:
    parser = Tags()
    parser.feed(html)
    assert parser.open == []
    return parser.seen


def bundle(output: StudyOutput) -> dict[str, Any]:
    made = output._repr_mimebundle_()
    json.dumps(made)
    return made


def test_a_quiz_asks_the_formative_questions(kit: Path) -> None:
    made = bundle(quiz("91"))
    payload = made[LESSON_MIME]
    assert {key: payload[key] for key in ("kind", "schema_version", "id", "title", "mode")} == {
        "kind": "quiz", "schema_version": 1, "id": "91", "title": "Quiz: Lesson <91>", "mode": "practice"
    }  # fmt: skip
    assert [item["id"] for item in payload["questions"]] == ["91.q1", "91.q2", "91.q3", "91.q4"]
    fields = {"id", "type", "topic", "lesson", "link", "stem", "code", "unit", "options", "salt", "answers", "step",
              "feedback", "explanation"}  # fmt: skip
    assert all(set(item) == fields for item in payload["questions"])


def test_a_question_can_be_judged_and_explained_from_its_record(kit: Path) -> None:
    choice, several, number, text = bundle(quiz("91"))[LESSON_MIME]["questions"]
    by_text = {option["text"]: option["id"] for option in choice["options"]}
    right = [letter for letter in by_text.values() if hashed(choice["salt"], letter) in choice["answers"]]
    assert right == [by_text["two"]]
    assert unlocked(choice["salt"], by_text["three"], choice["feedback"][by_text["three"]]) == "That is one too many."
    both = sorted(option["id"] for option in several["options"] if option["text"] != "three")
    assert several["answers"] == [hashed(several["salt"], ",".join(both))]
    assert (number["unit"], number["step"]) == ("s", 0.005)
    assert hashed(number["salt"], "744") in number["answers"]
    assert unlocked(text["salt"], "explanation", text["explanation"]) == "So."
    assert text["answers"] == [hashed(text["salt"], answer) for answer in ("ring", "ring allreduce")]


def test_the_same_question_gives_the_same_output(kit: Path) -> None:
    assert bundle(quiz("91")) == bundle(quiz("91"))
    assert bundle(parsons("91.1")) == bundle(parsons("91.1"))


def test_pages_without_our_extension_open_the_answers_with_a_click(kit: Path) -> None:
    html = bundle(quiz("91"))["text/html"]
    assert tags_of(html) == {"h3", "section", "p", "strong", "ol", "ul", "li", "code", "details", "summary"}
    assert html.count("<details>") == 4
    before, _, after = html.partition("<details>")
    assert "One and one." not in before
    assert "One and one." in after
    assert "&lt;script&gt;" in html and "<script" not in html
    assert "3.72" in html and "(± 0.05)" in html and "ring or Ring Allreduce" in html


def test_the_text_of_a_quiz_has_no_answers(kit: Path) -> None:
    text = bundle(quiz("91"))["text/plain"]
    assert re.search(r"^1\. 1 \+ 1\?\n   A\) ", text, re.MULTILINE)
    assert "One and one." not in text and "3.72" not in text


def test_a_lesson_without_questions_is_a_sentence(kit: Path) -> None:
    made = bundle(quiz("77"))
    assert made["text/plain"] == "Lesson '77' not found. Lessons: 91, 92."
    assert LESSON_MIME not in made
    (kit / "91-one" / "quiz.json").write_text("{")
    assert "is not valid JSON" in bundle(quiz("91"))["text/plain"]


def test_cards(kit: Path) -> None:
    made = bundle(cards("91"))
    assert made[LESSON_MIME]["cards"][0] == {
        "id": "91.c1", "topic": "sums", "link": "91#sum", "front": "A **sum**?", "back": "`+`", "name": None
    }  # fmt: skip
    assert tags_of(made["text/html"]) == {"h3", "details", "summary", "strong", "p", "code"}
    assert "`+`" not in made["text/plain"]
    assert len(bundle(cards())[LESSON_MIME]["cards"]) == 8


def test_a_program_on_a_card_keeps_its_lines(kit: Path) -> None:
    front = "What is printed?\n\n```python\nx = 1\nprint(x)\n```"
    path = kit / "91-one" / "cards.json"
    path.write_text(json.dumps({"schema_version": 1, "lesson": "91", "cards": [card(1, front=front)]}))
    summary = "<summary><p>What is printed?</p><pre><code>x = 1\nprint(x)</code></pre></summary>"
    assert summary in bundle(cards("91"))["text/html"]


def test_cards_that_are_due(kit: Path) -> None:
    assert len(bundle(cards("91", due=True))[LESSON_MIME]["cards"]) == 3
    record({"kind": "card", "id": "91.c2", "known": True})
    record({"kind": "card", "id": "91.c1", "known": False})
    assert [card["id"] for card in bundle(cards("91", due=True))[LESSON_MIME]["cards"]] == ["91.c3"]
    record({"kind": "card", "id": "91.c3", "known": True})
    assert bundle(cards("91", due=True))["text/plain"] == "No card is due today."


def test_new_cards_of_lessons_that_are_not_begun_can_wait(kit: Path) -> None:
    def due() -> list[str]:
        shown = bundle(cards(due=True)).get(LESSON_MIME, {"cards": []})
        return [card["id"] for card in shown["cards"]]

    assert due() == [], "who has begun nothing has nothing to repeat"
    record({"kind": "question", "id": "92.q1", "right": True})
    assert due() == ["92.c1", "92.c2", "92.c3", "hook.1", "hook.2"]


def test_hooks_have_names(kit: Path) -> None:
    made = bundle(hooks())
    assert [card["name"] for card in made[LESSON_MIME]["cards"]] == ["<1>", "<2>"]
    assert "<strong>&lt;1&gt;</strong>: " in made["text/html"]
    assert made["text/plain"].startswith("Memory hooks\n\n1. <1>: A **sum**?")


def test_a_parsons_problem(kit: Path) -> None:
    made = bundle(parsons("91.1"))
    payload = made[LESSON_MIME]
    assert [line["id"] for line in payload["lines"]] == list("ABCDE")
    assert {line["text"] for line in payload["lines"]} == {
        line["text"] for line in [*PROBLEM["lines"], *PROBLEM["distractors"]]
    }
    rules = json.loads(unlocked(payload["salt"], "parsons", payload["locked"]))
    letter = {line["text"]: line["id"] for line in payload["lines"]}
    assert rules["indent"][letter["total += x"]] == 1
    assert sorted(rules["after"][letter["for x in data:"]]) == sorted([letter["total = 0"], letter["count = 0"]])
    assert rules["distractors"] == {letter["total = x"]: "It forgets what came before."}
    assert tags_of(made["text/html"]) == {"h3", "p", "ul", "li", "code", "details", "summary", "pre"}
    assert "for x in data:\n    total += x" in made["text/html"]
    assert 'check("91.1", [("B", 0), ("A", 1)])' in made["text/plain"]


@pytest.mark.parametrize("number", ["91.9", "92.1", "77.1", "", 99.1, None])
def test_a_parsons_problem_that_is_not_there(kit: Path, number: Any) -> None:
    made = bundle(parsons(number))
    assert LESSON_MIME not in made
    assert made["text/plain"].endswith(".")


def test_an_exam_is_judged_at_the_end(kit: Path) -> None:
    made = bundle(exam(7, questions=4))
    payload = made[LESSON_MIME]
    assert (payload["id"], payload["mode"], payload["title"]) == ("exam-7", "exam", "Practice exam 7")
    assert {item["id"] for item in payload["questions"]} == {"91.q5", "91.q6", "92.q5", "92.q6"}
    assert bundle(exam(7, questions=4)) == made
    assert any(bundle(exam(seed, questions=4)) != made for seed in (8, 9))
    html = made["text/html"]
    assert html.count("<details>") == 1
    assert "One and one." not in html.partition("<details>")[0]


def test_an_exam_takes_questions_of_the_lessons_asked_for(kit: Path) -> None:
    drawn = bundle(exam(1, questions=6, lessons=["92"]))[LESSON_MIME]["questions"]
    assert sorted(item["id"] for item in drawn) == [f"92.q{number}" for number in range(1, 7)]
    assert bundle(exam(1, questions=13))["text/plain"] == "There are 12 questions to draw from: ask for 1 to 12."
    assert "ask for 1 to 6." in bundle(exam(1, questions="ten", lessons="92"))["text/plain"]
    assert bundle(exam(1, lessons=["77"]))["text/plain"] == "These lessons have no questions yet."
    for wrong in (3, [3], [["92"]]):
        assert 'such as `exam(lessons=["03", "04"])`' in bundle(exam(1, lessons=wrong))["text/plain"]
    for wrong in ("a", [1], True, 1.5):
        assert "such as `exam(4711)`" in bundle(exam(wrong))["text/plain"]


def test_an_exam_is_a_new_one_each_time(kit: Path) -> None:
    assert len({exam(questions=2).record["id"] for _ in range(20)}) > 10


def test_progress_shows_what_was_done(kit: Path, own_progress: Path) -> None:
    empty = bundle(gpucluster.lessons.progress())
    assert "No progress yet. It will be saved in" in empty["text/plain"]
    record({"kind": "check", "exercise": "91.1", "state": "passed"})
    record({"kind": "question", "id": "91.q1", "right": True})
    record({"kind": "question", "id": "91.q2", "right": False})
    record({"kind": "card", "id": "91.c1", "known": True})
    record({"kind": "exam", "answers": {"91.q5": True, "92.q5": False}})
    made = bundle(gpucluster.lessons.progress())
    assert "91  Lesson <91>  exercises 1/2  questions 1/4  cards due 2/3" in made["text/plain"]
    assert ": 1 of 2 right." in made["text/plain"]
    assert f"Kept in {own_progress}" in made["text/plain"]
    assert tags_of(made["text/html"]) == {"table", "thead", "tbody", "tr", "th", "td", "p"}
    assert "Lesson &lt;91&gt;" in made["text/html"]


def test_no_module_takes_the_place_of_a_public_name() -> None:
    """Importing a module sets its name in the package above: ``lessons.progress`` must stay a function."""
    modules = {module.name for module in pkgutil.iter_modules(gpucluster.lessons.__path__)}
    assert not modules & {*gpucluster.lessons.__all__}


def test_a_progress_file_that_cannot_be_read_is_a_sentence(kit: Path, own_progress: Path) -> None:
    (own_progress / "gpucluster-progress.json").write_text("{")
    for output in (gpucluster.lessons.progress(), cards("91", due=True), gpucluster.lessons.advise()):
        assert "is corrupted" in bundle(output)["text/plain"]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a `b < c` **d** *e* <i>", "a <code>b &lt; c</code> <strong>d</strong> <em>e</em> &lt;i&gt;"),
        ("2 * 3 * 4 and a*b*c", "2 * 3 * 4 and a*b*c"),
        ("`**x**` and ``a`b``", "<code>**x**</code> and <code>a`b</code>"),
        ("$a_1 * b_1$", "$a_1 * b_1$"),
        (
            "*All*reduce, *with `x * y` inside* and **`bold`**",
            "<em>All</em>reduce, <em>with <code>x * y</code> inside</em> and <strong><code>bold</code></strong>",
        ),
        ("$a*b < c*d$ *x*", "$a*b &lt; c*d$ <em>x</em>"),
        ("costs $5", "costs $5"),
        ("\"quoted\" & 'so'", "\"quoted\" &amp; 'so'"),
    ],
)
def test_simple_markdown(markdown: str, html: str) -> None:
    assert inline(markdown) == html


def test_paragraphs_lists_and_programs() -> None:
    html = html_of("One.\n\n- a\n- `b`\n\n1. c\n2. d\n\n```python\nx = 1 < 2\n```\n\nTwo\nlines.")
    lists = '<ul><li>a</li><li><code>b</code></li></ul><ol type="1"><li>c</li><li>d</li></ol>'
    assert html == f"<p>One.</p>{lists}<pre><code>x = 1 &lt; 2</code></pre><p>Two\nlines.</p>"


def test_what_authors_write_cannot_break_out(kit: Path) -> None:
    evil = '</details><script>alert(1)</script><img src=x onerror="alert(1)">`</code>`**</strong>**'
    files = {
        "quiz.json": {"schema_version": 1, "lesson": "91", "questions": [question(1, stem=evil, code=evil)]},
        "cards.json": {"schema_version": 1, "lesson": "91", "cards": [card(1, front=evil, back=evil)]},
        "parsons.json": [{**PROBLEM, "prompt": evil}],
    }
    for name, content in files.items():
        (kit / "91-one" / name).write_text(json.dumps(content))
    for output in (quiz("91"), cards("91"), parsons("91.1")):
        assert {"script", "img"}.isdisjoint(tags_of(bundle(output)["text/html"]))

"""Words of the lessons: each first use is a link to the list at the end, in notebooks, pages and on the site."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.building.source import LessonSource, SourceCell
from gpucluster.lessons.building.words import Word, WordsError, page, read_words, with_words
from gpucluster.lessons.catalogue import Lesson, find_lesson, lessons
from markdown_it import MarkdownIt
from markdown_it.token import Token

EACH = [pytest.param(lesson, id=lesson.id) for lesson in lessons()]
ROW = Word("task", "one call", "02#graphs", ("task",))
STREAM = Word("task stream", "a record", "13", ("task stream",), frozenset({"13"}))


def prose(text: str) -> Iterator[tuple[str, str | None]]:
    """Give each piece of a Markdown text that is read as prose, and the link that it stands in."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    heading = False
    for token in tokens:
        if token.type.startswith("heading"):
            heading = token.nesting == 1
        if token.type == "inline" and not heading:
            yield from _inline(token.children or [])


def _inline(tokens: list[Token]) -> Iterator[tuple[str, str | None]]:
    link: str | None = None
    text = ""
    for token in tokens:
        if token.type in {"link_open", "link_close"}:
            yield text, link
            text = ""
            link = str(token.attrs["href"]) if token.type == "link_open" else None
        else:
            other = "" if token.type == "html_inline" else " " if token.type == "softbreak" else "\0"
            text += token.content if token.type == "text" else other
    yield text, link


def lesson_prose(cells: list[dict[str, Any]]) -> Iterator[tuple[str, str | None]]:
    for cell in cells:
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] == "markdown" and "instructor" not in tags and "words" not in tags:
            text = re.sub(r"<summary>.*?</summary>|https?://[^\s)]+", " ", "".join(cell["source"]))
            yield from prose(re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", " ", text, flags=re.DOTALL))


@pytest.mark.parametrize("copy", ["notebook", "solution_notebook"])
@pytest.mark.parametrize("lesson", EACH)
def test_the_first_use_of_each_word_is_its_only_link(lesson: Lesson, copy: str) -> None:
    book = json.loads(getattr(lesson, copy).read_text(encoding="utf-8"))
    words = {word.anchor: word for word in read_words() if word.used_in(lesson.id)}
    longer_first = sorted((s for w in words.values() for s in w.spellings), key=len, reverse=True)
    any_word = re.compile(rf"(?<![\w/#.-])({'|'.join(map(re.escape, longer_first))})(?:s|es)?(?![\w/-])", re.IGNORECASE)
    anchor_of = {spelling.lower(): word.anchor for word in words.values() for spelling in word.spellings}
    linked: list[str] = []
    for text, link in lesson_prose(book["cells"]):
        assert "**" not in text, "a mark of bold letters that the link has broken"
        if link is not None and link.startswith("#word-"):
            linked.append(link[1:])
        elif link is None:
            for found in any_word.finditer(" ".join(text.split())):
                assert anchor_of[found[1].lower()] in linked, f"{found[0]!r} in: {text}"
    assert linked, "a lesson without any word"
    assert len(linked) == len(set(linked))
    (listed,) = ["".join(cell["source"]) for cell in book["cells"] if "words" in cell["metadata"].get("tags", [])]
    assert re.findall(r'<span id="([^"]+)">', listed) == linked
    assert all(f"**{words[anchor].name}**: {words[anchor].meaning}" in listed for anchor in linked)
    text = "".join("".join(cell["source"]) for cell in book["cells"])
    assert all(f'id="{back}"' in text for back in re.findall(r"\[↑\]\(#(\S+)", listed))


def test_every_word_is_used_and_explained_where_it_says() -> None:
    used = {word.name for word in read_words() for lesson in lessons() if f"**{word.name}**" in _list(lesson)}
    assert [word.name for word in read_words() if word.name not in used] == []
    for word in read_words():
        lesson, _, anchor = word.place.partition("#")
        known = find_lesson(lesson)
        assert known is not None, word.name
        assert not anchor or anchor in known.anchors, word.name


def test_a_spelling_means_one_thing_in_a_lesson() -> None:
    for lesson in lessons():
        spellings = [s.lower() for word in read_words() if word.used_in(lesson.id) for s in word.spellings]
        assert len(spellings) == len(set(spellings)), lesson.id


def test_the_page_lists_every_word_and_links_its_lesson() -> None:
    rows = page(read_words()).splitlines()
    assert len(rows) == len(read_words())
    assert [word.name for word in read_words() if not any(row.startswith(f"* **{word.name}**") for row in rows)] == []
    assert page([ROW]) == (
        "* **task**: one call ([02](../../notebooks/02-lazy-on-purpose/02-lazy-on-purpose.ipynb#graphs))\n"
    )


def linked(text: str, lesson: str = "13", *words: Word) -> str:
    cells = (SourceCell("markdown", text),)
    source = LessonSource(lesson, "13-x", "X", 1, "cpu", (), (), cells)
    return with_words(source, words or (ROW, STREAM)).cells[0].text


def test_only_prose_gets_links() -> None:
    kept = "## A task\n\n`task` and ``a ` task`` $task$ [task](x.md) <img alt='task'>\n\n```\ntask\n```\n"
    assert linked(kept) == kept
    assert (
        linked("`a` **Tasks**, task") == '`a` **[<span id="use-task"></span>Tasks](#word-task "task: one call")**, task'
    )


def test_the_longer_word_wins_also_over_two_lines() -> None:
    task = '[<span id="use-task"></span>{}](#word-task "task: one call")'
    stream = '[<span id="use-task-stream"></span>task\nstream](#word-task-stream "task stream: a record")'
    assert linked("a task\nstream of tasks") == f"a {stream} of {task.format('tasks')}"
    assert linked("task stream", "12") == f"{task.format('task')} stream"
    assert linked("multitask, task-like, a/task") == "multitask, task-like, a/task"


def test_hints_and_what_is_for_the_instructor_stay() -> None:
    cells = (SourceCell("markdown", "a task", ("hint-1",), "13.1"), SourceCell("markdown", "a task", ("instructor",)))
    source = LessonSource("13", "13-x", "X", 1, "cpu", (), (), cells)
    assert with_words(source, (ROW,)) == source


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("task: {is: a}", "task needs its meaning"),
        ("task: {is: a, at: x}", "neither a lesson"),
        ('task: {is: "a|b", at: "02"}', "must not contain"),
        ('task: {is: a, at: "02", in: [99]}', "list of lessons"),
        ("[]", "is not a list of words"),
        ("{", "cannot be read"),
    ],
)
def test_a_fault_of_the_file_is_said(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "words.yaml"
    file.write_text(text)
    with pytest.raises(WordsError, match=sentence):
        read_words(file)


def _list(lesson: Lesson) -> str:
    book = json.loads(lesson.notebook.read_text(encoding="utf-8"))
    return "".join("".join(cell["source"]) for cell in book["cells"] if "words" in cell["metadata"].get("tags", []))

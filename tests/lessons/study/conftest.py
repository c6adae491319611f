"""A small separate set of lessons."""

import json
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons import catalogue

OPTIONS = [
    {"text": "two", "correct": True, "why": "One and one."},
    {"text": "three", "why": "That is one too many."},
    {"text": "`<script>`", "why": "That is no number."},
    {"text": "none", "why": "There is something."},
]


def question(number: int, lesson: str = "91", **fields: Any) -> dict[str, Any]:
    """Return a question as an author writes it."""
    plain = {"id": f"{lesson}.q{number}", "type": "choice", "topic": "sums", "link": f"{lesson}#sum", "stem": "1 + 1?"}
    kind = fields.get("type", "choice")
    return {**plain, **({"options": OPTIONS} if kind in {"choice", "several"} else {"explanation": "So."}), **fields}


def card(number: int, lesson: str = "91", **fields: Any) -> dict[str, Any]:
    """Return a card as an author writes it."""
    plain = {"id": f"{lesson}.c{number}", "topic": "sums", "link": f"{lesson}#sum"}
    return {**plain, "front": "A **sum**?", "back": "`+`", **fields}


PROBLEM = {
    "id": "91.1",
    "title": "Loop",
    "prompt": "Put them in order.",
    "indent": True,
    "lines": [
        {"id": "start", "text": "total = 0"},
        {"id": "other", "text": "count = 0"},
        {"id": "loop", "text": "for x in data:", "after": ["start", "other"]},
        {"id": "add", "text": "total += x", "indent": 1, "after": ["loop"]},
    ],
    "distractors": [{"id": "wrong", "text": "total = x", "why": "It forgets what came before."}],
}


def sheet(lesson: str, slug: str) -> dict[str, Any]:
    exercises = [{"id": f"{lesson}.{n}", "title": f"Step {n}", "hints": ["a", "b", "c"], "solution": "pass",
                  "topic": "sums" if n == 1 else "loops"} for n in (1, 2)]  # fmt: skip
    return {
        "id": lesson, "slug": slug, "title": f"Lesson <{lesson}>", "minutes": 10, "needs": "cpu",
        "objectives": ["add"], "exercises": exercises, "anchors": ["sum"], "keypoints": [],
        "topics": [{"name": "sums", "title": "Sums & counts", "link": f"{lesson}#sum"},
                   {"name": "loops", "title": "Loops", "link": f"{lesson}.2"}],
    }  # fmt: skip


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two lessons with questions and cards; no others are known."""
    folder = tmp_path / "lessons"
    for lesson, slug in (("91", "91-one"), ("92", "92-two")):
        home = folder / slug
        home.mkdir(parents=True)
        questions = [
            question(1, lesson),
            question(2, lesson, type="several", options=[*OPTIONS[:2], {"text": "2.0", "correct": True}]),
            question(3, lesson, type="number", answer=3.72, tolerance=0.05, unit="s", topic="loops"),
            question(4, lesson, type="text", answers=["ring", "Ring Allreduce"]),
            question(5, lesson, exam_only=True, code="print('<b>')\n", topic="loops"),
            question(6, lesson, exam_only=True),
        ]
        files = {
            "sheet.json": sheet(lesson, slug),
            "quiz.json": {"schema_version": 1, "lesson": lesson, "questions": questions},
            "cards.json": {"schema_version": 1, "lesson": lesson, "cards": [card(n, lesson) for n in (1, 2, 3)]},
        }
        for name, content in files.items():
            (home / name).write_text(json.dumps(content))
    (folder / "91-one" / "parsons.json").write_text(json.dumps([PROBLEM]))
    hooks = [card(1, "hook", id=f"hook.{n}", name=f"<{n}>", link="91") for n in (1, 2)]
    (folder / "hooks.json").write_text(json.dumps({"schema_version": 1, "cards": hooks}))
    monkeypatch.setattr(catalogue, "BUILT", folder)
    return folder

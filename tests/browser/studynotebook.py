"""A notebook with every kind of output that lessons leave. It was not run here, so Jupyter does not trust it."""

import json
from pathlib import Path
from typing import Any

from gpucluster.lessons.lab import Report
from gpucluster.lessons.predictions import Comparison
from gpucluster.lessons.results import LESSON_MIME, CheckResult, Finding, State
from gpucluster.lessons.study.bank.items import (
    Card,
    ChoiceQuestion,
    NumberQuestion,
    Parsons,
    SeveralQuestion,
    TextQuestion,
)
from gpucluster.lessons.study.cards import show_cards
from gpucluster.lessons.study.output import StudyOutput
from gpucluster.lessons.study.parsons import lettered, rules_of, salt_of
from gpucluster.lessons.study.quiz import show_questions
from gpucluster.lessons.study.scrambling import locked

QUESTIONS = [
    ChoiceQuestion.model_validate(
        {
            "id": "06.q1", "type": "choice", "topic": "sums", "link": "06.3",
            "stem": "Two workers hold $n_1 = 1$ and $n_2 = 3$ points. What is the **mean of means**?",
            "code": "parts = [np.array([4.0]), np.array([0.0, 0.0, 0.0])]\nnp.mean([part.mean() for part in parts])",
            "options": [
                {"text": "`2.0`", "correct": True, "why": "Each part counts the same, whatever its size."},
                {"text": "`1.0`", "why": "That is the mean of all points: $4/4$."},
                {"text": "`4.0`", "why": "That is the sum."},
                {"text": "It raises an error", "why": "NumPy has no objection."},
            ],
            "explanation": "Merge **sums and counts**, never means.",
        }
    ),
    SeveralQuestion.model_validate(
        {
            "id": "06.q2", "type": "several", "topic": "sums", "link": "06#no-such-cell",
            "stem": "What must travel between workers in one iteration?",
            "options": [
                {"text": "the sums of each cluster", "correct": True, "why": "k × d numbers."},
                {"text": "the counts of each cluster", "correct": True, "why": "k numbers."},
                {"text": "the points", "why": "They stay where they are."},
            ],
        }
    ),
    NumberQuestion.model_validate(
        {
            "id": "06.q3", "type": "number", "topic": "sums", "link": "06.5", "stem": "How long does it take?",
            "answer": 3.72, "tolerance": 0.05, "unit": "s", "explanation": "Four iterations of 0.93 s.",
        }
    ),
    TextQuestion.model_validate(
        {
            "id": "06.q4", "type": "text", "topic": "sums", "link": "06.5", "stem": "What adds up all arrays?",
            "answers": ["allreduce", "all reduce"], "explanation": "Every worker has the sum in the end.",
        }
    ),
]  # fmt: skip
EXAM = [question.model_copy(update={"id": question.id.replace("q", "q1")}) for question in QUESTIONS]
CARDS = [
    Card(id="06.c1", topic="sums", link="06.3", front="Why not the *mean of means*?", back="Parts differ in size."),
    Card(id="06.c2", topic="sums", link="06.4", front="What is $\\sum_i n_i$?", back="The number of **all** points."),
    Card(
        id="hook.3", topic="sums", link="06.4", name="sum and count", front="What do you merge?",
        back="Sums and counts, never means.",
    ),
]  # fmt: skip
PROBLEM = Parsons.model_validate(
    {
        "id": "06.1", "title": "One iteration", "indent": True,
        "prompt": "Put the lines in order: one pass over the *blocks*. One line does not belong.",
        "lines": [
            {"id": "start", "text": "sums, counts = 0, 0"},
            {"id": "loop", "text": "for block in blocks:", "after": ["start"]},
            {"id": "sum", "text": "sums = sums + block.sum(axis=0)", "indent": 1, "after": ["loop"]},
            {"id": "count", "text": "counts = counts + len(block)", "indent": 1, "after": ["loop"]},
            {"id": "mean", "text": "mean = sums / counts", "after": ["sum", "count"]},
        ],
        "distractors": [
            {"id": "wrong", "text": "mean = np.mean(means)", "why": "It is the mean of means, which is wrong."}
        ],
    }
)  # fmt: skip


def outputs() -> dict[str, dict[str, Any]]:
    """Return one MIME bundle for each kind of output, by name."""
    found: dict[str, Any] = {
        "quiz": show_questions("06", "Quiz: Distributed k-means", QUESTIONS, mode="practice"),
        "exam": show_questions("exam-7", "Practice exam", EXAM, mode="exam"),
        "cards": show_cards("06", "Cards: Distributed k-means", CARDS),
        "parsons": _parsons(),
        "advice": _advice(),
        "failed": CheckResult(
            "06.2",
            "Find the nearest centroid",
            State.FAILED,
            (
                Finding("It returns one label per point", True, "1,000 labels for 1,000 points"),
                Finding(
                    "Each label is the nearest centroid", False, "17 of 1,000 points are nearer to another <b>one</b>"
                ),
            ),
            next_step='Next: hint 1 of 3, `hint("06.2")`.',
        ),
        "passed": CheckResult("06.3", "Sums and counts", State.PASSED, (Finding("They add up", True, "they do"),)),
        "not_yet": CheckResult("06.4", "A counter-example", State.NOT_YET, message="`answer` is still empty."),
        "prediction": Comparison("06.a", 12, 3.4, "MB"),
        "unguessed": Comparison("06.b", None, 3.4, "MB"),
        "report": Report("06", {"iterations": 12, "inertia": 1234.5678, "workers": 2}),
    }
    bundles = {name: output._repr_mimebundle_() for name, output in found.items()}
    newer = {LESSON_MIME: {"kind": "quiz", "schema_version": 99}, "text/html": "<p>From a newer version</p>"}
    return {**bundles, "newer": newer}


def write_notebook(path: Path) -> None:
    """Write the notebook: one cell for each output, named like it."""
    cells = [
        {
            "cell_type": "code", "id": f"cell-{name.replace('_', '-')}", "metadata": {}, "source": f"# {name}",
            "execution_count": 1,
            "outputs": [{"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": bundle}],
        }
        for name, bundle in outputs().items()
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")


def right_order() -> str:
    letter_of = {line.id: letter for letter, line in lettered(PROBLEM).items()}
    return " ".join(letter_of[line.id] for line in PROBLEM.lines)


def _parsons() -> StudyOutput:
    salt = salt_of(PROBLEM.id)
    record = {
        "kind": "parsons", "schema_version": 1, "exercise": PROBLEM.id, "title": PROBLEM.title,
        "prompt": PROBLEM.prompt, "indent": PROBLEM.indent, "salt": salt,
        "lines": [{"id": letter, "text": line.text} for letter, line in lettered(PROBLEM).items()],
        "locked": locked(salt, "parsons", json.dumps(rules_of(PROBLEM))),
    }  # fmt: skip
    return StudyOutput(record, "<p>Lines</p>", "Lines")


def _advice() -> StudyOutput:
    item = {
        "topic": "sums", "title": "Sums and counts", "score": 4, "link": "06#mean-of-means", "exercise": "06.4",
        "cards": ["06.c1", "06.c2"], "why": "Question 06.q1 was answered wrong. 06.4 is not passed after 3 checks.",
    }  # fmt: skip
    return StudyOutput({"kind": "advice", "schema_version": 1, "items": [item]}, "<p>Advice</p>", "Advice")

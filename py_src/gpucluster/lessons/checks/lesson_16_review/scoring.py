"""Lesson 16, no cluster needed: points that guessing does not raise, and how lucky a guesser can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import number

Item = tuple[str, int | None, str]


def points_of(kind: str, options: int | None, outcome: str) -> float:
    """Return the points of one answer: a guesser gets 0 on average."""
    if outcome == "skipped":
        return 0.0
    if outcome == "right":
        return 1.0
    if options is None:
        return 0.0
    ways = options if kind == "choice" else 2**options - 1
    return -1 / (ways - 1)


def luck_of(chances: Sequence[float], right: int) -> float:
    """Return the probability that a guesser has at least so many right."""
    spread = np.ones(1)
    for chance in chances:
        spread = np.convolve(spread, [1 - chance, chance])
    return float(spread[max(right, 0) :].sum())


def mark_of(chances: Sequence[float], risk: float) -> int:
    """Return the smallest number of right answers that a guesser reaches with at most this probability."""
    return next(right for right in range(len(chances) + 2) if luck_of(chances, right) <= risk)


def random_paper(rng: np.random.Generator, size: int) -> list[Item]:
    """Return answers of all kinds and outcomes."""
    paper: list[Item] = []
    for _ in range(size):
        kind = str(rng.choice(["choice", "several", "number", "text"]))
        options = int(rng.integers(2, 8)) if kind in {"choice", "several"} else None
        paper.append((kind, options, str(rng.choice(["right", "wrong", "skipped"]))))
    return paper


@exercise("16.1", "fair_points")
def check_points(exam: Examination, fair_points: Any) -> None:
    """Each rule by itself, then 40 mixed papers."""

    def given(paper: list[Item]) -> float:
        return number(exam, exam.call(fair_points, paper), "What it returns")

    def same(found: float, true: float) -> bool:
        return abs(found - true) < 1e-9

    empty = given([])
    exam.expect("Without an answer there are 0 points", same(empty, 0), f"{empty:g}")
    for kind, options in (("choice", 4), ("several", 5), ("number", None), ("text", None)):
        plus, nothing = given([(kind, options, "right")]), given([(kind, options, "skipped")])
        exam.expect("A right answer gives 1 point", same(plus, 1), f"{kind}: {plus:g}")
        exam.expect("A question that was skipped gives 0", same(nothing, 0), f"{kind}: {nothing:g}")
    for options in range(2, 9):
        for kind, ways in (("choice", options), ("several", 2**options - 1)):
            lost = given([(kind, options, "wrong")])
            mean = (1 + (ways - 1) * lost) / ways
            exam.expect(f"Guessing a question of kind {kind!r} gives 0 on average", same(mean, 0),
                        f"{mean:+.3f} points with {options} options")  # fmt: skip
    for kind in ("number", "text"):
        lost = given([(kind, None, "wrong")])
        exam.expect("A wrong number or text costs nothing", same(lost, 0), f"{kind}: {lost:g}")
    for _ in range(40):
        paper = random_paper(exam.rng, int(exam.rng.integers(2, 30)))
        true, found = sum(points_of(*item) for item in paper), given(paper)
        if not exam.expect("The points of a paper are the sum", same(found, true),
                           f"{found:.3f} instead of {true:.3f} for {len(paper)} answers"):  # fmt: skip
            return


@exercise("16.2", "luck", "pass_mark")
def check_luck(exam: Examination, luck: Any, pass_mark: Any) -> None:
    """Exact for random exams, also with questions of different kinds, and at both ends."""
    rng = exam.rng
    exams = [[0.25] * 10, [0.5, 0.5], [1.0, 0.0, 0.25], [0.2]]
    exams += [[float(one) for one in rng.uniform(0.03, 0.6, int(rng.integers(1, 13)))] for _ in range(25)]
    for chances in exams:
        wanted = [0, 1, len(chances), len(chances) + 1, int(rng.integers(0, len(chances) + 1))]
        for right in wanted:
            found = number(exam, exam.call(luck, list(chances), right), "What `luck` returns")
            true = luck_of(chances, right)
            kind = "alike" if len(set(chances)) == 1 else "of different kinds"
            exam.expect(f"`luck` is exact for questions {kind}", abs(found - true) < 1e-7,
                        f"{found:.6f} instead of {true:.6f}: {right} of {len(chances)}")  # fmt: skip
    for chances in exams:
        risks = [float(rng.uniform(0.002, 0.4)) for _ in range(3)]
        risks = [risk for risk in risks if min(abs(luck_of(chances, k) - risk) for k in range(len(chances) + 2)) > 1e-6]
        if set(chances) <= {0.25, 0.5}:  # such chances can be written exactly: so can the risk
            risks.append(luck_of(chances, len(chances)))
        for risk in risks:
            mark, true_mark = exam.call(pass_mark, list(chances), risk), mark_of(chances, risk)
            whole = number(exam, mark, "What `pass_mark` returns")
            exam.expect("`pass_mark` is the smallest number that is safe enough", whole == true_mark,
                        f"{mark} instead of {true_mark}: {len(chances)} questions, risk {risk:.4f}")  # fmt: skip
    mark = exam.call(pass_mark, [0.5, 0.25], 1.0)
    exam.expect("Where any risk is taken, no right answer is needed", mark == 0, f"{mark} for a risk of 1")
    mark = exam.call(pass_mark, [0.5], 0.05)
    exam.expect("Where even all right is too likely, it is one more than there are questions", mark == 2,
                f"{mark} for one question that is right by chance every second time")  # fmt: skip

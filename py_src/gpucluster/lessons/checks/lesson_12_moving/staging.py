"""Lesson 12, staging: data that goes through several stages in pieces."""

from __future__ import annotations

from typing import Any

from ...examination import Examination
from ...simulations.staging import Stage, staged
from .. import exercise
from ..answers import number


@exercise("12.9", "staged_seconds")
def check_staged(exam: Examination, staged_seconds: Any) -> None:
    """For random stages, sizes and pieces: the moment when the last piece leaves the last stage."""
    for turn in range(60):
        stages = [
            (
                0.0 if exam.rng.random() < 0.3 else float(10 ** exam.rng.uniform(-5, -2)),
                float(10 ** exam.rng.uniform(8, 10.5)),
            )
            for _ in range(int(exam.rng.integers(1, 5)))
        ]
        n_bytes = int(exam.rng.integers(1, 10**9))
        count = int(exam.rng.choice([1, 2, 3, 7, 40]))
        piece = max(1, n_bytes // count) if turn % 2 else -(-n_bytes // count)
        if turn % 7 == 0:
            piece = n_bytes + 1000
        true = max(span.stop for span in staged(n_bytes, piece, [Stage("", *one) for one in stages]))
        found = number(exam, exam.call(staged_seconds, n_bytes, piece, list(stages)), "The time")
        right = abs(found - true) <= 1e-6 * true
        pieces = -(-n_bytes // piece)
        kind = "All in one piece, the stages take turns" if pieces == 1 else "In pieces, the stages overlap"
        last = n_bytes - (pieces - 1) * piece
        case = f"{pieces} pieces, the last with {last:,} of {piece:,} bytes, {len(stages)} stages"
        exam.expect(kind, right, f"{found:.4g} s" if right else f"{_apart(found, true)}: {case}")


def _apart(found: float, true: float) -> str:
    """Both times, with as many digits as it takes to tell them apart."""
    digits = next((some for some in range(4, 17) if f"{found:.{some}g}" != f"{true:.{some}g}"), 17)
    form = f".{digits}g" if digits == 4 else f"#.{digits}g"  # with the zeros at the end
    return f"{found:{form}} s, not {true:{form}}"

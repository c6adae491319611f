"""Lesson 09, what several measurements say, and when they say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise
from ..answers import number, several

WORDS = ("slower", "faster", "cannot say")


@exercise("09.11", "summary", "verdict")
def check_overhead(exam: Examination, summary: Any, verdict: Any) -> None:
    """Median and spread are right, and there is no claim without three repeats that do not overlap."""
    for _ in range(40):
        seconds = (exam.rng.lognormal(0, 1, int(exam.rng.integers(1, 9)))).round(4).tolist()
        found = exam.call(summary, list(seconds))
        values = [number(exam, one, name) for one, name in
                  zip(several(exam, found, "median", "lowest", "highest"), ("median", "lowest", "highest"),
                      strict=True)]  # fmt: skip
        numbers = [float(np.median(seconds)), min(seconds), max(seconds)]
        for name, mine, right in zip(("median", "lowest", "highest"), values, numbers, strict=True):
            exam.expect(f"{name} is that of the measurements", abs(mine - right) < 1e-9,
                        f"{mine:g}, expected {right:g}, of {seconds}")  # fmt: skip
    for dask, mpi, true in _cases(exam.rng):
        word = exam.call(verdict, list(dask), list(mpi))
        exam.require("verdict is a word", isinstance(word, str), describe(word))
        exam.require("It is one of: slower, faster, cannot say", word.strip().lower() in WORDS, repr(word))
        exam.expect(
            _RULES[true],
            word.strip().lower() == true.partition(":")[0],
            f"{word!r} for Dask {dask} and MPI {mpi}",
        )


_RULES = {
    "slower": "slower: all times of Dask are longer than all times of MPI, with 3 repeats or more of each",
    "faster": "faster: all times of Dask are shorter than all times of MPI, with 3 repeats or more of each",
    "cannot say: few": "cannot say: fewer than 3 repeats of one of them",
    "cannot say: overlap": "cannot say: the ranges from lowest to highest overlap or touch",
}


def _cases(rng: np.random.Generator) -> list[tuple[list[float], list[float], str]]:
    cases: list[tuple[list[float], list[float], str]] = []
    for _ in range(15):
        n, m = (int(one) for one in rng.integers(3, 7, 2))
        low = (1 + rng.random(n)).round(3).tolist()
        high = (2.5 + rng.random(m)).round(3).tolist()
        cases += [(high, low, "slower"), (low, high, "faster")]
        few = [high[:2], high[:1]][int(rng.integers(2))]
        cases += [(few, low, "cannot say: few"), (low, few, "cannot say: few"), (few, low[:2], "cannot say: few")]
        # One slow outlier among fast ones: medians are far apart, ranges overlap.
        mixed = [*low[:-1], max(high) + 0.1] if rng.random() < 0.5 else [*low, round(float(np.mean(high)), 3)]
        cases += [(mixed, high, "cannot say: overlap"), (high, mixed, "cannot say: overlap")]
        touching = [max(low), *high]
        cases += [(touching, low, "cannot say: overlap"), (low, touching, "cannot say: overlap")]
    return [cases[place] for place in rng.permutation(len(cases))]

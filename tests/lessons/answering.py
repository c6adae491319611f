"""Right and wrong answers to the exercises: one file per exercise, such as ``answers/06.2.py``
in the folder of its lesson, with a cell for each answer. What is above the first cell precedes every answer.

::

    import numpy as np

    # %% right loop: One column of distances for each centroid.
    def assign(points, centroids):
        …

    # %% wrong axis: The nearest point of each centroid.
    # fails: It returns one label per point
    # ~ argmin(axis=1) => argmin(axis=0)

    # %% wrong number: The distance to the nearest centroid, not its number.
    # fails: It returns one label per point
    # -     return distances.argmin(axis=1)
    # +     nearest = distances.min(axis=1)
    # +     return nearest

    # %% wrong first_only, edit of right loop: Every point belongs to the first centroid.
    # fails: Each point gets its nearest centroid
    def assign(points, centroids):
        return np.zeros(len(points), dtype=int)

A wrong answer names a property that does not hold; of several, at least one. An answer of only edits changes the first
answer of the file; ``edit of`` names another one above, or ``the solution`` of the lesson. Edits replace text that is
there once: first parts of lines (``~``), then whole lines (``-`` and ``+``); a line ``#`` stands between two edits of
which the first only removes lines. Code below them follows the other answer, so a function defined again replaces the
first.
"""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.catalogue import COURSE
from gpucluster.lessons.hints import solution_of


def file_of(exercise: str) -> Path:
    """Return where the answers to an exercise are: in the folder of its lesson."""
    (folder,) = COURSE.glob(f"lesson_{exercise.partition('.')[0]}_*/answers")
    return folder / f"{exercise}.py"


_HEAD = re.compile(r"# %% (right|wrong) (\w+)(?:, edit of (\w+) (\w+))?(?:: .*)?")


@dataclass(frozen=True)
class Answer:
    exercise: str
    right: bool
    name: str
    fails: tuple[str, ...]
    """Properties of which at least one does not hold; empty for a right answer."""
    text: str
    """What a learner would write into the cell."""

    @property
    def id(self) -> str:
        return f"{self.exercise}-{'right' if self.right else 'wrong'}_{self.name}"

    @property
    def file_name(self) -> str:
        return f"<answer {self.id}>"


@cache
def answers_to(exercise: str) -> tuple[Answer, ...]:
    """Return the answers to an exercise in the order of its file; a ValueError names a line not written as above."""
    return tuple(_read(exercise, file_of(exercise).read_text(encoding="utf-8")))


def answer(exercise: str, name: str) -> Answer:
    """Return the answer of this name, such as ``answer("06.9", "right by_hand")``."""
    kind, _, which = name.partition(" ")
    return next(one for one in answers_to(exercise) if one.name == which and one.right == (kind == "right"))


def all_answers() -> list[Answer]:
    return [one for file in sorted(COURSE.glob("*/answers/*.py")) for one in answers_to(file.stem)]


def seeds(number: int) -> list[Any]:
    """Return seeds of hidden inputs, of which the first is enough for `make test`."""
    return [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, number))]


def _read(exercise: str, text: str) -> Iterator[Answer]:
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("# %%")]
    above = "\n".join(itertools.takewhile(lambda line: not line.startswith("# %%"), lines)).strip()
    texts: dict[tuple[str, str], str] = {}
    first = None
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        where = f"answers/{exercise}.py, line {start + 1}"
        head = _HEAD.fullmatch(lines[start])
        if head is None:
            raise ValueError(f"{where}: write '# %% right NAME' or '# %% wrong NAME', then ': ' and what it does")
        kind, name = head[1], head[2]
        if (kind, name) in texts:
            raise ValueError(f"{where}: there is another '{kind} {name}' above")
        body = lines[start + 1 : end]
        fails = []
        while body and body[0].startswith("# fails: "):
            fails.append(body.pop(0).removeprefix("# fails: "))
        if bool(fails) == (kind == "right"):
            raise ValueError(f"{where}: a wrong answer has a line '# fails: PROPERTY' below its name, a right one none")
        base = (head[3], head[4]) if head[3] else None
        if base is None and body and body[0].startswith(("# ~ ", "# - ")):
            base = first
        if base == ("the", "solution"):
            texts[base] = solution_of(exercise)
        if base is None:
            texts[kind, name] = "\n".join(body).strip("\n") + "\n"
        elif base in texts:
            texts[kind, name] = _edited(texts[base], body, where)
        else:
            raise ValueError(f"{where}: there is no '{' '.join(base)}' above")
        first = first or (kind, name)
        text = texts[kind, name]
        yield Answer(exercise, kind == "right", name, tuple(fails), f"{above}\n\n\n{text}" if above else text)


def _edited(text: str, edits: list[str], where: str) -> str:
    code = [*itertools.dropwhile(lambda line: line.startswith("#"), edits)]
    edits = edits[: len(edits) - len(code)]
    while edits and edits[0].startswith("# ~ "):
        before, arrow, after = edits.pop(0).removeprefix("# ~ ").partition(" => ")
        if not arrow:
            raise ValueError(f"{where}: an edit of a part of a line is '# ~ OLD => NEW', not '# ~ {before}'")
        if text.count(before) != 1:
            raise ValueError(f"{where}: this is in the other answer {text.count(before)} times, not once: {before}")
        text = text.replace(before, after)
    lines = text.splitlines()
    for old, new in _hunks(edits, where):
        places = [at for at in range(len(lines)) if lines[at : at + len(old)] == old]
        if len(places) != 1:
            raise ValueError(f"{where}: these lines are in the other answer {len(places)} times, not once: {old}")
        lines[places[0] : places[0] + len(old)] = new
    return "\n".join([*lines, *code]).rstrip("\n") + "\n"


def _hunks(edits: list[str], where: str) -> list[tuple[list[str], list[str]]]:
    found: list[tuple[list[str], list[str]]] = []
    sign = ""
    for line in edits:
        before, sign, text = sign, line[2:3], line[4:]
        if line == "#":
            continue
        if sign not in {"-", "+"} or (sign == "+" and not found):
            raise ValueError(f"{where}: an edit has lines '# - OLD' and then '# + NEW', not {line!r}")
        if sign == "-" and before != "-":
            found.append(([], []))
        found[-1][sign == "+"].append(text)
    return found

"""Whether the lines of a Parsons problem stand in a right order; called by the check of the exercise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..examination import Examination, describe
from .bank.items import Parsons
from .parsons import find_problem, lettered, rules_of

Placed = tuple[str, int | None]
_LETTERS = re.compile(r"^[A-Za-z](?:[\s,>-]*[A-Za-z])*\W*$")


def check_order(exam: Examination, exercise: str, order: Any) -> None:
    """Note what is right and wrong about an order.

    Parameters
    ----------
    exam : Examination
        Takes the findings.
    exercise : str
        Number of the Parsons problem, such as ``"06.1"``.
    order : str or list
        Letters, such as ``"B A D C"``, or pairs of letter and indentation, such as ``[("B", 0), ("A", 1)]``.
    """
    problem = find_problem(exercise)
    assert problem is not None, f"parsons.json has no {exercise}"
    placed = _placed(exam, problem, order)
    rules = rules_of(problem)
    letters = [letter for letter, _ in placed]
    twice = sorted({letter for letter in letters if letters.count(letter) > 1})
    exam.require("Each line is used at most once", not twice, f"more than once: {', '.join(twice)}")
    extra = [letter for letter in letters if letter in rules["distractors"]]
    told = f"{extra[0]} does not belong: {rules['distractors'][extra[0]]}" if extra else "none"
    exam.expect("No line that does not belong", not extra, told)
    missing = sorted(set(rules["after"]) - set(letters))
    exam.expect("No line is missing", not missing, f"{len(missing)} missing" if missing else "none is missing")
    early = [letter for place, letter in enumerate(letters) for before in rules["after"].get(letter, ())
             if before in letters[place + 1 :]]  # fmt: skip
    lines = lettered(problem)
    exam.expect(
        "Each line comes after the lines that it needs",
        not early,
        f"{early[0]} (`{lines[early[0]].text}`) comes too early" if early else "it does",
    )
    if problem.indent:
        wrong = [
            letter
            for letter, indent in placed
            if letter in rules["indent"] and (indent or 0) != rules["indent"][letter]
        ]
        exam.expect("Each line has its indentation", not wrong, f"wrong: {wrong[0]}" if wrong else "it does")


def _placed(exam: Examination, problem: Parsons, order: Any) -> list[Placed]:
    known = lettered(problem)
    shape = 'It is a text of letters such as "B A D C", or a list of letters or of (letter, indentation)'
    if isinstance(order, str):
        exam.require(shape, _LETTERS.match(order.strip()), f"{order[:60]!r}")
        order = re.findall(r"[A-Za-z]", order)
    exam.require(shape, isinstance(order, Iterable), describe(order))
    placed = [_one(exam, shape, item) for item in order]
    unknown = [letter for letter, _ in placed if letter not in known]
    exam.require(f"All letters are among {', '.join(known)}", not unknown, f"{', '.join(unknown)} is not")
    return placed


def _one(exam: Examination, shape: str, item: Any) -> Placed:
    pair = item if isinstance(item, (tuple, list)) else (item, None)
    ok = len(pair) == 2 and isinstance(pair[0], str) and (pair[1] is None or type(pair[1]) is int)
    exam.require(shape, ok, f"one entry is {item!r:.60}")
    return pair[0].strip().upper(), pair[1]

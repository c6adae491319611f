"""``parsons("06.1")``: lines to put in order."""

import json
from html import escape
from string import ascii_uppercase
from typing import TypedDict

from ...protocol.errors import GPUClusterError
from .bank.files import NothingToStudy, problems_of
from .bank.items import Distractor, Line, Parsons
from .output import StudyOutput, code_block, details, html_of, inline, items, sentence
from .scrambling import locked, salt_of, shuffled


def find_problem(exercise: str) -> Parsons | None:
    """Return the Parsons problem of that number, if there is one."""
    try:
        found = problems_of(exercise.partition(".")[0])
    except NothingToStudy:
        return None
    return next((problem for problem in found if problem.id == exercise), None)


def lettered(problem: Parsons) -> dict[str, Line | Distractor]:
    """Return all lines by the letter they are shown under, in an order that says nothing."""
    lines: list[Line | Distractor] = [*problem.lines, *problem.distractors]
    by_id = {line.id: line for line in lines}
    order = shuffled(salt_of(problem.id), list(by_id))
    return {ascii_uppercase[place]: by_id[name] for place, name in enumerate(order)}


class OrderRules(TypedDict):
    """What decides whether an order is right, by letter.

    Attributes
    ----------
    after : dict
        The lines that must each come before a line.
    indent : dict
        Levels of indentation.
    distractors : dict
        Why a line does not belong.
    """

    after: dict[str, list[str]]
    indent: dict[str, int]
    distractors: dict[str, str]


def rules_of(problem: Parsons) -> OrderRules:
    """Return what decides whether an order is right."""
    letters = lettered(problem)
    letter_of = {line.id: letter for letter, line in letters.items()}
    own = {letter: line for letter, line in letters.items() if isinstance(line, Line)}
    return {
        "after": {letter: sorted(letter_of[name] for name in line.after) for letter, line in own.items()},
        "indent": {letter: line.indent for letter, line in own.items()},
        "distractors": {letter: line.why for letter, line in letters.items() if isinstance(line, Distractor)},
    }


def parsons(exercise: str) -> StudyOutput:
    """Show the lines of a program out of order.

    Put them in order in the panel, or write the letters: ``check("06.1", "B A D C")``. Lines may be left over.

    Parameters
    ----------
    exercise : str
        Number of the exercise, such as ``"06.1"``.
    """
    try:
        problem = find_problem(str(exercise))
    except GPUClusterError as error:
        return sentence(error.message)
    if problem is None:
        return sentence(f"Exercise {exercise} has no lines to put in order.")
    letters, salt = lettered(problem), salt_of(problem.id)
    record = {
        "kind": "parsons",
        "schema_version": 1,
        "exercise": problem.id,
        "title": problem.title,
        "prompt": problem.prompt,
        "indent": problem.indent,
        "lines": [{"id": letter, "text": line.text} for letter, line in letters.items()],
        "salt": salt,
        "locked": locked(salt, "parsons", json.dumps(rules_of(problem), ensure_ascii=False, sort_keys=True)),
    }
    how = _how(problem)
    lines = items([f"<code>{letter}</code> <code>{escape(line.text)}</code>" for letter, line in letters.items()])
    order = details("One right order", code_block("\n".join(_one_order(problem))))
    title = f"{problem.id} {problem.title}"
    html = f"<h3>{inline(title)}</h3>{html_of(problem.prompt)}{lines}<p>{inline(how)}</p>{order}"
    text = "\n".join([title, problem.prompt, *(f"  {letter}  {line.text}" for letter, line in letters.items()), how])
    return StudyOutput(record, html, text)


def _how(problem: Parsons) -> str:
    example = '[("B", 0), ("A", 1)]' if problem.indent else '"B A D C"'
    return f'Write the letters in the right order, such as `check("{problem.id}", {example})`.'


def _one_order(problem: Parsons) -> list[str]:
    """Return the lines as the author wrote them, moved only where another must come first."""
    done: set[str] = set()
    left, lines = list(problem.lines), []
    while left:
        line = next(line for line in left if set(line.after) <= done)
        left.remove(line)
        done.add(line.id)
        lines.append("    " * line.indent + line.text)
    return lines

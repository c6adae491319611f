"""Running a check in the learner's kernel, for the exercises that cannot be looked at from outside.

The modules that judge are imported anew, so that what the notebook did to them is undone. Then answers that are wrong
for certain must fail too: if they pass, something else was changed. A submission made for the purpose can still get
past this, which is why the results name the exercises that were checked here.
"""

from __future__ import annotations

import sys
from typing import Any

_JUDGES = ("arrays", "checking", "checks", "examination", "memory", "results", "traffic")


def examine_inside(exercise: str, seed: int, names: dict[str, Any]) -> dict[str, Any]:
    """Return what the check finds, as plain data, and whether wrong answers pass as well."""
    package = __package__.rpartition(".")[0]
    for name in list(sys.modules):
        if name.startswith(tuple(f"{package}.{judge}" for judge in _JUDGES)):
            del sys.modules[name]
    parent = sys.modules[package]
    for judge in _JUDGES:
        vars(parent).pop(judge, None)
    from ..checking import examine
    from ..checks import find_exercise

    known = find_exercise(exercise)
    answers = [names.get(name, Ellipsis) for name in known.answers] if known else []
    result = examine(exercise, tuple(answers), None, seed)
    record = result.record()
    if record["state"] == "passed":
        wrong = examine(exercise, tuple(_wrong(answer) for answer in answers), None, seed)
        record["wrong_passes"] = wrong.passed
    return record


def _wrong(answer: Any) -> Any:
    """Something of the same sort that no check may take."""
    if callable(answer):
        return _nothing_right
    return "wrong for certain"


def _nothing_right(*_args: Any, **_kwargs: Any) -> str:
    return "wrong for certain"

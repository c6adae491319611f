"""Running a check in the learner's kernel, for the exercises that cannot be checked from outside.

All modules of the lessons are imported again for the check, which undoes changes made by the notebook; only the one
that knows the notebook's cluster stays. Then answers that are wrong for certain must fail too: if they pass,
something else was changed. A submission designed to do so can still bypass this, which is why the results name the
exercises that were checked here.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

_LESSONS = "gpucluster.lessons"
_STAYS = ("grading", "lab")
"""Modules that are not imported again: this channel and the notebook's cluster."""


def check_here(exercise: str, seed: int, names: dict[str, Any]) -> dict[str, Any]:
    """Return what the check finds, as plain data, and whether wrong answers pass as well."""
    with _reloaded(_LESSONS):
        from ...checking import examine
        from ...checks import find_exercise
        from ...lab import current_client

        known = find_exercise(exercise)
        answers = [names.get(name, Ellipsis) for name in known.answers] if known else []
        client = current_client()
        record = examine(exercise, tuple(answers), client, seed).record()
        if record["state"] == "passed":
            wrong = examine(exercise, tuple(_wrong(answer) for answer in answers), client, seed)
            record["wrong_passes"] = wrong.passed
        return record


@contextmanager
def _reloaded(package: str) -> Iterator[None]:
    """Forget the modules below a package; afterwards the notebook has those again that it had."""
    parent = vars(sys.modules[package])
    before = {name: module for name, module in sys.modules.items() if _is_reloaded(name, package)}
    named = {name: value for name, value in parent.items() if _is_module(value, package)}
    try:
        for name in before:
            del sys.modules[name]
        for name in named:
            del parent[name]
        yield
    finally:
        for name in [name for name in sys.modules if _is_reloaded(name, package)]:
            del sys.modules[name]
        sys.modules.update(before)
        parent.update(named)


def _is_reloaded(name: str, package: str) -> bool:
    return name.startswith(f"{package}.") and name.split(".")[package.count(".") + 1] not in _STAYS


def _is_module(value: Any, package: str) -> bool:
    return isinstance(value, ModuleType) and _is_reloaded(value.__name__, package)


def _wrong(answer: Any) -> Any:
    """Something of the same sort that no check may take."""
    if callable(answer):
        return _nothing_right
    return "wrong for certain"


def _nothing_right(*_args: Any, **_kwargs: Any) -> str:
    return "wrong for certain"

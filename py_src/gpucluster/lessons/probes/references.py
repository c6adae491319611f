"""Who refers to whom among the variables of a notebook, and what the notebook itself remembers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_DEEPEST = 4
_MOST = 10_000
_OWN = {"get_ipython", "exit", "quit", "open"}


def who_refers(names: Mapping[str, Any], what: Any) -> tuple[dict[str, list[str]], list[str], str]:
    """Look at variables, at what is in their lists and dictionaries, and at the arrays that views are views of.

    Parameters
    ----------
    names : mapping
        Variables, such as ``globals()``.
    what : object
        The one that is looked for.

    Returns
    -------
    refers : dict
        For each variable or object, the names of those that it refers to.
    variables : list of str
        Those names that are variables.
    target : str
        The name that stands for the object that is looked for.
    """
    refers: dict[str, list[str]] = {}
    known: dict[int, str] = {id(what): "(the array)"}

    def look(value: Any, deep: int) -> str | None:
        if id(value) in known:
            return known[id(value)]
        parts = _parts(value)
        if parts is None or deep > _DEEPEST or len(refers) > _MOST:
            return None
        name = known[id(value)] = f"({type(value).__name__} {len(known)})"
        refers[name] = []
        refers[name] = [found for part in parts if (found := look(part, deep + 1)) is not None]
        return name

    refers["(the array)"] = []
    variables = [name for name in names if name not in _OWN]
    for name in variables:
        found = look(names[name], 0)
        refers[name] = [] if found is None else [found]
    return refers, variables, "(the array)"


def forget_outputs() -> None:
    """Let the notebook forget what its cells have shown: ``%reset -f out``, and the last three, which that leaves."""
    import IPython

    shell: Any = IPython.get_ipython()
    if shell is not None:
        shell.displayhook.flush()
        shell.user_ns_hidden.update(dict.fromkeys(("_", "__", "___"), ""))


def _parts(value: Any) -> list[Any] | None:
    if type(value) in (list, tuple, set, frozenset):
        return list(value)[:_MOST]
    if isinstance(value, dict):
        return list(value.values())[:_MOST]
    if isinstance(value, np.ndarray):
        return [value.base]
    return None

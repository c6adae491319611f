"""Tasks that have failed, for as long as the scheduler knows them. Sent to a scheduler elsewhere with ``reader.py``."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

from ...dask_internals.scheduler_state import own_failure

MOST_KEYS = 1000  # If more tasks fail, the first ones are no longer counted.
MOST_KINDS = 10
LONGEST_ERROR, LONGEST_TRACEBACK = 2_000, 20_000
_REPR = re.compile(r"""(\w+)\((['"])(.*)\2,?\)""", re.DOTALL)


class Failures:
    """Tracks failed tasks, without those that failed because they depend on another one."""

    def __init__(self, scheduler: Any) -> None:
        self._scheduler = scheduler
        self._keys: OrderedDict[Any, None] = OrderedDict()
        for key, task in scheduler.tasks.items():
            if task.state == "erred":
                self.add(key)

    def add(self, key: Any) -> None:
        self._keys[key] = None
        if len(self._keys) > MOST_KEYS:
            self._keys.popitem(last=False)

    def read(self) -> list[dict[str, Any]]:
        """Return the last failure of each kind of task and the number of failed tasks; the newest kind first."""
        found: dict[str, dict[str, Any]] = {}
        for key in reversed(list(self._keys)):
            failure = own_failure(self._scheduler, key)
            if failure is None:
                del self._keys[key]
            elif failure["task"] in found:
                found[failure["task"]]["n_tasks"] += 1
            elif len(found) < MOST_KINDS:
                found[failure["task"]] = failure | {
                    "n_tasks": 1,
                    "error": _shortened(as_printed(failure["error"]), LONGEST_ERROR),
                    "traceback": _shortened(failure["traceback"], LONGEST_TRACEBACK),
                }
        return list(found.values())


def as_printed(error: str) -> str:
    """Return the ``repr`` of an exception as Python prints it: ``ValueError: no number``."""
    found = _REPR.fullmatch(error)
    return error if found is None else f"{found[1]}: {found[3]}".replace("\\n", "\n").replace("\\'", "'")


def _shortened(text: str, longest: int) -> str:
    """Cut out the middle of a text that is too long."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}\n…\n{text[-half:]}"

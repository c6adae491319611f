"""``check("06.2", answer)``: does the answer have the properties it must have?"""

from __future__ import annotations

import os
import secrets
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .checks import find_exercise
from .examination import Examination, Halt, NeedsCluster, NotYet, describe_error, is_blank
from .hints import advice, title_of
from .progress import note
from .properties import USABLE
from .results import CheckResult, State

if TYPE_CHECKING:
    from distributed import Client


NBGRADER_VARIABLE = "NBGRADER_EXECUTION"
"""Environment variable that nbgrader sets while it grades or validates a notebook."""


class NotPassed(AssertionError):
    """An answer that nbgrader is to give no point for."""


def check(exercise: str, *answers: Any, client: Client | None = None, seed: int | None = None) -> CheckResult:
    """Check an answer on hidden random inputs.

    Parameters
    ----------
    exercise : str
        Number of the exercise, such as ``"06.2"``.
    *answers
        What the exercise asks for: usually your function.
    client : distributed.Client, optional
        For exercises that run on a cluster. Left out: the client of the lesson.
    seed : int, optional
        Repeats the hidden inputs of an earlier check.

    Returns
    -------
    CheckResult
        Which properties hold. It shows itself at the end of a cell.
    """
    result = examine(exercise, answers, client, seed)
    _note(result)
    if os.environ.get(NBGRADER_VARIABLE) and not result.passed:
        raise NotPassed(repr(result))  # nbgrader takes a cell without an error for right
    return result


def examine(exercise: str, answers: tuple[Any, ...], client: Client | None, seed: int | None) -> CheckResult:
    """Check an answer and write nothing down; see `check`."""
    known = find_exercise(exercise)
    if known is None:
        return CheckResult(
            exercise, "", State.UNAVAILABLE, message=f"There is no exercise {exercise!r} that can be checked."
        )
    title = title_of(known.id)
    if len(answers) != len(known.answers):
        call = f'check("{known.id}", {", ".join(known.answers)})'
        return CheckResult(known.id, title, State.UNAVAILABLE, message=f"Call it like this: `{call}`.")
    blank = [name for name, answer in zip(known.answers, answers, strict=True) if is_blank(answer)]
    if blank:
        return _not_yet(known.id, title, f"`{blank[0]}` is still empty. Replace the `...` by your own code.")
    seed = secrets.randbits(32) if seed is None else seed
    exam = Examination(np.random.default_rng(seed), client or _lesson_client())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known.examine(exam, *answers)
    except NotYet:
        return _not_yet(known.id, title, "The code says that it is not written yet.")
    except NeedsCluster:
        message = "This check needs the lesson's cluster. Run the first code cell (`lab = lessons.start(...)`) again."
        return CheckResult(known.id, title, State.UNAVAILABLE, exam.findings, message)
    except KeyboardInterrupt:
        message = "You stopped the check. If your code did not come to an end, look for a loop that never stops."
        return CheckResult(known.id, title, State.FAILED, exam.findings, message, advice(known.id), seed)
    except Halt:
        pass
    except Exception as error:
        # Such as a lazy table that breaks when the check computes it: the learner's mistake, shown late.
        exam.expect(USABLE, False, describe_error(error))
    passed = bool(exam.findings) and all(finding.passed for finding in exam.findings)
    state = State.PASSED if passed else State.FAILED
    return CheckResult(known.id, title, state, exam.findings, "", "" if passed else advice(known.id), seed)


def _note(result: CheckResult) -> None:
    """Write the attempt into the learner's progress."""
    if result.state is State.UNAVAILABLE:
        return
    failed = [finding.expected[:400] for finding in result.findings if not finding.passed][:50]
    note({"kind": "check", "exercise": result.exercise, "state": result.state.value, "failed": failed})


def _not_yet(exercise: str, title: str, message: str) -> CheckResult:
    return CheckResult(exercise, title, State.NOT_YET, message=message, next_step=advice(exercise))


def _lesson_client() -> Client | None:
    from .lab import current_client

    return current_client()

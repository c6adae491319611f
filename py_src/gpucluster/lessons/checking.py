"""``check("06.2", answer)``: does the answer have the properties it must have?"""

from __future__ import annotations

import os
import secrets
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .checks import find_exercise
from .examination import Examination, Halt, NeedsCluster, NotYet, describe_error, is_blank
from .following import Names, notebook_names
from .hints import advice, solution_of, title_of
from .learner_progress import ProgressUnreadable, load, note
from .properties import USABLE
from .results import CheckResult, State
from .study.parsons import find_problem

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
    if result.state is State.NOT_YET and _is_ordered_by_hand(result.exercise):
        message = "You put the lines in order above. There is nothing to write here."
        return replace(result, state=State.PASSED, message=message, next_step="")
    if result.state in {State.FAILED, State.NOT_YET} and not all(map(is_blank, answers)):
        result = _with_earlier(result, answers, client)
    _note(result)
    if os.environ.get(NBGRADER_VARIABLE) and not result.passed:
        raise NotPassed(repr(result))  # nbgrader takes a cell without an error for right
    return result


def examine(exercise: str, answers: tuple[Any, ...], client: Client | None, seed: int | None) -> CheckResult:
    """Check an answer and write nothing down; see `check`."""
    known = find_exercise(exercise)
    if known is None:
        return CheckResult(exercise, "", State.UNAVAILABLE, message=f"No check for exercise {exercise!r}.")
    title = title_of(known.id)
    if len(answers) != len(known.answers):
        call = f'check("{known.id}", {", ".join(known.answers)})'
        return CheckResult(known.id, title, State.UNAVAILABLE, message=f"Call it like this: `{call}`.")
    blank = [name for name, answer in zip(known.answers, answers, strict=True) if is_blank(answer)]
    if blank:
        what = "Replace the `...` with your own code."
        if find_problem(known.id) is not None:
            what = "Put the lines in order above, or write their letters here."
        return _not_yet(known.id, title, f"`{blank[0]}` is still empty. {what}")
    seed = secrets.randbits(32) if seed is None else seed
    client = _connected(client or _lesson_client())
    exam = Examination(np.random.default_rng(seed), client)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known.examine(exam, *answers)
    except NotYet:
        return _not_yet(known.id, title, "The code raises NotImplementedError.")
    except NeedsCluster:
        return _without_cluster(known.id, title)
    except KeyboardInterrupt:
        message = "You stopped the check. If your code did not finish, look for a loop that never stops."
        return CheckResult(known.id, title, State.FAILED, exam.findings, message, advice(known.id), seed)
    except Halt:
        pass
    except Exception as error:
        if client is None or _connected(client):
            # Such as a lazy table that breaks when the check computes it: the learner's mistake, shown late.
            exam.expect(USABLE, False, describe_error(error))
    if client is not None and not _connected(client):
        return _without_cluster(known.id, title)  # it ended meanwhile, which is not the answer's fault
    passed = bool(exam.findings) and exam.passed
    state = State.PASSED if passed else State.FAILED
    return CheckResult(known.id, title, state, exam.findings, "", "" if passed else advice(known.id), seed)


def ready(exercise: str, *answers: Any) -> bool:
    """Whether the answers of an exercise are there; says in one line which exercise to finish first.

    Parameters
    ----------
    exercise : str
        Its number, such as ``"05.1"``.
    *answers
        The learner's functions or results; a function of which only ``...`` is left is not there, and neither is a
        dictionary with a ``...`` in it.
    """
    values = [value for answer in answers if isinstance(answer, dict) for value in answer.values()]
    if not any(map(is_blank, answers)) and not any(value is ... for value in values):
        return True
    print(
        f"Nothing to run yet: finish exercise {exercise}, run the cells after it, then this one. "
        f'Or continue with our version: run lessons.continue_with("{exercise}") first.'
    )
    return False


def continue_with(*numbers: str) -> None:
    """Put the lesson's own answers to some exercises into the notebook, so that the cells after them can run.

    It does not count as solved. Your own answer is back as soon as you run its cell again.

    Parameters
    ----------
    *numbers : str
        Numbers of exercises, such as ``"15.2"``.
    """
    for number in numbers:
        code, names = solution_of(number), notebook_names(())
        if not code or names is None:
            print(f"The lesson has no version of {number!r}, or this is not a notebook.")
            continue
        note({"kind": "solution", "exercise": number})
        try:
            exec(compile(code, f"<our {number}>", "exec"), names.values)  # noqa: S102  # the course's own
        except Exception as error:
            print(f"The lesson's version of {number} cannot run yet: {describe_error(error)}.")
            continue
        print(f"{number} is the lesson's version until you run your own cell again. Now run the cells after it.")


def earlier_to_lend(names: Names, exercise: str, client: Client | None) -> dict[str, str]:
    """Return the solutions of the earlier exercises that this one uses and that are empty or not correct yet."""
    lent: dict[str, str] = {}
    seen: set[str] = set()
    while left := [number for number in names.earlier(exercise, lent) if number not in seen]:
        number = left[0]
        seen.add(number)
        known, code = find_exercise(number), solution_of(number)
        if known is None or not code:
            continue
        with names.lent(number, lent):
            own = tuple(names.values.get(name) for name in known.answers)
            if not examine(number, own, client, None).passed:
                lent = {**lent, number: code}
    return {number: lent[number] for number in names.earlier(exercise, lent) if number in lent}


def lent_sentence(numbers: list[str]) -> str:
    """Return the message about answers that the lesson's own replaced."""
    which = " and ".join(filter(None, [", ".join(numbers[:-1]), numbers[-1]]))
    are, answers = ("is", "answer") if len(numbers) == 1 else ("are", "answers")
    return f"{which} {are} empty or not correct yet: checked with the lesson's {answers} instead."


def _with_earlier(result: CheckResult, answers: tuple[Any, ...], client: Client | None) -> CheckResult:
    """Check once more, with the lesson's own answers to those earlier exercises that are not solved."""
    known, names = find_exercise(result.exercise), notebook_names(answers)
    if known is None or names is None:
        return result
    lent = earlier_to_lend(names, known.id, client)
    if not lent:
        return result
    before = [names.values.get(name) for name in known.answers]
    with names.lent(known.id, lent):
        now = [names.values.get(name) for name in known.answers]
        given = tuple(
            new if one is old or is_blank(one) else one for one, old, new in zip(answers, before, now, strict=True)
        )
        again = examine(known.id, given, client, result.seed)
    if again.state in {State.UNAVAILABLE, State.NOT_YET}:
        return result
    return replace(again, message=lent_sentence(list(lent)))


def _is_ordered_by_hand(exercise: str) -> bool:
    """Whether its lines were put in order in the page, which writes that into the learner's progress."""
    if find_problem(exercise) is None:
        return False
    try:
        known = load().exercises.get(exercise)
    except ProgressUnreadable:
        return False
    return known is not None and known.state == "passed"


def _note(result: CheckResult) -> None:
    """Write the attempt into the learner's progress."""
    if result.state is State.UNAVAILABLE:
        return
    failed = [one.failure[:400] for one in result.findings if not one.passed][:50]
    note({"kind": "check", "exercise": result.exercise, "state": result.state.value, "failed": failed})


def _not_yet(exercise: str, title: str, message: str) -> CheckResult:
    return CheckResult(exercise, title, State.NOT_YET, message=message, next_step=advice(exercise))


def _without_cluster(exercise: str, title: str) -> CheckResult:
    from .lab import missing_cluster

    return CheckResult(exercise, title, State.UNAVAILABLE, message=missing_cluster())


def _connected(client: Client | None) -> Client | None:
    return None if client is None or client.status in {"closing", "closed"} else client


def _lesson_client() -> Client | None:
    from .lab import current_client

    return current_client()

"""Exercises that build on earlier ones: where an earlier answer is missing or wrong, the lesson's own stands in.

Otherwise one empty function would make everything after it fail. The notebook's names are changed for the time of one
check only; afterwards the learner finds what was there before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from io import StringIO
from types import FunctionType, MappingProxyType
from typing import Any

from .checks import exercises
from .statements import names_in, sources_of, statements_of


class Names:
    """A notebook's variables, and how they came about.

    Parameters
    ----------
    values : dict
        The variables; they are changed in place.
    cells : iterable of str, optional
        What was run so far, as IPython's ``In`` has it. Left out: only functions are followed.
    transform : callable, optional
        Makes Python of magics.
    """

    def __init__(
        self, values: dict[str, Any], cells: Iterable[str] = (), transform: Callable[[str], str] = str
    ) -> None:
        self.values = values
        self._statements = statements_of(cells, transform)

    def earlier(self, exercise: str, references: Mapping[str, str]) -> list[str]:
        """Return the exercises before this one whose answers it uses, directly or not, in order.

        Parameters
        ----------
        exercise : str
            Number of an exercise.
        references : mapping
            Solutions, by number, that stand in for the notebook's own: what these use counts.
        """
        known = exercises(exercise.partition(".")[0])
        numbers = [one.id for one in known]
        if exercise not in numbers:
            return []
        place = numbers.index(exercise)
        makers = {name: one.id for one in known[:place] for name in one.answers}
        lent = {name: references[number] for name, number in makers.items() if number in references}
        used = self._used(known[place].answers, lent)[0]
        found = {makers[name] for name in used if name in makers}
        return [number for number in numbers if number in found]

    @contextmanager
    def lent(self, exercise: str, references: Mapping[str, str]) -> Iterator[None]:
        """Put the lesson's own functions in the place of those of earlier exercises, for a moment.

        What the notebook made with the replaced functions, on the way to the answers, is made once more.

        Parameters
        ----------
        exercise : str
            The one that is checked.
        references : mapping
            Code of the earlier exercises' solutions, by number.
        """
        answers = {one.id: one.answers for one in exercises(exercise.partition(".")[0])}
        # Found before anything is replaced: the learner's own functions say what was made with them.
        numbers = sorted(self._used(answers[exercise])[1])
        before = dict(self.values)
        try:
            changed: set[str] = set()
            for number, code in references.items():
                _define(code, self.values)
                changed |= set(answers[number])
            with _silent():
                self._make_again(numbers, changed)
            yield
        finally:
            for name in [name for name in self.values if name not in before]:
                del self.values[name]
            self.values.update(before)

    def _used(self, names: Iterable[str], lent: Mapping[str, str] = MappingProxyType({})) -> tuple[set[str], set[int]]:
        """Follow names back to all that they were made with: names, and numbers of statements."""
        seen: set[str] = set()
        made_by: set[int] = set()
        left = list(names)
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            value = self.values.get(name)
            if name in lent:
                left += (taken for one in statements_of([lent[name]]) if one.defines for taken in one.takes)
            elif isinstance(value, FunctionType):
                left += names_in(value)
            else:
                made = sources_of(name, self._statements)
                made_by |= set(made)
                left += (taken for number in made for taken in self._statements[number].takes)
        return seen, made_by

    def _make_again(self, numbers: list[int], changed: set[str]) -> None:
        """Run again what depends on a changed function, and with it all that the same values were made by."""
        functions = {name: names_in(value) for name, value in self.values.items() if isinstance(value, FunctionType)}
        again: set[int] = set()
        for number in numbers:
            _spread(changed, functions)
            one = self._statements[number]
            if not one.defines and one.takes & changed:
                again.add(number)
                changed |= one.gives | one.changes
        for name in {name for number in again for name in self._statements[number].changes}:
            again |= {number for number in sources_of(name, self._statements) if not self._statements[number].defines}
        for number in sorted(again):
            try:
                self._statements[number].run(self.values)
            except Exception:
                return  # then the answer stays as empty as it was, and the check says so


def _spread(changed: set[str], functions: Mapping[str, set[str]]) -> None:
    """A function that calls a changed one gives other results, too."""
    while more := {name for name, used in functions.items() if name not in changed and used & changed}:
        changed |= more


def _silent() -> AbstractContextManager[Any]:
    if "IPython" not in sys.modules:
        return redirect_stdout(StringIO())
    from IPython.utils.capture import capture_output

    captured: AbstractContextManager[Any] = capture_output()
    return captured


def _define(code: str, names: dict[str, Any]) -> None:
    """Define the functions of a solution among the notebook's names; what it computes besides is left out."""
    for statement in statements_of([code]):
        if statement.defines:
            statement.run(names)


def notebook_names(answers: Iterable[Any]) -> Names | None:
    """Return the variables of the notebook that runs here, or, outside of one, those around the answers."""
    shell = _shell()
    if shell is not None:
        return kernel_names(shell.user_ns)
    functions = [answer for answer in answers if isinstance(answer, FunctionType)]
    return Names(functions[0].__globals__) if functions else None


def kernel_names(values: dict[str, Any]) -> Names:
    """Return the variables of a kernel, with the cells that it has run."""
    shell = _shell()
    transform = shell.input_transformer_manager.transform_cell if shell is not None else str
    return Names(values, list(values.get("In", ())), transform)


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None

"""Exercises that build on earlier ones: where an earlier answer is missing or wrong, the lesson's own stands in.

Otherwise one empty function would make everything after it fail. The notebook's names are changed for the time of one
check only; afterwards the learner finds what was there before.
"""

import ast
import dis
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from types import CodeType, FunctionType, MappingProxyType
from typing import Any

from .checks import exercises

# What the cells of a notebook did, statement by statement: which names each one gives, and which it takes.


_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Statement:
    """One statement at the top of a cell.

    Attributes
    ----------
    gives : frozenset of str
        Names that it binds.
    changes : frozenset of str
        Names of what it changes in place, as ``table[1] = 2`` does.
    takes : frozenset of str
        Names that it reads, those in functions that it defines included.
    goes_on : frozenset of str
        Those of the names it binds whose value from before it reads first, as ``count += 1`` does.
    """

    tree: ast.stmt
    gives: frozenset[str]
    changes: frozenset[str]
    takes: frozenset[str]
    goes_on: frozenset[str]

    @property
    def defines(self) -> bool:
        """Whether it only defines a function or a class, or imports something."""
        return isinstance(self.tree, (*_DEFINITIONS, ast.Import, ast.ImportFrom))

    def run(self, names: dict[str, Any]) -> None:
        """Run it once more."""
        exec(_compiled(self.tree), names)  # noqa: S102  # the notebook's own


def statements_of(cells: Iterable[str], transform: Callable[[str], str] = str) -> list[Statement]:
    """Return the statements of all cells, in order; a cell that is not Python is left out.

    Parameters
    ----------
    cells : iterable of str
        What was run.
    transform : callable, optional
        Makes Python of magics.
    """
    found = []
    for cell in cells:
        with suppress(SyntaxError, ValueError):
            found += [_statement(tree) for tree in ast.parse(transform(cell)).body]
    return found


def sources_of(name: str, statements: list[Statement]) -> list[int]:
    """Return which statements made the value that a name has now: the last that binds it, and what changes it later."""
    found = []
    for number in range(len(statements) - 1, -1, -1):
        if name in statements[number].gives | statements[number].changes:
            found.append(number)
        if name in statements[number].gives and name not in statements[number].goes_on:
            break
    return found


def names_in(function: FunctionType) -> set[str]:
    """Return the names of other things that a function uses, those of its inner functions included."""
    found = _globals(function.__code__)
    inner = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *inner):
        if isinstance(value, FunctionType) and value is not function:
            found.add(value.__name__)
    return found


def _globals(code: CodeType) -> set[str]:
    """Return the names outside of itself that some code reads, that of functions in it included."""
    found = {one.argval for one in dis.get_instructions(code) if one.opname in _GLOBALS}
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found.union(*map(_globals, inner))


def _compiled(tree: ast.stmt) -> CodeType:
    return compile(ast.Module([tree], []), "<a cell, once more>", "exec")


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _statement(tree: ast.stmt) -> Statement:
    gives: set[str] = set()
    changes: set[str] = set()
    if isinstance(tree, _DEFINITIONS):
        gives.add(tree.name)
    for node in _visible(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            gives |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            gives.add(node.id)
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            base: ast.expr = node
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name):
                changes.add(base.id)
        elif isinstance(node, _DEFINITIONS):
            gives.add(node.name)
    code = _compiled(tree)
    first: dict[Any, str] = {}
    for one in dis.get_instructions(code):
        if one.opname in {"LOAD_NAME", "STORE_NAME"}:
            first.setdefault(one.argval, one.opname)
    goes_on = {name for name in gives if first.get(name) == "LOAD_NAME"}
    return Statement(tree, frozenset(gives), frozenset(changes), frozenset(_globals(code)), frozenset(goes_on))


def _visible(tree: ast.stmt) -> Iterable[ast.AST]:
    """All parts whose names are the notebook's: what is inside of functions and classes is not."""
    if isinstance(tree, _DEFINITIONS):
        return
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            left += ast.iter_child_nodes(node)


# Exercises that build on earlier ones: where an earlier answer is missing or wrong, the lesson's own stands in.


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
        """Temporarily replace the functions of earlier exercises by the lesson's own.

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
                return  # then the answer stays empty, and the check reports it


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

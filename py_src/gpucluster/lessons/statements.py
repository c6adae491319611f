"""What the cells of a notebook did, statement by statement: which names each one gives, and which it takes."""

from __future__ import annotations

import ast
import dis
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

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
    """Return the statements of all cells, in order; a cell that is no Python is left out.

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

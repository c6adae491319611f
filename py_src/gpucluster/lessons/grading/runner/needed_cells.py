"""Which of the lesson's own cells must run before the learner's can be graded: those whose names they read.

Half of a lesson shows something: measures, draws, lets something fail. In a class of thirty that would be most of the
time, and no grade depends on it.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_READS_ANYTHING = frozenset({"eval", "exec", "globals", "locals", "vars", "dir", "get_ipython"})
_SHOWS = frozenset({"print", "display"})
_ALL_NAMES = "__main__"
_MOST_CHARACTERS = 100_000
_WORD = re.compile(r"\w+")
_OF_ITS_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class _Names:
    """Global names of one cell: what it binds or changes, and what it reads, also in functions."""

    binds: frozenset[str]
    reads: frozenset[str]
    imports: frozenset[str]


def needed_cells(codes: Sequence[str], own: Sequence[bool]) -> list[bool]:
    """Return for each cell whether it must run.

    Parameters
    ----------
    codes : sequence of str
        All code cells of the notebook.
    own : sequence of bool
        Which of them must run whatever they hold, as what the learner has written. A cell of the lesson must, too,
        when it cannot be told what it does, or when it binds or changes (``x = …``, ``x[0] = …``, ``x.append(…)``,
        ``sort(x)``) a name that a cell reads which must run.
    """
    found = [_names_in(code) for code in codes]
    needed = [mine or names is None for mine, names in zip(own, found, strict=True)]
    known = [names or _all_words(code) for names, code in zip(found, codes, strict=True)]
    theirs = [(names, code) for mine, names, code in zip(own, known, codes, strict=True) if mine]
    if any(names.reads & _READS_ANYTHING or _ALL_NAMES in code for names, code in theirs):
        return [True] * len(codes)
    modules = {name for names in known for name in names.imports}
    while True:
        read = {name for names, runs in zip(known, needed, strict=True) if runs for name in names.reads}
        # A call of a module's function, as figures.draw(…), is no change of the module.
        more = [
            runs or not read.isdisjoint(names.imports | (names.binds - modules))
            for names, runs in zip(known, needed, strict=True)
        ]
        if more == needed:
            return needed
        needed = more


def _names_in(code: str) -> _Names | None:
    """Return the names of a cell; None where that cannot be told."""
    if len(code) > _MOST_CHARACTERS:
        return None
    lines = code.split("\n")
    magics = " ".join(line for line in lines if line.startswith(("%", "!")))
    python = "\n".join("" if line.startswith(("%", "!")) else line for line in lines)
    try:
        tree = ast.parse(python)
        table = symtable.symtable(python, "cell", "exec")
        changed = set(_changed(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    symbols = table.get_symbols()
    inner = [symbol for scope in _scopes_in(table) for symbol in scope.get_symbols() if symbol.is_global()]
    return _Names(
        binds=frozenset(
            {symbol.get_name() for symbol in [*symbols, *inner] if symbol.is_assigned() or symbol.is_imported()}
            | changed
        ),
        reads=frozenset(symbol.get_name() for symbol in [*symbols, *inner] if symbol.is_referenced())
        | frozenset(_WORD.findall(magics)),
        imports=frozenset(symbol.get_name() for symbol in symbols if symbol.is_imported()),
    )


def _all_words(code: str) -> _Names:
    words = frozenset(_WORD.findall(code))
    return _Names(binds=words, reads=words, imports=frozenset())


def _scopes_in(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _scopes_in(child)


def _changed(tree: ast.AST) -> Iterator[str]:
    """Yield the names of what is changed in place: parts of it are set, or it is in a call for nothing else."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _OF_ITS_OWN):
            continue
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            yield from _root(node)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Attribute):
                yield from _root(called)
            elif not (isinstance(called, ast.Name) and called.id in _SHOWS):
                for given in node.value.args:
                    yield from _root(given)
        yield from _changed(node)


def _root(node: ast.expr) -> Iterator[str]:
    while not isinstance(node, ast.Name):
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return
    yield node.id

"""What to run of a learner's notebook, and where in it each exercise is graded."""

import ast
import builtins
import hashlib
import re
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...catalogue import Lesson
from ...checks import exercises
from ..notebooks import source_of

# Which of the lesson's own cells must run before the learner's can be graded: those whose names they read.


_READS_ANYTHING = frozenset(
    {"eval", "exec", "globals", "locals", "vars", "dir", "get_ipython"}  # names by their text
    | {"_", "__", "___", "In", "Out", "_ih", "_oh", "_dh", "_i", "_ii", "_iii"}  # what cells showed, or were
)
_READS_ANYTHING_TEXTS = (
    "__main__", "__globals__", "f_globals", "f_locals", "user_ns", "sys.modules", "%who", "%run", "get_type_hints",
)  # fmt: skip
_EVALUATES = (".query(", "eval(", "exec(")
_SHOWS = frozenset({"print", "display"})
_MOST_CHARACTERS = 100_000
_WORD = re.compile(r"\w+")
_DESCRIBED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_OF_ITS_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class _Names:
    """Global names of one cell: what it binds, what it changes in place, and what it reads, even in functions."""

    binds: frozenset[str]
    changes: frozenset[str]
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
        when it is unknown what it does, or when it binds or changes (``x = …``, ``x[0] = …``, ``x.append(…)``,
        ``sort(x)``) a name that a cell reads which must run. So may the text of ``table.query("a < @limit")``.
    """
    found = [_names_in(code, texts=mine) for code, mine in zip(codes, own, strict=True)]
    needed = [mine or names is None for mine, names in zip(own, found, strict=True)]
    known = [names or _all_words(code) for names, code in zip(found, codes, strict=True)]
    for mine, names, code in zip(own, known, codes, strict=True):
        if mine and (names.reads & _READS_ANYTHING or any(text in code for text in _READS_ANYTHING_TEXTS)):
            return [True] * len(codes)
    modules = {name for names in known for name in names.imports}
    while True:
        read = {name for names, runs in zip(known, needed, strict=True) if runs for name in names.reads}
        # A call of a module's function, such as figures.draw(…), does not change the module.
        more = [
            runs or not read.isdisjoint(names.binds | (names.changes - modules))
            for names, runs in zip(known, needed, strict=True)
        ]
        if more == needed:
            return needed
        needed = more


def bound_names(code: str) -> frozenset[str]:
    """Return the global names that a cell binds; none where that is unknown."""
    names = _names_in(code, texts=False)
    return frozenset() if names is None else names.binds


def _names_in(code: str, *, texts: bool) -> _Names | None:
    """Return the names of a cell, with those in its texts if wanted; None where that is unknown."""
    if len(code) > _MOST_CHARACTERS:
        return None
    lines = code.split("\n")
    magics = " ".join(line for line in lines if line.startswith(("%", "!")))
    python = "\n".join("" if line.startswith(("%", "!")) else line for line in lines)
    try:
        tree = ast.parse(python)
        table = symtable.symtable(python, "cell", "exec")
        changed = frozenset(_changed(tree))
        words = _WORD.findall(" ".join([magics, *(_code_in_texts(tree, code) if texts else ())]))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    symbols = list(table.get_symbols())
    reads = {symbol.get_name() for symbol in symbols if symbol.is_referenced()}
    for scope in _scopes_in(table):
        for symbol in scope.get_symbols():
            if symbol.is_global():
                symbols.append(symbol)
            # In the body of a class, a name that it binds later is the global one until then.
            if symbol.is_referenced() and (symbol.is_global() or scope.get_type() == "class"):
                reads.add(symbol.get_name())
    return _Names(
        binds=frozenset(symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()),
        changes=changed,
        reads=frozenset(reads) | frozenset(words),
        imports=frozenset(symbol.get_name() for symbol in table.get_symbols() if symbol.is_imported()),
    )


def _all_words(code: str) -> _Names:
    words = frozenset(_WORD.findall(code))
    return _Names(binds=words, changes=words, reads=words, imports=frozenset())


def _code_in_texts(tree: ast.AST, code: str) -> Iterator[str]:
    """Yield the texts in the code that may be code themselves: examples in descriptions, and expressions of pandas."""
    evaluates = any(call in code for call in _EVALUATES)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (evaluates or ">>>" in node.value):
            yield node.value


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


# Which answers are alike.


_FEWEST_NODES = 40
"""Of the syntax tree: shorter answers are alike by chance."""


def fingerprint(codes: Iterable[str]) -> str:
    """Return a text that is equal for answers that differ at most in names, comments and spaces.

    Empty for a short answer, and for one that is no Python.

    Parameters
    ----------
    codes : iterable of str
        The cells of one exercise.
    """
    lines = [line for code in codes for line in code[:_MOST_CHARACTERS].split("\n")]
    try:
        tree = ast.parse("\n".join("" if line.startswith(("%", "!")) else line for line in lines))
        nodes = list(ast.walk(tree))
        if len(nodes) < _FEWEST_NODES:
            return ""
        names: dict[str, str] = {}
        for node in nodes:
            _rename(node, names)
        text = ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _rename(node: ast.AST, names: dict[str, str]) -> None:
    """Number the names of variables, arguments and functions, and remove a description."""
    for field in ("id", "arg", "name"):
        if isinstance(name := getattr(node, field, None), str) and not hasattr(builtins, name):
            setattr(node, field, names.setdefault(name, f"name{len(names)}"))
    if isinstance(node, _DESCRIBED) and ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:]


# What to run of a learner's notebook, and where in it each exercise is graded.


_START = "lessons.start("
_END = "lab.close("


@dataclass(frozen=True)
class Step:
    """One cell to run, then the exercises to grade.

    Attributes
    ----------
    exercise : str or None
        The one that the cell belongs to.
    noted : bool
        Whether what goes wrong in it is worth a note: not in a cell of the lesson that nothing needs.
    written : bool
        Whether its text is not that of a cell as handed out.
    """

    code: str
    graded: tuple[str, ...] = ()
    exercise: str | None = None
    noted: bool = True
    written: bool = True


def steps_of(
    notebook: dict[str, Any], lesson: Lesson, original: dict[str, Any], *, every_cell: bool = False
) -> list[Step]:
    """Return what to run and where to grade.

    An exercise is graded where the notebook has its check, or, where the learner has deleted that, after the last cell
    of the exercise, or at the end, before the cluster is stopped. A check cell that is as it came is not run: the
    grader takes its place. Nor are cells that are as they came and that what the learner has written does not need;
    see `needed_cells`.

    Parameters
    ----------
    notebook : dict
        The learner's notebook.
    lesson : Lesson
        The lesson that it belongs to.
    original : dict
        The notebook as handed out.
    every_cell : bool, optional
        Run what nothing needs as well.
    """
    known = {exercise.id for exercise in exercises(lesson.id)}
    wanted = [exercise.id for exercise in lesson.exercises if exercise.id in known]
    unchanged = {cell.get("id"): source_of(cell).strip() for cell in original["cells"]}
    handed_out = set(unchanged.values())
    # By their text: programs that know no ids of cells give them new ones.
    shown = {source_of(cell).strip() for cell in original["cells"] if _exercise(cell) is None} - {""}
    cells = [cell for cell in notebook["cells"] if cell.get("cell_type") == "code"]
    codes = [source_of(cell) for cell in cells]
    places = {exercise: _place(exercise, cells, codes) for exercise in wanted}
    own = [code.strip() not in shown or _START in code for code in codes]
    needed = needed_cells(codes, own)
    is_told = not all(needed)  # Else a cell may read anything, and all run.
    steps = []
    for number, cell in enumerate(cells):
        graded = tuple(exercise for exercise in wanted if places[exercise] == number)
        is_check = _is_check(cell) and unchanged.get(cell.get("id")) == codes[number].strip()
        runs = not is_check and (every_cell or needed[number])
        noted = own[number] or (is_told and needed[number])
        written = codes[number].strip() not in handed_out
        steps.append(Step(codes[number] if runs else "", graded, _exercise(cell), noted, written))
    at_the_end = tuple(exercise for exercise in wanted if places[exercise] is None)
    return [*steps, Step("", at_the_end)] if at_the_end else steps


def _place(exercise: str, cells: list[dict[str, Any]], codes: list[str]) -> int | None:
    """After which cell to grade an exercise; None: nowhere in the notebook."""
    own = [number for number, cell in enumerate(cells) if _exercise(cell) == exercise]
    checks = [number for number in own if _is_check(cells[number])]
    if checks or own:
        return checks[-1] if checks else own[-1]
    # Programs that know nothing of what the lesson notes beside its cells leave only their text.
    asked = re.compile(rf"""^check\(\s*["']{re.escape(exercise)}["']""", re.MULTILINE)
    named = [number for number, code in enumerate(codes) if asked.search(code)]
    if named:
        return named[-1]
    # Before the cluster is stopped.
    ends = [number for number, code in enumerate(codes) if _END in code]
    return ends[-1] - 1 if ends and ends[-1] > 0 else None


def _exercise(cell: dict[str, Any]) -> str | None:
    metadata = cell.get("metadata")
    own = metadata.get("gpucluster") if isinstance(metadata, dict) else None
    found = own.get("exercise") if isinstance(own, dict) else None
    return found if isinstance(found, str) else None


def _is_check(cell: dict[str, Any]) -> bool:
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return isinstance(tags, list) and "check" in tags

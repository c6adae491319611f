"""Lesson 05 in two halves: the second one runs in a fresh kernel after the first two code cells alone."""

from __future__ import annotations

import builtins
import re
import symtable

from gpucluster.lessons.building.source import SourceCell, read_source
from gpucluster.lessons.catalogue import find_lesson
from IPython.core.inputtransformer2 import TransformerManager

PROVIDED = {*dir(builtins), "display", "get_ipython"}
GUARDED = re.compile(r'^if ready\("05\.\d+", globals\(\)\.get\("(\w+)"\)\):$', re.MULTILINE)
"""The first line of a cell that does nothing, and says so, without an answer of the first half."""


def plain(text: str) -> str:
    """Return a cell's text with its magics as Python."""
    return str(TransformerManager().transform_cell(text))  # type: ignore[no-untyped-call]


def names(cell: SourceCell) -> tuple[set[str], set[str]]:
    """Return the names that a cell makes, and those that it uses, in functions as well."""
    made, used = set(), set()
    tables = [symtable.symtable(plain(cell.solution_text()), "<cell>", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            if table.get_type() == "module":
                made |= {symbol.get_name()} if symbol.is_assigned() or symbol.is_imported() else set()
            if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global()):
                used.add(symbol.get_name())
    return made, used


def second_half() -> list[SourceCell]:
    """The first two code cells, and those from section 6 on."""
    lesson = find_lesson("05")
    assert lesson is not None
    cells = read_source(lesson.folder / "lesson.py").cells
    start = next(number for number, cell in enumerate(cells) if cell.anchor == "categories")
    code = [(number, cell) for number, cell in enumerate(cells) if cell.type == "code"]
    return [cell for number, cell in code[:2] + [pair for pair in code if pair[0] > start]]


def test_the_second_half_needs_only_the_first_two_code_cells() -> None:
    known = set(PROVIDED)
    missing = {}
    for cell in second_half():
        made, used = names(cell)
        known |= made
        if unknown := used - known - set(GUARDED.findall(cell.text)):
            missing[cell.text.splitlines()[0]] = sorted(unknown)
    assert missing == {}


def test_a_missing_name_is_found() -> None:
    made, used = names(SourceCell("code", "def f():\n    return home\n\n\nwith open(target) as file:\n    x = file"))
    assert made == {"f", "file", "x"}
    assert {"home", "target"} <= used

"""A lesson as a page: prose, code, hints and one right solution to unfold, and what the cells put out when measured."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

from gpucluster.lessons.building.notebooks import cell_ids
from gpucluster.lessons.building.outputs import Output, RecordedOutputs
from gpucluster.lessons.building.source import LessonSource, SourceCell

from .pages import REPOSITORY

_HEADER = '---\nmyst:\n  enable_extensions: ["attrs_inline", "dollarmath", "html_image"]\n---\n\n'
_FOLDED = {"exercise", "predict", "check"}
_FENCE = "`````"
_TO_WORD = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<target>#(?:word|use)-[a-z0-9-]+) \"(?P<meaning>[^\"]+)\"\)")


@dataclass
class LessonPage:
    """The page of one lesson.

    Attributes
    ----------
    pictures : list
        Names of the files that the page shows, each with a sentence about it.
    drawings : list
        Names of the files that stand in the page.
    changed : int
        How many cells have other code than was measured.
    """

    source: LessonSource
    outputs: RecordedOutputs
    pictures: list[tuple[str, str]] = field(default_factory=list)
    drawings: list[str] = field(default_factory=list)
    changed: int = 0

    def markdown(self) -> str:
        """Return the page."""
        parts: list[str] = []
        folded: list[str] = []
        for cell, name in zip(self.source.cells, cell_ids(self.source), strict=True):
            if "instructor" in cell.tags:
                continue
            if folded and not (cell.hint or "check" in cell.tags):
                parts += _folded("Solution", folded)
                folded = []
            shown, solution = self._cell(cell, name)
            parts += shown
            folded += solution
        parts += _folded("Solution", folded) if folded else []
        title, _, rest = parts[0].partition("\n")
        title = f"# {self.source.id} · {title.removeprefix('# ')}"
        return "\n\n".join([f"{_HEADER}{title}", self._about(), rest, *parts[1:], ""])

    def _about(self) -> str:
        source = self.source
        folder = f"{REPOSITORY}/blob/main/notebooks/{source.slug}"
        text = (
            f"> To work through it, run `gpucluster lessons open {source.id}`. Here you read it: what you write, and\n"
            "> to unfold, hints and one right solution.\n"
            f"> [The notebook]({folder}/{source.slug}.ipynb)."
        )
        if not self.outputs.cells:
            return f"{text} Outputs come once it is measured."
        if self.outputs.measured:
            text += f"\n>\n> What its cells put out was recorded {self.outputs.measured}."
        if self.changed:
            cells = "One cell has" if self.changed == 1 else f"{self.changed} cells have"
            text += f" {cells} changed since then: no output is shown there."
        return text

    def _cell(self, cell: SourceCell, name: str) -> tuple[list[str], list[str]]:
        """Return what a cell shows, and what of it belongs to the solution, which is folded."""
        anchor = [f'<span id="{escape(cell.anchor)}"></span>'] if cell.anchor else []
        if cell.hint:
            return [*anchor, *_folded(f"Hint {cell.hint}", [_formulas_apart(cell.text)])], []
        if cell.type != "code":
            return [*anchor, _words_within_the_page(_formulas_apart(cell.text))], []
        outputs = self._shown(name, cell)
        if _FOLDED.isdisjoint(cell.tags):
            return [*anchor, _code(cell.text), *outputs], []
        own = [] if "check" in cell.tags else [_code(cell.solution_text())]
        return [*anchor, _code(cell.learner_text())], [*own, *outputs]

    def _shown(self, name: str, cell: SourceCell) -> list[str]:
        found = self.outputs.of(name, cell.solution_text())
        if found is None:
            self.changed += bool(self.outputs.cells)
            return []
        return [self._output(one, cell) for one in found]

    def _output(self, output: Output, cell: SourceCell) -> str:
        if output.drawing:
            self.drawings.append(output.drawing)
            return drawn(self.outputs, output.drawing)
        if not output.picture:
            return f"{_FENCE}{{code-block}} text\n:class: output\n\n{output.text}\n{_FENCE}"
        about = _drawn_by(cell)
        self.pictures.append((output.picture, about))
        return f"![{about}](outputs/{self.source.slug}/{output.picture})"


def drawn(outputs: RecordedOutputs, name: str) -> str:
    """Return a drawing as a part of a page."""
    html = outputs.picture(name).read_text(encoding="utf-8")
    return f'{_FENCE}{{raw}} html\n<div class="drawing">{html}</div>\n{_FENCE}'


def _code(text: str) -> str:
    return f"{_FENCE}ipython3\n{text.rstrip()}\n{_FENCE}"


def _folded(title: str, inside: list[str]) -> list[str]:
    return [f'<details class="fold"><summary>{escape(title)}</summary>', *inside, "</details>"]


def _formulas_apart(text: str) -> str:
    """Return prose whose formulas stand in lines of their own, as MyST wants them."""
    return re.sub(r"^\$\$ (.*?) \$\$$", r"$$\n\1\n$$", text, flags=re.MULTILINE | re.DOTALL)


def _words_within_the_page(text: str) -> str:
    """Return prose whose links to words and back are HTML: their places are no headings, which Sphinx would want."""
    return _TO_WORD.sub(r'<a class="word" href="\g<target>" title="\g<meaning>">\g<text></a>', text)


def _drawn_by(cell: SourceCell) -> str:
    """Return a sentence about a picture: the call that draws it."""
    calls = [line.strip() for line in cell.solution_text().splitlines() if "figures." in line]
    call = re.sub(r"[\[\]`*_\\<>]", lambda mark: f"\\{mark[0]}", calls[-1].split("#")[0].strip()) if calls else ""
    return f"Drawn by {call}" if call else "Picture that this cell draws"

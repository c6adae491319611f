"""Pictures of which one is seen at a time: no script, no kernel."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any
from uuid import uuid4

from .vector import DEEP_BLUE, DEEP_ORANGE, Picture

_TEXT = "var(--jp-content-font-color1, currentColor)"


class Steps:
    """Pictures in a row, with numbers to choose one by.

    Parameters
    ----------
    pictures : sequence of Picture
        The last one is seen first.
    words : str
        What the whole row shows, for those who cannot see it.
    """

    def __init__(self, pictures: Sequence[Picture], words: str) -> None:
        self.pictures, self.words = pictures, words
        self._name = f"steps-{uuid4().hex[:10]}"

    def html(self) -> str:
        """Return the row as HTML."""
        name = self._name
        rules, buttons, panels = [], [], []
        for number, picture in enumerate(self.pictures):
            one = f"{name}-{number}"
            checked = " checked" if number == len(self.pictures) - 1 else ""
            buttons.append(
                f'<input type="radio" name="{name}" id="{one}" class="{name}-choice"{checked} '
                f'aria-label="step {number + 1} of {len(self.pictures)}">'
                f'<label for="{one}">{number + 1}</label>'
            )
            panels.append(f'<div class="{name}-picture" id="{one}-picture">{picture.svg()}</div>')
            rules.append(f"#{one}:checked~div #{one}-picture{{display:block}}")
        style = (
            f"<style>.{name}-picture{{display:none}}{''.join(rules)}"
            f".{name}-choice{{position:absolute;opacity:0}}"
            f".{name}-choice+label{{display:inline-block;min-width:1.6em;padding:2px 4px;margin:0 3px 6px 0;"
            "text-align:center;cursor:pointer;border-radius:4px;border:1px solid var(--jp-border-color1, #888);"
            f"color:{_TEXT};background:var(--jp-layout-color1, transparent)}}"
            f".{name}-choice:checked+label{{background:{DEEP_BLUE};color:white;border-color:{DEEP_BLUE}}}"
            f".{name}-choice:focus-visible+label{{outline:2px solid {DEEP_ORANGE};outline-offset:1px}}</style>"
        )
        return (
            f'{style}<div role="group" aria-label="{escape(self.words, quote=True)}" style="position:relative">'
            f'<span style="color:{_TEXT}">Step&nbsp; </span>{"".join(buttons)}<div>{"".join(panels)}</div></div>'
        )

    def __repr__(self) -> str:
        return self.words

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.words}

    def show(self) -> None:
        """Put the row into the output of the cell; a terminal gets the words."""
        from IPython.display import display

        display(self)  # type: ignore[no-untyped-call]

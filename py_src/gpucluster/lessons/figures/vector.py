"""Pictures as SVG inside the output: they take the colours of the theme, and say what they show in words.

A saved notebook shows them too, as they need no script. What a part is appears when the mouse rests on it.
"""

from collections.abc import Sequence
from html import escape
from typing import Any
from uuid import uuid4

# Pictures as SVG inside the output: they take the colours of the theme, and say what they show in words.


Point = tuple[float, float]
BLUE, ORANGE, GREEN, PINK, RED, GREY = "#0a84c6", "#e0861a", "#00a076", "#cc6ba0", "#d1344b", "#8a8a8a"
COLOURS = (BLUE, ORANGE, GREEN, PINK, "#8a6fc8", "#8f9a1f")
"""Told apart on light and on dark ground."""
DEEP_BLUE, DEEP_ORANGE, DEEP_GREEN, DEEP_GREY = "#2f74b5", "#b4531f", "#4c7a2b", "#7a7a7a"
"""Behind white letters."""
INK, QUIET = "currentColor", "color-mix(in srgb, currentColor 55%, transparent)"
GROUND = "var(--jp-layout-color0, var(--pst-color-background, white))"
"""What lies behind a drawing, in JupyterLab and on the site."""
ACCENT, WARNING = "var(--jp-brand-color1, #1f6fb2)", "var(--jp-warn-color1, #c4501b)"
"""Those of the theme, for lines and letters."""


class Picture:
    """A drawing; it shrinks to the width of a narrower page.

    Parameters
    ----------
    words : str
        What is to be seen, for those who cannot see it.
    """

    def __init__(self, width: float, height: float, words: str) -> None:
        self.width, self.height, self.words = width, height, words
        self._parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, colour: str, title: str = "", *,
            opacity: float = 1.0, hollow: bool = False) -> None:  # fmt: skip
        """Draw a rectangle; its title is shown below the mouse."""
        paint = (
            f'fill="none" stroke="{colour}" stroke-width="2"' if hollow else f'fill="{colour}" fill-opacity="{opacity}"'
        )
        told = f"<title>{escape(title)}</title>" if title else ""
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}" {paint}>{told}</rect>'
        )

    def image(self, x: float, y: float, width: float, height: float, address: str) -> None:
        """Show a picture of pixels, which comes with the drawing: a ``data:`` address."""
        self._parts.append(
            f'<image x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" href="{escape(address)}"/>'
        )

    def frame(self, x: float, y: float, width: float, height: float, *lines: str, colour: str = INK) -> None:
        """Draw a rounded frame around lines of text, the first of them bold; x and y are its centre."""
        self._parts.append(
            f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" '
            f'fill="none" stroke="{colour}" stroke-width="1.6"/>'
        )
        for number, line in enumerate(lines):
            at = y + 15 * (number - (len(lines) - 1) / 2) + 4
            self.text(x, at, line, anchor="middle", size=12, bold=number == 0)

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", size: float = 11, bold: bool = False,
             colour: str = INK, over_lines: bool = False) -> None:  # fmt: skip
        """Write one line; with ``over_lines``, such that no line that was drawn before crosses its letters."""
        weight = ' font-weight="600"' if bold else ""
        if over_lines:
            weight += f' paint-order="stroke" stroke="{GROUND}" stroke-width="4" stroke-linejoin="round"'
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}"{weight} fill="{colour}">'
            f"{escape(words)}</text>"
        )

    def line(self, points: Sequence[Point], colour: str = INK, *, width: float = 1.6, dashes: str = "",
             opacity: float = 1.0) -> None:  # fmt: skip
        """Draw a line through points."""
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
            f'stroke-opacity="{opacity}" stroke-linejoin="round"{dashed}/>'
        )

    def arrow(self, start: Point, end: Point, colour: str = INK, *, both: bool = False, dashes: str = "") -> None:
        """Draw an arrow; with ``both``, one with two heads."""
        self.line([start, end], colour, width=1.4, dashes=dashes)
        self._head(start, end, colour)
        if both:
            self._head(end, start, colour)

    def _head(self, start: Point, end: Point, colour: str) -> None:
        (x, y), (dx, dy) = end, (end[0] - start[0], end[1] - start[1])
        length = max((dx * dx + dy * dy) ** 0.5, 1e-9)
        dx, dy = dx / length, dy / length
        corners = [(x, y), (x - 9 * dx - 4 * dy, y - 9 * dy + 4 * dx), (x - 9 * dx + 4 * dy, y - 9 * dy - 4 * dx)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        self._parts.append(f'<polygon points="{path}" fill="{colour}"/>')

    def dot(self, x: float, y: float, colour: str, title: str = "", *, radius: float = 5) -> None:
        """Draw a point; its title is shown below the mouse."""
        told = f"<title>{escape(title)}</title>" if title else ""
        self._parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}" stroke="currentColor" '
            f'stroke-opacity="0.5">{told}</circle>'
        )

    def legend(self, x: float, y: float, named: Sequence[tuple[str, str]]) -> None:
        """Write pairs of a colour and its name in one row."""
        for colour, name in named:
            self.box(x, y - 9, 10, 10, colour)
            self.text(x + 14, y, name)
            x += 28 + 6.3 * len(name)

    def svg(self) -> str:
        """Return the picture as SVG."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-label="{escape(self.words, quote=True)}" style="max-width:100%;width:{self.width:g}px;height:auto;'
            'color:var(--jp-content-font-color1, inherit);font-family:var(--jp-ui-font-family, sans-serif)">'
            f"{''.join(self._parts)}</svg>"
        )

    def __repr__(self) -> str:
        return self.words

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.svg(), "text/plain": self.words}

    def show(self) -> None:
        """Put the picture into the output of the cell; a terminal gets the words."""
        from IPython.display import display

        display(self)  # type: ignore[no-untyped-call]


# Pictures of which one is seen at a time: no script, no kernel.


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

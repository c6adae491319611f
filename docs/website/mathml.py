"""Formulas as MathML, which browsers show by themselves: no script, nothing from another server."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx

NAME = "mathml"


def setup(app: Sphinx) -> None:
    """Offer it as a renderer of formulas."""
    app.add_html_math_renderer(NAME, inline_renderers=(_inline, None), block_renderers=(_block, None))


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(latex2mathml.tex2mathml(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.Element) -> None:
    formula = " ".join(node.astext().split())
    writer.body.append(f'<div class="math">{latex2mathml.tex2mathml(formula, as_block=True)}</div>')
    raise nodes.SkipNode

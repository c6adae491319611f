"""What Sphinx is told for the slides; `docs.website.slides` runs it."""

from __future__ import annotations

from pathlib import Path

project = "gpucluster"
author = copyright = "The gpucluster developers"

extensions = ["myst_parser", "sphinx_revealjs", "docs.website.mathml"]
root_doc = "index"
templates_path: list[str] = []
myst_enable_extensions = ["dollarmath", "html_image"]
# Links of a lesson lead into the site, which the slides are not a part of.
suppress_warnings = ["myst.xref_missing", "myst.header"]
pygments_style = "a11y-light"

revealjs_style_theme = "white"
revealjs_static_path = [str(Path(__file__).parent / "static")]
revealjs_css_files = ["slides.css"]
revealjs_script_plugins = [
    {"name": "RevealHighlight", "src": "revealjs/plugin/highlight/highlight.js"},
    {"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"},
]
revealjs_script_conf = {
    "hash": True,
    "slideNumber": "c/t",
    "width": 1280,
    "height": 720,
    "margin": 0.06,
    "center": False,
    "transition": "none",
    "pdfSeparateFragments": False,
}
html_math_renderer = "mathml"
html_show_sourcelink = False

"""What Sphinx is told; `docs.website` runs it."""

from __future__ import annotations

from pathlib import Path

from gpucluster import __version__

project = "gpucluster"
author = "The gpucluster developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "docs.website.docstrings",
    "docs.website.mathml",
]
root_doc = "index"
exclude_patterns = ["static"]
templates_path: list[str] = []

# Links: what is in the repository is checked, what is elsewhere is not fetched.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!gpucluster\.).*")]
nitpick_ignore = [("py:class", "gpucluster.learn")]  # a word in the type "estimator of gpucluster.learn"
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "html_image", "tasklist"]  # which picture is for dark; how wide one is; boxes

# Docstrings are numpy's; what is in single backticks there leads to the name, where there is one.
default_role = "py:obj"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "gpucluster"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_js_files = ["offline-search.js"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "header_links_before_dropdown": 7,
    "github_url": "https://github.com/gpucluster/gpucluster",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_depth": 3,
    "pygments_light_style": "a11y-light",
    "pygments_dark_style": "a11y-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "back_to_top_button": False,
}
html_context = {"default_mode": "auto"}
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.output) > div.highlight > pre"

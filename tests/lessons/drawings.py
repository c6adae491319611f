"""What every drawing of a lesson must be: sound SVG within its frame, words for those who cannot see it, no script."""

import re
from typing import Any
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def html_of(shown: Any) -> str:
    """Return what a browser gets of an output."""
    return str(shown._repr_mimebundle_()["text/html"])


def drawings_of(shown: Any) -> list[ElementTree.Element]:
    """Return all pictures of an output, after a look at each."""
    html = html_of(shown)
    assert not re.search(r"<script|\bon\w+=|https?://(?!www\.w3\.org/2000/svg)", html)
    assert shown._repr_mimebundle_()["text/plain"] == repr(shown)
    found = [sound(text) for text in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]
    assert found
    return found


def sound(svg: str) -> ElementTree.Element:
    """Return a picture, if it has words, and nothing outside of its frame."""
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img" and len(root.get("aria-label") or "") > 20
    width, height = (float(value) for value in (root.get("viewBox") or "").split()[2:])
    for box in root.iter(f"{SVG}rect"):
        x, y, *extent = (float(box.get(name, -1)) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + extent[0] <= width + 1 and 0 <= y <= y + extent[1] <= height + 1
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", -1)) <= width and float(text.get("y", 1e9)) <= height
    return root

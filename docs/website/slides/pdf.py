"""Slides as PDF, one page each, printed by the browser as reveal.js asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.browser.chromium import chromium


def print_all(decks: Sequence[Path], folder: Path) -> None:
    """Print some decks.

    Parameters
    ----------
    decks : sequence of pathlib.Path
        HTML files.
    folder : pathlib.Path
        Where the PDF files come.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        page = browser.new_page()
        for deck in decks:
            page.goto(f"{deck.resolve().as_uri()}?print-pdf")
            page.wait_for_function("document.querySelectorAll('.pdf-page').length > 0")
            page.pdf(path=folder / f"{deck.stem}.pdf", prefer_css_page_size=True, print_background=True)

"""Animations are GIF pictures: no script, so that they also move in untrusted notebooks and on web pages."""

from __future__ import annotations


def show_gif(image: bytes, words: str) -> None:
    """Display a GIF; the words say what it shows to those who do not see it."""
    from IPython.display import Image, display

    display(Image(image, format="gif", alt=words))  # type: ignore[no-untyped-call]

"""Text of others in sentences of ours: names of files and workers, and what somebody has typed."""

from __future__ import annotations


def printable(text: str, longest: int | None = None) -> str:
    """Return the text without what a terminal would obey, and no longer than that.

    Parameters
    ----------
    text : str
        May hold anything.
    longest : int, optional
        Number of letters; of a longer text the beginning is shown.
    """
    shown = text if longest is None else text[: longest + 1]
    shown = "".join(letter if letter.isprintable() else "?" for letter in shown)
    return shown if longest is None or len(shown) <= longest else f"{shown[: longest - 1]}…"

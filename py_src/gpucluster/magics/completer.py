"""Completion of a line that begins with ``%gpucluster``."""

from __future__ import annotations

from ..cli.completion import Names, candidates, cluster_names
from ..cli.verbs import MAGIC


def completions(text: str, symbol: str, names: Names = cluster_names) -> list[str]:
    """Return what the word under the cursor may become.

    Parameters
    ----------
    text : str
        The line up to the cursor.
    symbol : str
        The end of it that IPython will replace: the last word, or less where ``=`` or ``,`` is in it.
    names : callable
        Gives the names of clusters.
    """
    words = text.split()[1:]
    if not words or text[-1].isspace():
        words.append("")
    current = words[-1]
    return [symbol + word[len(current) :] for word in candidates(words, MAGIC, names)]

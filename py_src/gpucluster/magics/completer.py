"""Completion of lines with ``%gpucluster``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..cli.commands import MAGIC
from ..cli.completion import Names, candidates, cluster_names

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

_OURS = re.compile(r"\s*%{1,2}gpucluster\s")


def matches(context: CompletionContext) -> SimpleMatcherResult:
    """Return completions for IPython; none for other lines."""
    from IPython.core.completer import SimpleCompletion

    text = context.text_until_cursor
    found = completions(text, context.token) if _OURS.match(text) else []
    # Suppress Python's own names in such a line, which hooks could not do.
    return {
        "completions": [SimpleCompletion(text=word, type="magic") for word in found],
        "suppress": bool(found),
        "ordered": True,
    }


def completions(text: str, symbol: str, names: Names = cluster_names) -> list[str]:
    """Return the completions of the word under the cursor."""
    words = text.split()[1:]
    if not words or text[-1].isspace():
        words.append("")
    current = words[-1]
    return [symbol + word[len(current) :] for word in candidates(words, MAGIC, names)]

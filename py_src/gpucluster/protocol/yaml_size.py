"""Expanded size of an untrusted YAML file: an alias of a few bytes stands for all of its anchor."""

from typing import Any

MOST_ENTRIES = 100_000  # Keys, values and items, with aliases expanded.


class TooManyEntries(ValueError):
    """The expanded document is too large to process; the message names the line."""


def require_bounded(root: Any) -> None:
    """Check the nodes of a YAML document before they are converted.

    `root`: from a loader's ``get_single_node``. Raises `TooManyEntries`: too many, or an alias inside its own anchor.
    """
    sizes: dict[int, int | None] = {}

    def size(node: Any) -> int:
        if id(node) in sizes:
            known = sizes[id(node)]
            if known is None:
                raise TooManyEntries(f"line {node.start_mark.line + 1}: it contains itself")
            return known
        sizes[id(node)] = None
        inner = node.value if isinstance(node.value, list) else []
        found = 1 + sum(size(part) for each in inner for part in (each if isinstance(each, tuple) else (each,)))
        if found > MOST_ENTRIES:
            raise TooManyEntries(f"line {node.start_mark.line + 1}: it has more than {MOST_ENTRIES:,} entries")
        sizes[id(node)] = found
        return found

    if root is not None:
        size(root)

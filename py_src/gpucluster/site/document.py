"""YAML with the line of each entry, read as intended: ``24:00:00`` is text, and so is ``no``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import yaml  # type: ignore[import-untyped]

from ..protocol.yaml_size import TooManyEntries, must_be_bounded
from .place import UnreadableSite

Path = Sequence[str | int]  # The keys and numbers that lead to an entry.


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    # YAML 1.1 reads 24:00:00 as a number, 2026-01-01 as a date and 'no' as false.
    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


_PLAIN = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?[0-9]+", list("-+0123456789")),
    "float": (r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][-+]?[0-9]+)?", list("-+0123456789.")),
}
for _name, (_pattern, _first) in _PLAIN.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"(?:{_pattern})\Z"), _first)


class Document:
    """One file. `text`: YAML. Raises `UnreadableSite`: it is invalid, or has a duplicate key."""

    data: Any

    def __init__(self, text: str) -> None:
        try:
            loader = _Loader(text)
            try:
                self._root: Any = loader.get_single_node()
                must_be_bounded(self._root)
                _refuse_twice(self._root, set())
                self.data = None if self._root is None else loader.construct_document(self._root)
            finally:
                loader.dispose()
        except TooManyEntries as error:
            raise UnreadableSite(str(error)) from error
        except yaml.MarkedYAMLError as error:
            line = f"line {error.problem_mark.line + 1}: " if error.problem_mark is not None else ""
            raise UnreadableSite(f"{line}it is not YAML: {error.problem}") from error
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise UnreadableSite(f"it is not YAML: {str(error).splitlines()[0]}") from error

    def line(self, path: Path) -> int:
        """Return the line of an entry, counted from 1, or of its nearest existing parent."""
        node, line = self._root, 1
        for part in path:
            found: tuple[Any, Any] | None = None
            if isinstance(node, yaml.MappingNode):
                found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                found = (node.value[part],) * 2
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        return int(line)


def _refuse_twice(node: Any, seen: set[int]) -> None:
    """Refuse duplicate keys: the second would silently count."""
    if id(node) in seen or node is None:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_twice(item, seen)
    elif isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in keys:
                raise UnreadableSite(f"line {key.start_mark.line + 1}: the key '{name[:60]}' occurs twice")
            keys.add(name)
            _refuse_twice(value, seen)

"""The imports of programs that no other test runs exist."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted(path for folder in ("benchmarks", "scripts", ".ci") for path in (ROOT / folder).rglob("*.py"))
OURS = ("gpucluster", "benchmarks", "scripts", "tests")


def imported(program: Path) -> Iterator[tuple[str, str]]:
    """Yield the modules and names that a program imports from this repository."""
    package = ".".join(program.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(program.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        above = package.rsplit(".", node.level - 1)[0] if node.level else ""
        module = ".".join(part for part in (above, node.module or "") if part)
        if module.partition(".")[0] in OURS:
            yield from ((module, alias.name) for alias in node.names)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_program_imports_is_there(program: Path) -> None:
    missing = [f"{module}.{name}" for module, name in imported(program) if not is_there(module, name)]
    assert missing == []


def is_there(module: str, name: str) -> bool:
    found = import_module(module)
    return hasattr(found, name) or (hasattr(found, "__path__") and find_spec(f"{module}.{name}") is not None)


def test_what_is_not_there_is_found() -> None:
    assert is_there("gpucluster.protocol", "errors")
    assert is_there("gpucluster.protocol.errors", "GPUClusterError")
    assert not is_there("gpucluster.protocol.errors", "nothing_of_this_name")
    assert not is_there("gpucluster.protocol", "nothing_of_this_name")

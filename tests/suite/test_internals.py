"""What tests depend on of ``dask_internals``: as Python reads the imports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.suite.internals import INTERNALS, PACKAGE, ROOT, internals_of


def imported_internals(file: Path) -> set[str]:
    """Return the modules of dask_internals that a file imports, anywhere in it."""
    here = ("gpucluster", *file.relative_to(ROOT / PACKAGE).parent.parts)
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else ()
            module = ".".join((*above, *filter(None, [node.module])))
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    modules = {path.stem for path in (ROOT / INTERNALS).glob("*.py")}
    return {parts[2] for name in names if (parts := name.split("."))[:2] == ["gpucluster", "dask_internals"]
            and len(parts) > 2 and parts[2] in modules}  # fmt: skip


FOLDERS = sorted(path.name for path in (ROOT / PACKAGE).iterdir() if (path / "__init__.py").is_file())


@pytest.mark.parametrize("package", [name for name in FOLDERS if name != "dask_internals"])
def test_each_import_is_found(package: str) -> None:
    wanted: set[str] = {"__init__"}
    new = {name for file in (ROOT / PACKAGE / package).rglob("*.py") for name in imported_internals(file)}
    while new:
        wanted |= new
        new = {name for known in new for name in imported_internals(ROOT / INTERNALS / f"{known}.py")} - wanted
    assert {Path(file).stem for file in internals_of(package)} == wanted


def test_algorithms_do_not_depend_on_how_clusters_are_watched() -> None:
    found = {Path(file).stem for file in internals_of("learn")}
    assert {"collections", "messages"} <= found
    assert not found & {"heartbeats", "nannies", "gateways"}

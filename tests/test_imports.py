"""Which package may import which, and which imports must stay cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.modules import modules

PACKAGE = Path(__file__).resolve().parents[1] / "py_src" / "gpucluster"
FACES = {"server", "magics", "cli"}
MAY_IMPORT = {
    "protocol": set(),
    "operating_system": set(),
    "registry": {"operating_system", "protocol"},
    "devices": {"operating_system", "protocol"},
    "sharing": {"operating_system", "protocol", "registry"},
    "gauges": {"protocol"},
    "site": {"devices", "protocol", "sharing"},
    "recordings": {"devices", "operating_system", "protocol"},
    "comm": {"dask_internals", "operating_system"},
    "client": {"comm", "dask_internals", "devices", "operating_system", "recordings", "registry", "protocol", "sharing",
               "site"},
    "backends": {"comm", "dask_internals", "devices", "operating_system", "sharing", "telemetry", "protocol"},
    "dask_internals": {"operating_system"},
    "telemetry": {"dask_internals", "devices", "operating_system", "protocol"},
    "supervisor": {"backends", "comm", "dask_internals", "operating_system", "recordings", "registry", "sharing",
                   "telemetry", "protocol", "site"},
    **{
        face: {"client", "gauges", "recordings", "registry", "protocol", "devices", "cli", "profiling", "site"}
        for face in FACES
    },
    "lessons": {"cli", "client", "comm", "dask_internals", "operating_system", "recordings", "registry", "protocol",
                "learn", "bench", "datasets", "server"},
    "profiling": {"client", "dask_internals", "registry", "protocol"},
    "learn": {"client", "comm", "dask_internals", "protocol"},
    "datasets": {"protocol"},
    "bench": {"cli", "learn", "datasets", "client", "dask_internals", "operating_system", "profiling", "protocol"},
    "widgets": {"client", "gauges", "protocol"},
}  # fmt: skip
"""The allowed imports between our packages. Each may also import itself and the package's top."""
DASK = {"dask", "distributed", "bokeh", "dask_cuda"}


def imports(module: Path, *, at_import: bool = False) -> set[str]:
    """Return the modules that a file imports, without those for the type checker only."""
    found: set[str] = set()
    depth = len(module.relative_to(PACKAGE).parts)

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if at_import and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            if node.level == 0:
                found.add(node.module or "")
            else:
                here = list(module.relative_to(PACKAGE).parts[: depth - node.level])
                names = [node.module] if node.module else [alias.name for alias in node.names]
                found.update(".".join(["gpucluster", *here, name]) for name in names)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(module.read_text(encoding="utf-8")))
    return found


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_imports_point_one_way(package):
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    for module in modules(PACKAGE / package):
        for name in imports(module):
            parts = name.split(".")
            if parts[0] == "gpucluster" and len(parts) > 1 and parts[1] in folders - {package}:
                assert parts[1] in MAY_IMPORT[package], f"{module.relative_to(PACKAGE)} imports {name}"


ADDED = {"lessons", "learn", "bench"}
"""Packages that extend the command line and the server by entry points, as foreign packages do."""


def test_the_core_imports_nothing_that_is_added():
    for package in MAY_IMPORT.keys() - ADDED:
        assert not MAY_IMPORT[package] & ADDED, package


@pytest.mark.parametrize("package", ["protocol", "registry", "devices", "server", "cli"])
def test_no_dask_where_it_does_not_belong(package):
    for module in modules(PACKAGE / package):
        for name in imports(module):
            assert name.split(".")[0] not in DASK, f"{module.relative_to(PACKAGE)} imports {name}"


HEAVY = {"pydantic", "distributed", "dask", "jupyter_server", "IPython", "numpy", "tornado", "httpx", "psutil"}
OF_CONTROL = {"distributed", "dask", "numpy", "tornado", "bokeh", "jupyter_server"}


@pytest.mark.parametrize(
    ("statement", "never"),
    [
        ("import gpucluster", HEAVY),
        # Clusters that wait for their turn to start are this far.
        ("import gpucluster.supervisor.__main__", HEAVY),
        ("import gpucluster.protocol.spec, gpucluster.protocol.models", HEAVY - {"pydantic"}),
        ("import gpucluster.registry.store", HEAVY - {"pydantic", "psutil"}),
        ("import gpucluster.client.control", OF_CONTROL),
        ("import gpucluster.client.api", OF_CONTROL | {"anywidget", "ipywidgets", "IPython"}),
        ("import gpucluster; gpucluster.list()", {"distributed", "dask", "numpy", "bokeh"}),
        ("import gpucluster; gpucluster.datasets", {"dask", "numpy", "pandas", "sklearn"}),
        ("import gpucluster.client.api, gpucluster.recordings.reading", {"pandas"}),
        ("import gpucluster.server.extension", {"distributed", "dask", "numpy", "bokeh", "dask_cuda"}),
        ("import gpucluster.lessons.classroom", {"numpy", "distributed", "dask", "IPython", "nbformat"}),
        (
            "import gpucluster.lessons.learner_progress",
            {"numpy", "dask", "distributed", "IPython", "pandas", "httpx"},
        ),
        # The grader of thirty submissions starts processes for each.
        ("from gpucluster.lessons.grading.runner import grader; grader.find_exercise('06.2')", {"distributed", "dask"}),
    ],
)
def test_what_an_import_loads(statement, never, tmp_path):
    code = f"{statement}\nimport sys\nprint(*(name for name in sys.modules if '.' not in name))"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GPUCLUSTER_DIR": str(tmp_path / "r")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=90, env=environment)
    if "gpucluster.list" in statement and "too long for unix sockets" in done.stderr:
        pytest.skip("the temporary directory's path is too long")
    assert done.returncode == 0, done.stderr
    assert not never & set(done.stdout.split())


def test_every_package_has_its_place():
    found = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert set(MAY_IMPORT) == found


def test_a_folder_has_few_modules():
    folders = {module.parent for module in modules(PACKAGE)}
    many = {str(folder): len([*folder.glob("*.py")]) - 1 for folder in folders}  # without __init__.py
    assert {folder: number for folder, number in many.items() if number > 25 and "/course/" not in folder} == {}

"""Notebooks import what lies in a lesson's folder by a short name, and nothing is imported before it is used."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import cloudpickle
import pytest
from gpucluster.lessons.catalogue import COURSE

SOURCES = sorted([*COURSE.glob("*/lesson.py"), *COURSE.glob("*/answers/*.py")])
UNUSED = """
import inspect, sys, warnings
from gpucluster.lessons.figures import kmeans
from gpucluster.lessons.probes import batchsystem
inspect.getmodule(inspect.currentframe())
warnings.catch_warnings(record=True).__enter__()
print([name for name in sys.modules if ".course." in name or name == "matplotlib"])
from gpucluster.lessons.probes.batchsystem import BatchSystem
print(BatchSystem.__module__)
"""


def imports(path: Path) -> set[tuple[str, str]]:
    """Return what a lesson or an answer imports from the lessons' packages, by module."""
    lines = path.read_text(encoding="utf-8").splitlines()
    tree = ast.parse("\n".join("" if line.startswith("%") else line for line in lines))
    return {
        (node.module, name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("gpucluster.lessons")
        for name in node.names
    }


def test_whatever_lessons_and_answers_import_is_there() -> None:
    wanted = set().union(*map(imports, SOURCES))
    assert len(wanted) > 100
    for module, name in sorted(wanted):
        if not hasattr(importlib.import_module(module), name):
            importlib.import_module(f"{module}.{name}")


def test_a_short_name_imports_nothing_until_it_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", UNUSED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\ngpucluster.lessons.course.lesson_14_onto_the_machine.probes\n"


def test_a_short_name_travels_to_workers() -> None:
    from gpucluster.lessons.figures import kmeans

    assert cloudpickle.loads(cloudpickle.dumps(kmeans)) is kmeans
    with pytest.raises(AttributeError):
        kmeans.no_such_figure  # noqa: B018

"""Measure a cluster with the workloads that GPU clusters are usually measured with, and compare two measurements.

Nothing heavy is imported before a name is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .catalogue import workloads
    from .comparison import Comparison, compare
    from .report import write_report
    from .result import BenchResult, load
    from .running import bench

__all__ = ["BenchResult", "Comparison", "bench", "compare", "load", "workloads", "write_report"]

_LAZY = {
    "BenchResult": "result",
    "Comparison": "comparison",
    "bench": "running",
    "compare": "comparison",
    "load": "result",
    "workloads": "catalogue",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})

"""Measure a cluster with the workloads that GPU clusters are usually measured with, and compare two measurements.

Nothing heavy is imported before a name is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import imported_when_used

if TYPE_CHECKING:
    from .catalogue import workloads
    from .comparison import Comparison, compare
    from .report import write_report
    from .result import BenchResult, load
    from .running import bench

__all__ = ["BenchResult", "Comparison", "bench", "compare", "load", "workloads", "write_report"]

__getattr__, __dir__ = imported_when_used(
    __name__,
    {
        "catalogue": ["workloads"],
        "comparison": ["Comparison", "compare"],
        "report": ["write_report"],
        "result": ["BenchResult", "load"],
        "running": ["bench"],
    },
)

"""Write down what was measured, where and with which versions."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def record(figures: dict[str, Any], *, name: str = "", packages: Iterable[str] = ()) -> Path:
    """Print the figures, and write them to a new file in ``benchmarks/results``.

    Parameters
    ----------
    figures : dict
        What was measured; becomes JSON.
    name : str
        Of the benchmark; part of the file's name.
    packages : iterable of str
        Distributions whose versions matter.
    """
    results = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cpus": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()},
        "versions": {package: version(package) for package in ("gpucluster", *packages)},
        **figures,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "-".join(filter(None, [name, f"{datetime.now(UTC):%Y-%m-%d-%H%M}.json"]))
    path.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1))
    print(f"Written to {path}")
    return path

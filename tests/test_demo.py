"""The main job without a person, as ``make demo`` runs it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.timeout(400)
def test_demo_creates_computes_and_tears_down() -> None:
    """JupyterLab, a cluster through REST, the lesson on it, and nothing left."""
    demo = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "demo.py")], capture_output=True, text=True, timeout=380
    )
    assert demo.returncode == 0, demo.stdout[-3000:] + demo.stderr[-3000:]
    assert "2 CPU workers after" in demo.stdout
    assert "10 of 10 checks passed" in demo.stdout
    assert demo.stdout.splitlines()[-1] == '{"lesson": "passed"}'
    # A story that a person reads; what else happened is in the file that it names.
    assert len(demo.stdout.splitlines()) <= 40
    assert demo.stderr == ""
    log = Path(re.search(r"Details: (\S+)", demo.stdout)[1]).read_text()  # type: ignore[index]
    assert "check 06.5: passed" in log
    assert "demo: stopped" in log
    assert "Jupyter Server" in log

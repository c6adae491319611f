"""The main job without a person, as ``make demo`` runs it."""

from __future__ import annotations

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
    assert "2 workers (local)" in demo.stdout
    assert "check 06.5: passed" in demo.stdout
    assert '{"lesson": "passed"}' in demo.stdout

"""The TypeScript types in the repository are those of the Python models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not (ROOT / "node_modules").exists(), reason="needs the npm packages: run 'jlpm install'")
def test_the_checked_in_types_are_fresh() -> None:
    command = [sys.executable, str(ROOT / ".ci" / "protocol_types.py"), "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr

"""The wheel in the oldest allowed JupyterLab and Notebook, with the oldest server; the script tests more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["lab-4.2.0", "notebook-7.2.0"])
def test_the_wheel_works_in_the_oldest_release(name: str, wheel: Path) -> None:
    pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")
    command = [sys.executable, "scripts/try_installs.py", "--check", "--wheel", str(wheel), name]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=800)
    if "No matching distribution" in answer.stderr:
        pytest.skip("needs a package index")
    assert answer.returncode == 0, answer.stdout + answer.stderr

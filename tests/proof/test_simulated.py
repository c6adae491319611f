"""The command itself, with the real dask-cuda on a simulated GPU."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
pytestmark = pytest.mark.timeout(400)
ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="compiles a stand-in for NVML: install gcc")
def test_life_leaves_nothing_and_page_reports_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.gpu", "--simulated", "--out", str(tmp_path), "--only", "settings"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=360, check=False)
    assert done.returncode == 0, done.stdout + done.stderr + (tmp_path / "settings" / "log.txt").read_text()
    figures = json.loads((tmp_path / "settings" / "figures.json").read_text())
    for name in ("plain", "device limit", "preset gpu"):
        assert figures[name]["nothing_left"] is True
        assert figures[name]["context_in_forkserver"] is figures[name]["context_in_supervisor"] is False
        assert figures[name]["context_in_worker"] is True
        assert figures[name]["create_seconds"] > 0
    assert figures["pool"] == {"skipped": "needs RAPIDS and a real GPU"}
    page = (tmp_path / "report.md").read_text()
    assert "**The GPU was simulated.**" in page
    assert "| plain | " in page
    again = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (again.returncode, again.stdout) == (0, ""), "a passed piece was repeated"

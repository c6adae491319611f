"""``make demo`` performs the main job; the figures of its lesson equal those of scikit-learn.

It is also the run of that lesson's solution (``tests/lessons/test_notebooks.py``): without a network, within memory,
and nothing is left.
"""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path

import nbformat
import numpy as np
import pytest
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.execution import ExecutedLesson
from gpucluster.lessons.material.pictures import load_photo
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from tests.kernel import shown_text
from tests.lessons.closed_site import PeakMemory, closed_site

ROOT = Path(__file__).parents[1]
MEMORY = 1_500_000_000
pytestmark = pytest.mark.timeout(400)

Completed = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def demo() -> Completed:
    """The output of the command."""
    with closed_site() as folder, PeakMemory(folder) as peak:
        done = subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "demo.py")], capture_output=True, text=True, timeout=380
        )
    assert 0 < peak.bytes < MEMORY
    return done


@pytest.fixture(scope="module")
def log(demo: Completed) -> str:
    """Its log file."""
    return Path(re.search(r"Details: (\S+)", demo.stdout)[1]).read_text()  # type: ignore[index]


@pytest.mark.full
def test_demo_creates_computes_and_tears_down(demo: Completed, log: str) -> None:
    """JupyterLab, a cluster through REST, the lesson on it, and nothing left."""
    assert demo.returncode == 0, demo.stdout[-3000:] + demo.stderr[-3000:]
    assert "2 CPU workers after" in demo.stdout
    assert "10 of 10 checks passed" in demo.stdout
    assert demo.stdout.splitlines()[-1] == '{"lesson": "passed"}'
    # A short text for people; the details are in the file that it names.
    assert len(demo.stdout.splitlines()) <= 40
    assert demo.stderr == ""
    assert "check 06.5: passed" in log
    # The lesson uses an existing cluster, so it leaves it running.
    assert re.search(r"^demo: running +after the lesson$", log, re.MULTILINE)
    assert "demo: stopped" in log
    assert "Jupyter Server" in log


def serial_run(k: int, seed: int, iterations: int) -> tuple[np.ndarray, float]:
    """Return centroids and inertia after `iterations` of scikit-learn's k-means in this process."""
    pixels = load_photo().reshape(-1, 3) / 255
    start = np.random.default_rng(seed).choice(np.unique(pixels, axis=0), size=k, replace=False)
    model = KMeans(k, init=start, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(pixels)
    return model.cluster_centers_, float(model.inertia_)


@pytest.mark.full
def test_lesson_matches_scikit_learn(demo: Completed, log: str) -> None:
    named = re.search(r"the notebook with all that it printed and drew: (\S+)", demo.stdout)
    run = ExecutedLesson(nbformat.read(Path(named[1]), as_version=4))  # type: ignore[index]
    states = {check["exercise"]: check["state"] for check in run.of_kind("check")}
    assert states == dict.fromkeys([exercise.id for exercise in find_lesson("06").exercises], "passed")
    assert all(prediction["predicted"] is not None for prediction in run.of_kind("prediction"))
    assert "a lesson must work without a network" not in shown_text(run.notebook)
    [report] = run.of_kind("report")
    figures = report["figures"]
    assert (figures["k"], figures["points"], figures["workers"]) == (8, 427 * 640, 2)
    # The last inertia belongs to the centroids before the last step, which was the first small one.
    (last, _), (before, true), (earlier, _) = (serial_run(8, 10, figures["iterations"] - n) for n in range(3))
    assert np.abs(last - before).max() <= 1e-3 < np.abs(before - earlier).max()
    assert figures["inertia"] == pytest.approx(true, rel=1e-10)
    printed = dict(line.split(": ", 1) for line in log.splitlines() if ": " in line)
    assert {"k", "iterations", "inertia", "workers", "seconds"} <= set(printed)
    assert float(printed["inertia"]) == figures["inertia"]
    assert printed["check 06.5"] == "passed"
    text = shown_text(run.notebook)
    assert f"inertia {true:,.4f}" in text
    assert [int(k) for k in re.findall(r"k = +(\d+): +\1 colours", text)] == [4, 8, 16]
    gaps = [float(gap) for gap in re.findall(r"difference of a centroid (\S+)", text)]
    assert len(gaps) == 4 and max(gaps) < 1e-8
    assert "and it rose in" in text
    shown = [output for cell in run.notebook.cells for output in cell.get("outputs", ())]
    assert sum("image/png" in output.get("data", {}) for output in shown) == 7
    assert sum("image/gif" in output.get("data", {}) for output in shown) == 1
    assert [output for output in shown if output.get("name") == "stderr"] == []

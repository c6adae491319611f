"""Lesson 06 on a cluster made by our own API: its figures are those of scikit-learn."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.execution import ExecutedLesson
from gpucluster.lessons.material.pictures import load_photo
from gpucluster.lessons.run import main
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from tests.suite.lessons import expensive_for

LESSON = find_lesson("06")


def serial_run(k: int, seed: int, iterations: int) -> tuple[np.ndarray, float]:
    """Centroids and inertia after that many iterations of scikit-learn's k-means in this process."""
    pixels = load_photo().reshape(-1, 3) / 255
    start = np.random.default_rng(seed).choice(np.unique(pixels, axis=0), size=k, replace=False)
    model = KMeans(k, init=start, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(pixels)
    return model.cluster_centers_, float(model.inertia_)


def outputs(book: Any) -> str:
    parts = []
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            parts.append(output.get("text") or output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)


@expensive_for("06")
@pytest.mark.timeout(360)
def test_the_solution_runs_on_our_cluster(cluster: Any, tmp_path: Path) -> None:
    output = tmp_path / "done.ipynb"
    done = subprocess.run(
        [sys.executable, "-m", "gpucluster.lessons.run", "06", "--cluster", cluster.name, "--output", str(output)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    run = ExecutedLesson(nbformat.read(output, as_version=4))
    states = {check["exercise"]: check["state"] for check in run.of_kind("check")}
    assert states == dict.fromkeys([exercise.id for exercise in LESSON.exercises], "passed")
    [report] = run.of_kind("report")
    figures = report["figures"]
    assert (figures["k"], figures["points"], figures["workers"]) == (8, 427 * 640, 2)
    # The last inertia belongs to the centroids before the last step, and that step was the first small one.
    (last, _), (before, true), (earlier, _) = (serial_run(8, 10, figures["iterations"] - n) for n in range(3))
    assert np.abs(last - before).max() <= 1e-3 < np.abs(before - earlier).max()
    assert figures["inertia"] == pytest.approx(true, rel=1e-10)
    printed = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert {"k", "iterations", "inertia", "workers", "seconds"} <= set(printed)
    assert float(printed["inertia"]) == figures["inertia"]
    assert printed["check 06.5"] == "passed"
    text = outputs(run.notebook)
    assert f"inertia {true:,.4f}" in text
    assert [int(k) for k in re.findall(r"k = +(\d+): +\1 colours", text)] == [4, 8, 16]
    gaps = [float(gap) for gap in re.findall(r"difference of a centroid (\S+)", text)]
    assert len(gaps) == 4 and max(gaps) < 1e-8
    assert "and it rose in" in text
    shown = [output for cell in run.notebook.cells for output in cell.get("outputs", ())]
    assert sum("image/png" in output.get("data", {}) for output in shown) == 7
    assert sum("image/gif" in output.get("data", {}) for output in shown) == 1
    assert [output for output in shown if output.get("name") == "stderr"] == []
    # The lesson was told which cluster to use, so it leaves it running.
    assert cluster.state == "running"


def test_the_command_refuses_with_a_sentence(capsys: pytest.CaptureFixture[str], registry: Path) -> None:
    assert main(["77"]) == 2
    assert "There is no lesson 77. Lessons: " in capsys.readouterr().err
    assert main(["06", "--cluster", "nobody"]) != 0
    assert "nobody" in capsys.readouterr().err

"""What the figures of lessons 00 to 02 say about the numbers they draw."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from gpucluster.lessons.figures import lazy, sizing
from gpucluster.lessons.probes.capped import Outcome
from gpucluster.lessons.probes.placement import memory_on_workers, places_of


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Figures, in the order they were shown."""
    figures: list[Any] = []
    monkeypatch.setattr(plt, "show", lambda: figures.append(plt.gcf()))
    return figures


def race(start: float, slope: float) -> pd.DataFrame:
    rows = np.array([1e6, 4e6, 16e6])
    return pd.DataFrame(
        {"copies": [1, 4, 16], "rows": rows, "pandas": 0.01 + 1e-7 * rows, "Dask": start + slope * rows}
    )


@pytest.mark.parametrize(
    ("start", "slope", "words"),
    [
        (0.25, 0.6e-7, "meet at about 6,000,000 rows"),
        (2.41, 0.6e-7, "60,000,000 rows (beyond what was measured)"),
        (0.25, 1.2e-7, "never meet"),
        (0.0, 0.5e-7, "Dask wins from 1,000,000 rows on, or earlier"),
    ],
)
def test_the_crossover_is_where_the_lines_meet(start: float, slope: float, words: str, shown: list[Any]) -> None:
    sizing.crossover(race(start, slope))
    assert words in shown[0].axes[0].get_title()


def test_runs_that_the_cap_ended_are_marked(shown: list[Any]) -> None:
    good = Outcome(True, (1, 2.0), "", "", 400_000_000, 180_000_000, 1.0)
    bad = Outcome(False, None, "MemoryError", "no", 400_000_000, 390_000_000, 0.0)
    sizing.under_the_cap({6: bad, 4: good, "Dask, 12": good})
    texts = [text.get_text() for text in shown[0].axes[0].texts]
    assert texts.count("✗ MemoryError") == 1
    assert texts.count("180 MB") == 2
    labels = [label.get_text() for label in shown[0].axes[0].get_yticklabels()]
    assert labels == ["pandas, 4 copies", "pandas, 6 copies", "Dask, 12 copies"]


def test_a_graph_is_drawn_in_levels_and_a_circle_is_not_drawn(
    shown: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    graph = {"serve": ["brew", "toast"], "brew": ["boil"], "boil": [], "toast": []}
    lazy.task_graph(graph, ["boil", "toast", "brew", "serve"])
    assert {text.get_text() for text in shown[0].axes[0].texts} >= {"1. boil", "2. toast", "3. brew", "4. serve"}
    lazy.task_graph({"a": ["b"], "b": ["a"]})
    assert len(shown) == 1
    assert "circle" in capsys.readouterr().out


def test_places_and_bytes_are_those_of_the_cluster(client: Any, shown: list[Any]) -> None:
    workers = client.scheduler_info(n_workers=-1)["workers"]
    first = next(iter(workers))
    before = memory_on_workers(client)
    futures = client.scatter([np.ones(1000) * i for i in range(4)], workers=[first])
    assert places_of(client, futures) == [f"worker {workers[first]['name']}"] * 4
    assert 4 * 8000 <= memory_on_workers(client) - before < 4 * 9000
    lazy.placement([places_of(client, futures)], names=["scattered"])
    assert len(shown) == 1

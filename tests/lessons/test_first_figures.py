"""What figures of lessons say about the numbers they draw."""

from typing import Any
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from gpucluster.lessons.course.lesson_01_do_you_need_a_cluster.probes import Outcome
from gpucluster.lessons.course.lesson_05_flights.tools import where_rows_went
from gpucluster.lessons.course.lesson_08_six_steps import figures as workflow
from gpucluster.lessons.course.lesson_08_six_steps.probes import SentMessage
from gpucluster.lessons.figures import drawing, lazy, sizing, vector
from gpucluster.lessons.figures.shuffle import replay
from gpucluster.lessons.figures.timelines import cut_picture, explore_cut
from gpucluster.lessons.figures.vector import Steps
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
        (0.25, 0.6e-7, "cross at about 6,000,000 rows"),
        (2.41, 0.6e-7, "60,000,000 rows (beyond the measured range)"),
        (0.25, 1.2e-7, "never cross"),
        (0.0, 0.5e-7, "Dask wins from 1,000,000 rows, or even fewer"),
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


def test_a_graph_is_drawn_in_levels_and_a_circle_is_not_drawn(shown: list[Any], capsys: Any) -> None:
    graph = {"serve": ["brew", "toast"], "brew": ["boil"], "boil": [], "toast": []}
    lazy.task_graph(graph, ["boil", "toast", "brew", "serve"])
    assert {text.get_text() for text in shown[0].axes[0].texts} >= {"1. boil", "2. toast", "3. brew", "4. serve"}
    lazy.task_graph({"a": ["b"], "b": ["a"]})
    assert len(shown) == 1
    assert "cycle" in capsys.readouterr().out


def test_places_and_bytes_are_those_of_the_cluster(client: Any, shown: list[Any]) -> None:
    workers = client.scheduler_info(n_workers=-1)["workers"]
    first = next(iter(workers))
    before = memory_on_workers(client)
    futures = client.scatter([np.ones(1000) * i for i in range(4)], workers=[first])
    assert places_of(client, futures) == [f"worker {workers[first]['name']}"] * 4
    assert 4 * 8000 <= memory_on_workers(client) - before < 4 * 9000
    lazy.placement([places_of(client, futures)], names=["scattered"])
    assert len(shown) == 1


@pytest.mark.full
def test_a_shuffle_is_replayed_from_where_rows_really_went(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask.dataframe as dd

    table = pd.DataFrame({"month": np.repeat([1, 2, 3], [50, 30, 20]), "key": np.arange(100) % 7})
    before = dd.concat([dd.from_pandas(table[table.month == month], npartitions=1) for month in (1, 2, 3)]).persist()
    after = before.shuffle("key", npartitions=2).persist()
    rows, places = where_rows_went(client, before, after, "month", ["one", "two", "three"])
    assert {name: sum(pieces.values()) for name, pieces in rows.items()} == {"one": 50, "two": 30, "three": 20}
    sizes = client.gather(client.map(len, client.compute(after.to_delayed())))
    assert [sum(pieces.get(part, 0) for pieces in rows.values()) for part in ("part 0", "part 1")] == sizes
    assert set(places) == {"one", "two", "three", "part 0", "part 1"}
    assert set(places.values()) <= {"worker 0", "worker 1"}

    shown: list[Steps] = []
    monkeypatch.setattr(Steps, "show", lambda drawn: shown.append(drawn))
    replay(rows, places)
    moved = sum(n for one, pieces in rows.items() for part, n in pieces.items() if places[one] != places[part])
    assert f"{moved:,} of 100 rows go to another worker" in repr(shown[0])
    assert len(shown[0].pictures) == 4
    last = ElementTree.fromstring(shown[0].pictures[-1].svg())
    titles = [title.text for title in last.iter("{http://www.w3.org/2000/svg}title")]
    for one, pieces in rows.items():
        for part, count in pieces.items():
            assert f"{count:,} rows of {one} go to {part}" in titles


@pytest.mark.parametrize("percent", [2, 50, 98])
def test_a_cut_changes_the_mean_of_means_only(percent: int) -> None:
    image = np.concatenate([np.full((60, 30, 3), 0.9), np.full((40, 30, 3), 0.4)])
    picture = cut_picture(image, percent, "data:image/jpeg;base64,")
    assert "Sums and counts: 0.700, 0.700, 0.700" in repr(picture)
    wrong = (image[:percent].mean() + image[percent:].mean()) / 2
    assert f"off by {abs(wrong - 0.7):.3f}" in repr(picture)
    ElementTree.fromstring(picture.svg())


def test_the_cut_follows_its_slider(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(vector.Picture, "show", lambda picture: shown.append(repr(picture)))
    box = explore_cut(np.linspace(0, 1, 40 * 30 * 3).reshape(40, 30, 3))
    box.children[0].value = 80
    assert "cut at 50 %" in shown[0]
    assert "cut at 80 %" in shown[-1]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Figures that would have been shown."""
    figures: list[Any] = []
    monkeypatch.setattr(workflow, "show", figures.append)
    return figures


def words(figure: Any) -> str:
    figure.canvas.draw()
    texts = [text.get_text() for axes in figure.axes for text in [*axes.texts, axes.title, axes.xaxis.label]]
    return " | ".join(texts)


def test_each_step_stands_on_its_layer(drawn: list[Any]) -> None:
    workflow.stack({"read": "collections", "fit": "estimators", "again": "estimators", "later": ...})
    [figure] = drawn
    heights = {text.get_text(): text.get_position()[1] for text in figure.axes[0].texts}
    assert heights["2. fit"] == heights["3. again"] > heights["1. read"]
    assert "3 of your 4 steps" in words(figure)


def test_a_layer_that_does_not_exist_is_named(drawn: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    workflow.stack({"read": "disk"})
    assert drawn == []
    assert "There is no layer 'disk'. The layers are notebook, estimators," in capsys.readouterr().out


def task(worker: str, key: str, start: float, stop: float) -> dict[str, Any]:
    return {"worker": worker, "key": key, "startstops": ({"action": "compute", "start": start, "stop": stop},)}


def test_a_trace_has_a_lane_for_each_worker_and_an_arrow_for_each_message(drawn: list[Any]) -> None:
    tasks = [task("a", "gpucluster-rank-job-1", 10.0, 10.5), task("b", "gpucluster-rank-job-0", 10.1, 10.5)]
    messages = [
        SentMessage(10.2 + number / 10, *pair, "allreduce", number, 48)
        for number in (1, 2, 3)
        for pair in (("a", "b"), ("b", "a"))
    ]
    workflow.fit_trace(tasks, messages)
    [figure] = drawn
    whole, closer = figure.axes
    assert [label.get_text() for label in whole.get_yticklabels()] == ["worker 0", "worker 1"]
    assert len([note for note in whole.texts if getattr(note, "arrow_patch", None)]) == 6
    assert "2 tasks, 6 messages" in words(figure)
    assert "Detail: allreduce number 2" in words(figure)
    low, high = closer.get_xlim()
    assert low < 400 < high


def test_a_trace_without_messages_or_tasks_says_so(drawn: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    workflow.fit_trace([], [])
    assert drawn == []
    assert "There is nothing to draw" in capsys.readouterr().out
    workflow.fit_trace([task("a", "fit", 1.0, 2.0)], [])
    assert "None of our messages between workers" in words(drawn[0])


def test_a_neighbour_that_is_another_digit_is_marked(drawn: list[Any]) -> None:
    images = np.arange(4 * 64).reshape(4, 64) % 17
    workflow.neighbours(images[:1], np.array([3]), np.array([[1, 2]]), images, np.array([3, 3, 8, 0]))
    _, same, other = drawn[0].axes
    assert same.title.get_text() == "3" and not same.spines["left"].get_visible()
    assert other.title.get_text() == "8" and other.spines["left"].get_visible()
    assert other.title.get_color() == drawing.WARNING


def test_the_photo_is_painted_with_the_colours_of_the_labels(drawn: list[Any]) -> None:
    palette = np.array([[0.0, 0, 0], [1.0, 0.5, 0]])
    workflow.label_order([0, 1, 1, 0], [1, 0, 0, 1], (2, 2, 3), palette)
    right, wrong = (axes.images[0].get_array() for axes in drawn[0].axes)
    assert np.array_equal(right[0, 1], palette[1]) and np.array_equal(wrong[0, 1], palette[0])
    assert "CC BY 2.0" in drawn[0].get_supxlabel()


def test_nothing_is_drawn_before_there_is_an_answer(drawn: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    workflow.losses(None, None)  # type: ignore[arg-type]
    workflow.accuracies({})
    workflow.neighbours(np.zeros((1, 64)), np.zeros(1), None, np.zeros((1, 64)), np.zeros(1))
    assert drawn == []
    assert capsys.readouterr().out.count("Nothing to draw yet") == 3


def test_airports_in_no_cluster_are_counted(drawn: list[Any]) -> None:
    table = {"lon": np.linspace(-120, -70, 60), "lat": np.linspace(30, 45, 60)}
    workflow.airports(table, np.r_[np.zeros(50, dtype=int), np.ones(4, dtype=int), np.full(6, -1)])
    assert "2 clusters of airports; 6 airports in none" in words(drawn[0])
    assert [note.get_text() for note in drawn[0].axes[0].texts] == ["50"]

"""The figures of the workflow lesson draw what they are given, and say in words when there is nothing to draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.course.lesson_08_six_steps import figures as workflow
from gpucluster.lessons.course.lesson_08_six_steps.probes import SentMessage
from gpucluster.lessons.figures import drawing


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
    assert "Closer: allreduce number 2" in words(figure)
    low, high = closer.get_xlim()
    assert low < 400 < high


def test_a_trace_without_messages_or_tasks_says_so(drawn: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    workflow.fit_trace([], [])
    assert drawn == []
    assert "There is nothing to draw" in capsys.readouterr().out
    workflow.fit_trace([task("a", "fit", 1.0, 2.0)], [])
    assert "No messages of our own between workers" in words(drawn[0])


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

"""Lesson 10: what its checks and pictures take for granted, and its answers with many hidden inputs."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from gpucluster.lessons.course.lesson_10_training import checks
from gpucluster.lessons.course.lesson_10_training.tools import ONE_CARD, TWO_NODES, idle, length, read_ring, schedule
from gpucluster.lessons.figures import networks as figures
from gpucluster.lessons.figures import pipelines as drawings

from tests.lessons.answering import answer
from tests.lessons.drawings import SVG, drawings_of
from tests.lessons.test_answers import load_answer, solved


def test_the_gradients_of_the_check_are_the_slopes_of_the_loss() -> None:
    rng = np.random.default_rng(10)
    sizes = (4, 6, 5, 3)
    layers = checks.random_network(rng, sizes)
    X, wanted = checks.random_rows(rng, 9, sizes)
    _, slopes = checks.true_gradients(X, wanted, layers)
    for place, array in enumerate(layers):
        for at in np.ndindex(array.shape):
            losses = []
            for step in (1e-6, -1e-6):
                moved = [one.copy() for one in layers]
                moved[place][at] += step
                losses.append(checks.true_gradients(X, wanted, moved)[0])
            assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(slopes[place][at], rel=1e-5, abs=1e-8)


def test_the_logs_are_those_of_the_slides() -> None:
    read_log = solved("10.8")[0]
    one, two = read_log(ONE_CARD), read_log(TWO_NODES)
    assert (one["gpus"], two["gpus"], two["model"], two["batch"]) == (1, 2, "resnet50", 64)
    assert (round(two["mean"], 1), round(two["spread"], 1), round(two["total"], 1)) == (316.4, 2.2, 632.8)
    true = [value for value, _ in checks.PUBLISHED.values()]
    assert [float(f"{value:.3g}") for value in true] == [1.89, 94.7, 4.5, 278, 7.39, 98.8, 93.9, 16.1, 50.3]


@pytest.mark.parametrize(("stages", "micro"), [(1, 3), (2, 1), (4, 1), (4, 8), (3, 5)])
def test_a_simulated_pipeline_waits_as_long_as_the_formula_says(stages: int, micro: int) -> None:
    spans = schedule(stages, micro)
    assert len(spans) == 2 * stages * micro
    assert idle(spans) == pytest.approx((stages - 1) / (micro + stages - 1))


@pytest.mark.parametrize("one_at_a_time", [False, True])
def test_no_device_does_two_things_and_nothing_comes_too_early(one_at_a_time: bool) -> None:
    spans = schedule(4, 1, copies=3, one_at_a_time=one_at_a_time)
    ended = {span.work: span.stop for span in spans}
    for device in range(4):
        own = [span for span in spans if span.device == device]
        assert all(one.stop <= other.start for one, other in zip(own[:-1], own[1:], strict=True))
    for span in spans:
        before = span.work._replace(stage=span.work.stage + (1 if span.work.backward else -1))
        assert before not in ended or ended[before] <= span.start
        assert not span.work.backward or ended[span.work._replace(backward=False)] <= span.start


def test_the_second_copy_of_gems_fills_the_gaps() -> None:
    assert length(schedule(4, 1)) == length(schedule(4, 1, copies=2)) == 12
    assert length(schedule(4, 1, copies=2, one_at_a_time=True)) == 21


@pytest.mark.parametrize("name", ["right lists", "right other_way", "right buffers"])
def test_messages_of_any_ring_can_be_read(name: str) -> None:
    run, steps = read_ring(load_answer(answer("10.7", name))[0], 4)
    assert [len(step) for step in steps] == [4] * 6
    assert [{len(parcel.ranks) for parcel in step} for step in steps] == [{1}, {2}, {3}, {4}, {4}, {4}]
    assert {(parcel.target - parcel.source) % 4 for step in steps for parcel in step} <= {1, 3}
    assert all({parcel.part for parcel in step} == {0, 1, 2, 3} for step in steps)
    assert len(run.messages) == 24


def test_what_is_no_ring_is_read_without_an_error() -> None:
    assert read_ring(lambda comm, values: comm.allreduce(values), 3)[1] == []
    assert read_ring(lambda comm, values: comm.sendrecv(values, dest=comm.rank, source=comm.rank), 2)[1] == [[]]


def roomy(shown: Any) -> list[ElementTree.Element]:
    """All pictures of an output, whose texts end within the frame."""
    found = drawings_of(shown)
    for one in found:
        width = float((one.get("viewBox") or "").split()[2])
        for text in one.iter(f"{SVG}text"):
            long = 0.52 * float(text.get("font-size", 12)) * len(text.text or "")
            share = {"start": 1.0, "middle": 0.5, "end": 0.0}[text.get("text-anchor", "start")]
            assert float(text.get("x", 0)) + share * long <= width, text.text
    return found


def test_the_pictures_say_in_words_what_they_show(shown: list[Any]) -> None:
    figures.network((64, 32, 10))
    figures.three_ways()
    figures.stack()
    figures.curves({"good": [2.0, 1.0, 0.5], "bad": [2.0, 900.0, float("nan")], "worse": [float("nan")] * 3})
    figures.rate_map({(64, 0.1): ("good", 0.2), (64, 1.0): ("diverges", float("nan"))})
    drawings.pipeline({"two": schedule(2, 2), "copies": schedule(2, 1, copies=2)})
    drawings.efficiencies({"one": (2, 94.7), "other": (32, 50.3)})
    for one in shown:
        assert len(roomy(one)) == 1
    words = " ".join(map(repr, shown))
    assert "layer 1 with 32 units" in words and "rate 1 diverges" in words and "94.7 % at 2 times as many" in words
    assert f"two: {length(schedule(2, 2)):g} time units, 33% idle" in words


def test_each_message_of_the_ring_is_a_step(shown: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    drawings.ring(None, 4)  # type: ignore[arg-type]
    assert "Nothing to draw yet" in capsys.readouterr().out
    drawings.ring(read_ring(solved("10.7")[0], 3)[1], 3)
    pictures = roomy(shown[0])
    assert len(pictures) == 5
    assert "Message 4 of each rank: 9 of 9 parts are complete" in repr(shown[0])


def test_the_photo_has_words(shown: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    tiles = list(solved("10.12")[1](40, 60, 20, 3))
    drawings.tiled(np.zeros((40, 60)), tiles, np.eye(40, 60) > 0)
    assert "in 6 tiles" in capsys.readouterr().out
    assert "6 tiles" in shown[0].alt


def test_the_sliders_draw_what_they_say(shown: list[Any]) -> None:
    box = drawings.explore_pipeline(stages=3)
    assert [slider.value for slider in box.children[:3]] == [3, 4, 1]
    assert [slider.max for slider in box.children[:3]] == [8, 12, 2]

"""Lesson 10, what is trained: a network's gradients, its memory, its batches, and what a curve of losses says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...examination import Examination, Halt, describe
from .. import exercise
from ..answers import Floats, number, numbers, several

Layers = list[Floats]


def random_network(rng: np.random.Generator, sizes: Sequence[int], scale: float = 1.0) -> Layers:
    """Return weights and biases by turns, float64."""
    layers: Layers = []
    for n_in, n_out in pairwise(sizes):
        layers += [scale * rng.normal(size=(n_in, n_out)) / np.sqrt(n_in), 0.3 * scale * rng.normal(size=n_out)]
    return layers


def random_rows(rng: np.random.Generator, n_rows: int, sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Return rows and the wanted outputs, with a one at the row's class."""
    return rng.normal(size=(n_rows, sizes[0])), np.eye(sizes[-1])[rng.integers(0, sizes[-1], n_rows)]


def true_gradients(X: Floats, wanted: Floats, layers: Layers, rows: int | None = None) -> tuple[float, Layers]:
    """Return the mean loss and its gradients; with ``rows``, sums divided by that number instead."""
    values = [X]
    for place in range(0, len(layers), 2):
        scores = values[-1] @ layers[place] + layers[place + 1]
        values.append(np.maximum(scores, 0))
    shifted = scores - scores.max(axis=1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    share = 1 / (len(X) if rows is None else rows)
    error = (np.exp(logs) - wanted) * share
    slopes: Layers = [np.zeros(0)] * len(layers)
    for place in reversed(range(0, len(layers), 2)):
        slopes[place], slopes[place + 1] = values[place // 2].T @ error, error.sum(axis=0)
        error = (error @ layers[place].T) * (values[place // 2] > 0)
    return float(-(wanted * logs).sum() * share), slopes


def same_shapes(exam: Examination, slopes: Any, layers: Layers, case: str) -> Layers:
    """Return the gradients as arrays with the shapes of the layers, or end the examination."""
    listed = isinstance(slopes, (list, tuple)) and len(slopes) == len(layers)
    exam.require("There is one gradient for each array of the layers", listed,
                 f"{describe(slopes)} for {len(layers)} arrays; {case}")  # fmt: skip
    return [
        numbers(exam, one, f"Gradient {place} of {len(layers)}", shape=array.shape)
        for place, (one, array) in enumerate(zip(slopes, layers, strict=True), start=1)
    ]


def gap(found: Layers, true: Layers) -> float:
    """Return the largest difference, as a share of the largest true number."""
    most = max(float(np.abs(array).max()) for array in true)
    return max(float(np.abs(one - array).max()) for one, array in zip(found, true, strict=True)) / max(most, 1e-300)


@exercise("10.1", "gradients")
def check_gradients(exam: Examination, gradients: Any) -> None:
    """Loss and gradients agree with numerical differentiation's, for networks of one to four layers."""
    for sizes in ((5, 7, 6, 4), (3, 4), (6, 5, 3), (4, 6, 5, 7, 3), (64, 32, 16, 10)):
        layers = random_network(exam.rng, sizes)
        X, wanted = random_rows(exam.rng, int(exam.rng.integers(2, 30)), sizes)
        _expect_gradients(exam, gradients, X, wanted, layers, f"sizes {sizes}, {len(X)} rows")
        if not exam.passed:
            return
    sizes = (5, 6, 4)
    X, wanted = random_rows(exam.rng, 1, sizes)
    _expect_gradients(exam, gradients, X, wanted, random_network(exam.rng, sizes), "one row")
    X, wanted = random_rows(exam.rng, 12, sizes)
    layers = random_network(exam.rng, sizes, 40.0)
    found = several(exam, exam.call(gradients, X, wanted, layers), "loss", "slopes")
    true = true_gradients(X, wanted, layers)
    finite = all(np.isfinite(np.asarray(one, dtype=float)).all() for one in (found[0], *found[1]))
    exam.expect("Large scores do no harm: the loss stays finite and right",
                finite and abs(float(found[0]) - true[0]) < 1e-6 * true[0],
                f"loss {found[0]}, expected {true[0]:.6g}, with scores beyond 1000")  # fmt: skip


def _expect_gradients(exam: Examination, gradients: Any, X: Floats, wanted: Floats, layers: Layers, case: str) -> None:
    loss, slopes = several(exam, exam.call(gradients, X, wanted, layers), "loss", "slopes")
    true_loss, true_slopes = true_gradients(X, wanted, layers)
    loss = number(exam, loss, "The loss")
    slopes = same_shapes(exam, slopes, layers, case)
    exam.expect("The loss is the mean cross entropy of the rows", abs(loss - true_loss) <= 1e-6 * abs(true_loss),
                f"{loss:.8g}, expected {true_loss:.8g}; {case}")  # fmt: skip
    if not exam.passed:
        raise Halt
    for place, (one, true) in enumerate(zip(slopes, true_slopes, strict=True)):
        off = float(np.abs(one - true).max()) / max(float(np.abs(true).max()), 1e-12)
        name = f"{'bias' if place % 2 else 'weights'} of layer {place // 2 + 1}"
        exam.expect("Each gradient agrees with numerical differentiation to 1e-6", off < 1e-6,
                    f"largest difference {off:.1e} of the largest slope: {name}; {case}")  # fmt: skip


@exercise("10.2", "n_parameters", "training_bytes")
def check_memory(exam: Examination, n_parameters: Any, training_bytes: Any) -> None:
    """Parameters and bytes are right for random networks, batches, optimizers and precisions."""
    for turn in range(30):
        sizes = [int(one) for one in exam.rng.integers(1, 3000, int(exam.rng.integers(2, 8)))]
        rows, copies, itemsize = (int(one) for one in (exam.rng.integers(1, 5000), exam.rng.integers(2, 6),
                                                       exam.rng.choice([2, 4, 8])))  # fmt: skip
        if turn == 0:  # more bytes than 32 bits can count
            sizes, copies, itemsize = [*sizes, *exam.rng.integers(3000, 4000, 8).tolist()], 5, 8
        parameters = sum((n_in + 1) * n_out for n_in, n_out in pairwise(sizes))
        found = number(exam, exam.call(n_parameters, list(sizes)), "The number of parameters")
        exam.expect("All weights and all biases are counted", found == parameters,
                    f"{found:,.0f}, expected {parameters:,}; sizes {sizes}")  # fmt: skip
        given = (list(sizes), rows) if turn and exam.rng.random() < 0.3 else (list(sizes), rows, copies, itemsize)
        n, width = given[2:] if len(given) == 4 else (4, 4)
        true = width * (n * parameters + rows * sum(sizes))
        found = number(exam, exam.call(training_bytes, *given), "The number of bytes")
        exam.expect("The bytes are those of all copies of the parameters and of the outputs of all layers",
                    found == true, f"{found:,.0f}, expected {true:,}; sizes {sizes}, {rows} rows, {n} copies, "
                    f"{width} bytes per number")  # fmt: skip
        if not exam.passed:
            return


@exercise("10.3", "batches")
def check_batches(exam: Examination, batches: Any) -> None:
    """Each row is in one batch, in an order that the seed decides."""
    for n_rows, size in ((1, 1), (12, 4), (13, 4), (100, 64), (50, 50), (20, 64), (257, 1), (300, 100)):
        seed = int(exam.rng.integers(1, 10**6))
        case = f"{n_rows} rows in batches of {size}"
        found = _rows_of(exam, exam.call(batches, n_rows, size, seed), case)
        lengths = [len(one) for one in found]
        every = [row for one in found for row in one]
        exam.expect("Each row is in exactly one batch", sorted(every) == list(range(n_rows)),
                    f"{len(every)} rows, {len(set(every))} different ones; {case}")  # fmt: skip
        true = [size] * (n_rows // size) + ([n_rows % size] if n_rows % size else [])
        exam.expect("All batches have the size, and only the last one may have fewer rows", lengths == true,
                    f"sizes {lengths[:6]}; {case}")  # fmt: skip
        if n_rows > 10:
            # Begun elsewhere, backwards or in equal steps, neighbours differ by one or two numbers; shuffled, by many.
            steps = {(after - before) % n_rows for before, after in pairwise(every)}
            exam.expect("The order is random", len(steps) > 3, f"it begins {every[:6]}; {case}")
            again = _rows_of(exam, exam.call(batches, n_rows, size, seed), case)
            exam.expect("The same seed gives the same batches", again == found, f"seed {seed} twice; {case}")
            other = _rows_of(exam, exam.call(batches, n_rows, size, seed + 1), case)
            exam.expect("Another seed gives another order", other != found, f"seeds {seed} and {seed + 1}; {case}")
        if not exam.passed:
            return
    before = _global_state()
    exam.call(batches, 20, 5, 3)
    same = _global_state() == before
    exam.expect(
        "NumPy's global random numbers are left alone", same, "untouched" if same else "they were used or seeded"
    )


def _global_state() -> str:
    return repr(np.random.get_state(legacy=False))


def _rows_of(exam: Examination, result: Any, case: str) -> list[list[int]]:
    try:
        found = [[int(row) for row in np.asarray(one).ravel()] for one in result]
    except (TypeError, ValueError):
        exam.require("It returns batches of row numbers", False, f"{describe(result)}; {case}")
        raise Halt from None
    return found


@exercise("10.4", "verdict")
def check_verdict(exam: Examination, verdict: Any) -> None:
    """The word is right for random curves: falling, rising, with gaps in the numbers, just at the aim."""
    words = ("diverges", "good", "slow")
    for curve, wanted, true in _curves(exam.rng):
        found = exam.call(verdict, list(curve), wanted)
        exam.require("It is one of: diverges, good, slow", isinstance(found, str) and found.strip().lower() in words,
                     repr(found))  # fmt: skip
        shown = ", ".join(f"{one:.3g}" for one in curve)
        exam.expect(
            _RULES[true], found.strip().lower() == true.partition(":")[0], f"{found!r} for {shown}; aim {wanted:g}"
        )


_RULES = {
    "diverges: number": "diverges: a loss that is no finite number, anywhere, also where an earlier one was good",
    "diverges: rising": "diverges: the last loss is larger than the first, also where one between them was good",
    "good": "good: the aim was reached, exactly or on the way",
    "slow": "slow: no harm at the end, and the aim was not reached",
}


def _curves(rng: np.random.Generator) -> list[tuple[list[float], float, str]]:
    cases: list[tuple[list[float], float, str]] = []
    for _ in range(15):
        first, wanted = float(rng.uniform(2, 3)), float(rng.uniform(0.2, 0.8))
        n = int(rng.integers(2, 9))
        slow = [first, *sorted(rng.uniform(wanted + 0.05, first, n).tolist(), reverse=True)]
        good = [*slow, wanted if rng.random() < 0.4 else float(rng.uniform(0, wanted))]
        bumpy = [*good, float(rng.uniform(wanted + 0.05, first))]
        broken = list(good if rng.random() < 0.5 else slow)
        broken.insert(int(rng.integers(1, len(broken) + 1)), float(rng.choice([np.nan, np.inf])))
        rising = [*(good if rng.random() < 0.5 else slow), first + float(rng.uniform(0.01, 50))]
        level = [first, *slow[1:], first]
        hump = [first, first + float(rng.uniform(0.1, 5)), *slow[1:]]
        cases += [(slow, wanted, "slow"), (good, wanted, "good"), (bumpy, wanted, "good"), (level, wanted, "slow"),
                  (hump, wanted, "slow"), (broken, wanted, "diverges: number"),
                  (rising, wanted, "diverges: rising")]  # fmt: skip
    # It was good before any step.
    cases.append(([wanted], wanted, "good"))
    return [cases[place] for place in rng.permutation(len(cases))]

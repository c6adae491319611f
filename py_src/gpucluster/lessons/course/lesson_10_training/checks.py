"""The checks of lesson 10."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ....protocol.errors import GPUClusterError
from ...answers import Floats, number, numbers, several, wrong_choices
from ...checks import exercise
from ...examination import Examination, Halt, describe
from ...properties import UNCHANGED, fingerprint
from ...simulations.ranks import MPIRun, NoMPI, mpiexec, run_under_mpi, simulate

# What is trained: a network's gradients, its memory, its batches, and what a curve of losses says.


Layers = list[Floats]


def random_network(rng: np.random.Generator, sizes: Sequence[int], scale: float = 1.0) -> Layers:
    """Return weights and biases alternating, float64."""
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
    exam.expect("With large scores, the loss stays finite and right",
                finite and abs(float(found[0]) - true[0]) < 1e-6 * true[0],
                f"loss {found[0]}, expected {true[0]:.6g}, with scores beyond 1000")  # fmt: skip


def _expect_gradients(exam: Examination, gradients: Any, X: Floats, wanted: Floats, layers: Layers, case: str) -> None:
    loss, slopes = several(exam, exam.call(gradients, X, wanted, layers), "loss", "slopes")
    true_loss, true_slopes = true_gradients(X, wanted, layers)
    loss = number(exam, loss, "The loss")
    slopes = same_shapes(exam, slopes, layers, case)
    exam.expect("The loss is the mean cross entropy over the rows", abs(loss - true_loss) <= 1e-6 * abs(true_loss),
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
        exam.expect("All weights and biases are counted", found == parameters,
                    f"{found:,.0f}, expected {parameters:,}; sizes {sizes}")  # fmt: skip
        given = (list(sizes), rows) if turn and exam.rng.random() < 0.3 else (list(sizes), rows, copies, itemsize)
        n, width = given[2:] if len(given) == 4 else (4, 4)
        true = width * (n * parameters + rows * sum(sizes))
        found = number(exam, exam.call(training_bytes, *given), "The number of bytes")
        exam.expect("The bytes include all copies of the parameters and the outputs of all layers",
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
        exam.expect("All batches have the given size; only the last one may have fewer rows", lengths == true,
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
    exam.expect("NumPy's global random state is unchanged", same, "untouched" if same else "they were used or seeded")


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
    "diverges: number": "diverges: any loss is not finite, even if an earlier one was good",
    "diverges: rising": "diverges: the last loss is larger than the first, even if one in between was good",
    "good": "good: the goal was reached, exactly or along the way",
    "slow": "slow: the loss did not grow, and the goal was not reached",
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


# Which way of dividing the work fits; published results as arithmetic; a benchmark's log.


WAYS = {
    "A": ("one device", "It fits, and three minutes are no reason to divide anything."),
    "B": ("data", "The model fits on a card. What is large is the number of images."),
    "C": ("model", "Not even one image goes through on one card, and there are few images."),
    "D": ("hybrid", "The model does not fit on a card, and there are many images and many cards."),
    "E": ("tiles", "What matters lies within 50 pixels. Must one device ever see the whole image?"),
}


@exercise("10.5", "ways")
def check_ways(exam: Examination, ways: Any) -> None:
    """Each case has its word."""
    wrong = wrong_choices(exam, ways, WAYS, {word for word, _ in WAYS.values()}, each="case", name="`ways`")
    for case, (_, thought) in WAYS.items():
        exam.expect(f"The choice for {case} is right", case not in wrong, thought if case in wrong else "it is")


@exercise("10.14", "order")
def check_order_of_an_epoch(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "10.14", order)


def random_log(rng: np.random.Generator) -> tuple[str, dict[str, Any]]:
    """Return the log of a run, perhaps one that was cut, and what is in it."""
    gpus, n = int(rng.integers(1, 65)), int(rng.integers(2, 16))
    base = float(rng.uniform(20, 2500))
    rates = [round(float(one), 1) for one in rng.normal(base, base * 0.01, n)]
    model = str(rng.choice(["resnet50", "resnet101", "vgg16", "inception_v3"]))
    batch = int(rng.choice([16, 32, 64, 128]))
    mean, spread = float(np.mean(rates)), 1.96 * float(np.std(rates))
    lines = [f"Model: {model}", f"Batch size: {batch}", f"Number of GPUs: {gpus}", "Running warmup...",
             "Running benchmark...", *(f"Iter #{at}: {rate:.1f} img/sec per GPU" for at, rate in enumerate(rates)),
             f"Img/sec per GPU: {mean:.1f} +-{spread:.1f}",
             f"Total img/sec on {gpus} GPU(s): {gpus * mean:.1f} +-{gpus * spread:.1f}"]  # fmt: skip
    if rng.random() < 0.4:
        lines = lines[:-2]  # the job was killed before the summary
    true = {"model": model, "batch": batch, "gpus": gpus, "rates": rates, "mean": mean, "spread": spread,
            "total": gpus * mean}  # fmt: skip
    return "\n".join(lines) + "\n", true


@exercise("10.8", "read_log")
def check_log(exam: Examination, read_log: Any) -> None:
    """All entries are right for random logs, even for such without a summary."""
    for _ in range(25):
        text, true = random_log(exam.rng)
        found = exam.call(read_log, text)
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        missing = [name for name in true if name not in found]
        exam.require("It has the seven entries", not missing, f"without {', '.join(missing)}")
        case = f"{true['gpus']} GPUs, {len(true['rates'])} iterations"
        exam.expect("model is the name", found["model"] == true["model"], f"{found['model']!r}; {case}")
        for name in ("batch", "gpus"):
            exam.expect(f"{name} is the whole number", number(exam, found[name], name) == true[name],
                        f"{found[name]!r}, expected {true[name]}; {case}")  # fmt: skip
        rates = _rates(exam, found["rates"])
        exam.expect("rates are those of the iterations, in order", rates == true["rates"], f"{rates[:4]}; {case}")
        for name in ("mean", "spread", "total"):
            value = number(exam, found[name], name)
            exam.expect(_SAYS[name], abs(value - true[name]) < 1e-6 * max(true[name], 1e-3),
                        f"{value:.6g}, expected {true[name]:.6g}; {case}")  # fmt: skip
        if not exam.passed:
            return


_SAYS = {
    "mean": "mean is the mean of the rates, not rounded",
    "spread": "spread is 1.96 times the standard deviation of the rates, as in the benchmark",
    "total": "total is the mean, times the number of GPUs",
}


def _rates(exam: Examination, value: Any) -> list[float]:
    try:
        return [float(one) for one in value]
    except (TypeError, ValueError):
        exam.require("rates are numbers", False, describe(value))
        raise Halt from None


PUBLISHED = {
    "2 GPUs: speed-up": (632.8 / 334.0, "images per second on two, divided by those on one"),
    "2 GPUs: efficiency, %": (100 * 632.8 / 334.0 / 2, "the speed-up, divided by what was put in"),
    "Summit: minutes for 90 epochs": (4.5, "seconds per epoch, times epochs"),
    "Summit: images per second and card": (1_281_167 / 3 / 1536, "images per epoch, by seconds per epoch, by GPUs"),
    "Frontera: minutes for 90 epochs": (1_281_167 * 90 / 260_000 / 60, "all images of 90 epochs, by images per second"),
    "HyPar-Flow, 256 nodes: efficiency, %": (100 * 253 / 256, "the speed-up, divided by the nodes"),
    "HyPar-Flow, 512 nodes: efficiency, %": (100 * 481 / 512, "the speed-up, divided by the nodes"),
    "GEMS, 4 to 128 GPUs: speed-up": (7.25 * 60 / 27, "hours and minutes in one unit"),
    "GEMS, 4 to 128 GPUs: efficiency, %": (100 * 7.25 * 60 / 27 / 32, "32 times as many GPUs"),
}


@exercise("10.13", "scaling", "published")
def check_published(exam: Examination, scaling: Any, published: Any) -> None:
    """The function is right for random times, and each published result to three digits."""
    for _ in range(20):
        before, after = float(exam.rng.uniform(10, 1e5)), float(exam.rng.uniform(1, 1e4))
        factor = float(exam.rng.choice([2, 3, 4, 8, 32, 512, 1.5]))
        speed_up, efficiency = several(exam, exam.call(scaling, before, after, factor), "speed_up", "efficiency")
        case = f"{before:.4g} s before, {after:.4g} s after, with {factor:g} times as many devices"
        speed_up, efficiency = number(exam, speed_up, "The speed-up"), number(exam, efficiency, "The efficiency")
        exam.expect("The speed-up is the time before divided by the time after",
                    abs(speed_up * after / before - 1) < 1e-9, f"{speed_up:.6g} for {case}")  # fmt: skip
        exam.expect("The efficiency is the speed-up divided by the factor",
                    abs(efficiency * factor * after / before - 1) < 1e-9, f"{efficiency:.6g} for {case}")  # fmt: skip
    exam.require("`published` is a dictionary", isinstance(published, dict), describe(published))
    missing = [name for name in PUBLISHED if published.get(name) in (None, ...)]
    exam.require("Each result is there", not missing, f"without: {'; '.join(missing)}")
    for name, (true, thought) in PUBLISHED.items():
        value = number(exam, published[name], name)
        # One in the third digit, so that truncation is right, too.
        right = abs(value - true) <= 10 ** (math.floor(math.log10(true)) - 2)
        exam.expect(f"{name} is right to three digits", right, f"{value:g}" if right else f"{value:g}: {thought}")


# Images that do not fit: tiles with a border of their neighbours' pixels.


@exercise("10.12", "image_bytes", "tiles")
def check_tiles(exam: Examination, image_bytes: Any, tiles: Any) -> None:
    """Cores cover each pixel once, and what is around them has the halo, but ends where the image does."""
    for height, width, given in ((100_000, 100_000, ()), (427, 640, (3, 1)), (1024, 1024, (3, 4)), (7, 5, (1, 2))):
        channels, itemsize = given or (3, 1)
        found = number(exam, exam.call(image_bytes, height, width, *given), "The number of bytes")
        exam.expect("The bytes per image are right", found == height * width * channels * itemsize,
                    f"{found:,.0f} for {height:,} x {width:,} pixels, {channels} x {itemsize} bytes each")  # fmt: skip
    cases = [(20, 30, 10, 2), (20, 31, 10, 0), (7, 9, 4, 1), (5, 5, 8, 3), (64, 64, 16, 5), (1, 13, 4, 2)]
    for _ in range(10):
        height, width = (int(one) for one in exam.rng.integers(1, 60, 2))
        cases.append((height, width, int(exam.rng.integers(1, 40)), int(exam.rng.integers(0, 7))))
    for height, width, size, halo in cases:
        _expect_tiles(exam, tiles, height, width, size, halo)
        if not exam.passed:
            return


def _expect_tiles(exam: Examination, tiles: Any, height: int, width: int, size: int, halo: int) -> None:
    case = f"{height} x {width} pixels, tiles of {size}, halo {halo}"
    result = exam.call(tiles, height, width, size, halo)
    try:
        pairs = [(_edges(core, height, width), _edges(around, height, width)) for core, around in result]
    except (TypeError, ValueError, AttributeError):
        exam.require(
            "It returns pairs: the core and what is around, each two slices", False, f"{describe(result)}; {case}"
        )
        raise Halt from None
    seen = np.zeros((height, width), dtype=int)
    for (top, bottom, left, right), _ in pairs:
        seen[top:bottom, left:right] += 1
    exam.expect("Each pixel is in the core of exactly one tile", (seen == 1).all(),
                f"{int((seen == 0).sum())} in none, {int((seen > 1).sum())} in several; {case}")  # fmt: skip
    n_tiles = -(-height // size) * -(-width // size)
    exam.expect("There are as few tiles as possible", len(pairs) == n_tiles,
                f"{len(pairs)} tiles, expected {n_tiles}; {case}")  # fmt: skip
    largest = max((max(bottom - top, right - left) for (top, bottom, left, right), _ in pairs), default=0)
    exam.expect("No core is larger than a tile", largest <= size, f"{largest} pixels; {case}")
    beyond = [core for core, _ in pairs if core[1] > height or core[3] > width]
    exam.expect("No core extends beyond the image", not beyond, f"{beyond[0]}; {case}" if beyond else f"none; {case}")
    for core, around in pairs:
        top, bottom, left, right = core
        true = (max(0, top - halo), min(height, bottom + halo), max(0, left - halo), min(width, right + halo))
        exam.expect("Each core is surrounded by the halo's number of pixels, but none beyond the image", around == true,
                    f"core {core}, around {around}, expected {true}; {case}")  # fmt: skip


def _edges(pair: Any, height: int, width: int) -> tuple[int, int, int, int]:
    rows, columns = pair
    if not (isinstance(rows, slice) and isinstance(columns, slice)):
        raise TypeError("no slices")
    for one in (rows, columns):
        if one.step not in (None, 1) or (one.start is not None and one.start < 0):
            raise ValueError("a slice with a step or from the end")
    top, bottom = rows.start or 0, height if rows.stop is None else rows.stop
    left, right = columns.start or 0, width if columns.stop is None else columns.stop
    return int(top), int(bottom), int(left), int(right)


# A network in two pieces: micro-batches, idle time, and pipelines side by side.


Cut = tuple[tuple[int, ...], int]


def shared_out(X: Floats, wanted: Floats, layers: list[Floats], cut: int, shares: Sequence[int]) -> Any:
    """Return for each rank its rows, its wanted outputs and its layers: two ranks for each share of the rows."""
    edges = np.cumsum(shares)[:-1]
    rows: list[Floats | None] = []
    outputs: list[Floats | None] = []
    for one, other in zip(np.split(X, edges), np.split(wanted, edges), strict=True):
        rows += [one, None]
        outputs += [None, other]
    return rows, outputs, [layers[: 2 * cut], layers[2 * cut :]] * len(shares)


@exercise("10.9", "two_stages")
def check_two_stages(exam: Examination, two_stages: Any) -> None:
    """The gradients are those of the whole network and batch; what travels are micro-batches."""
    exam.require("It is a function", callable(two_stages), describe(two_stages))
    cases: list[tuple[Cut, int, int]] = [
        (((6, 5, 4, 3), 1), 20, 4), (((6, 5, 4, 3), 2), 17, 5), (((4, 9, 3), 1), 8, 1), (((3, 8, 7, 6, 4), 3), 9, 9),
        # An array of which a quarter has more than 64 KiB: its sender waits for the receiver.
        (((5, 40, 3), 1), 1200, 4),
    ]  # fmt: skip
    for (sizes, cut), n_rows, n_micro in cases:
        layers = random_network(exam.rng, sizes)
        X, wanted = random_rows(exam.rng, n_rows, sizes)
        given = shared_out(X, wanted, layers, cut, [n_rows])
        run = on_ranks(exam, watching(two_stages, 3), *given, n_micro, n_ranks=2)
        case = f"sizes {sizes}, cut after layer {cut}, {n_rows} rows in {n_micro} micro-batches"
        _expect_slopes(exam, run, true_gradients(X, wanted, layers)[1], cut, case)
        for source in (0, 1):
            count = sum(message.source == source for message in run.messages)
            exam.expect("Each micro-batch is one message forward and one back", count == n_micro,
                        f"{count} messages from rank {source}; {case}")  # fmt: skip
            most = 8 * n_rows * sizes[cut] + (n_micro + 1) * PICKLE_BYTES
            exam.expect("Only the output at the cut and its error are sent", sent_bytes(run, source) <= most,
                        f"{sent_bytes(run, source):,} bytes from rank {source}, needed {most:,}; {case}")  # fmt: skip
        # The order of both ranks' messages is that of the moment, where they are sent without waiting.
        early = [message.received_before for message in run.messages if message.source == 0]
        exam.expect("All micro-batches go forward before the rank waits for the first error", not any(early),
                    f"errors that rank 0 had received before it sent each: {early[:12]}; {case}")  # fmt: skip
        if not exam.passed:
            return


def _expect_slopes(exam: Examination, run: MPIRun, true: list[Floats], cut: int, case: str) -> None:
    for rank, (result, unchanged) in enumerate(run.results):
        mine = true[2 * cut :] if rank % 2 else true[: 2 * cut]
        exam.expect(UNCHANGED, unchanged, "unchanged" if unchanged else f"rank {rank} changed an argument; {case}")
        slopes = same_shapes(exam, result, mine, f"rank {rank}; {case}")
        off = gap(slopes, mine)
        exam.expect("Each rank has the gradients of its layers for all rows, to 1e-10", off < 1e-10,
                    f"largest difference {off:.1e} of the largest slope, on rank {rank}; {case}")  # fmt: skip


@exercise("10.10", "idle_share", "micro_batches_for")
def check_idle_share(exam: Examination, idle_share: Any, micro_batches_for: Any) -> None:
    """The idle share follows from the schedule; the number of micro-batches is the smallest that is enough."""
    for _ in range(40):
        stages, micro = int(exam.rng.integers(1, 65)), int(exam.rng.integers(1, 300))
        found = number(exam, exam.call(idle_share, stages, micro), "The idle share")
        true = (stages - 1) / (micro + stages - 1)
        exam.expect("The idle share is right", abs(found - true) < 1e-9,
                    f"{found:.6g}, expected {true:.6g}; {stages} stages, {micro} micro-batches")  # fmt: skip
    if not exam.passed:
        return  # with a wrong share, the search may never end
    edges = [(4, 0.25), (2, 0.5), (8, 0.125), (9, 0.5), (1, 0.125), (3, 0.0625)]
    for stages, most in edges + [
        (int(exam.rng.integers(2, 65)), float(exam.rng.uniform(0.02, 0.9))) for _ in range(30)
    ]:
        found = number(exam, exam.call(micro_batches_for, stages, most), "The number of micro-batches")
        case = f"{found:g} for {stages} stages, at most {most:.4g} idle"
        exam.require("It is a whole number of 1 or more", found == int(found) and found >= 1, case)
        needed = (stages - 1) * (1 - most) / most
        near = abs(needed - round(needed)) < 1e-6 and (stages, most) not in edges
        exam.expect("This number is enough", near or found >= needed - 1e-9, case)
        exam.expect("One fewer would not be enough", near or found == 1 or found - 1 < needed - 1e-9, case)


@exercise("10.11", "hybrid_slopes")
def check_hybrid(exam: Examination, hybrid_slopes: Any) -> None:
    """On every rank: the gradients of its layers for the rows of all pipelines."""
    exam.require("It is a function", callable(hybrid_slopes), describe(hybrid_slopes))
    sizes, cut = (6, 7, 5, 3), 1
    for shares, n_micro in (((12, 12), 3), ((20, 6), 2), ((9,), 3), ((5, 17, 30), 4), ((8, 8, 8, 41), 1)):
        layers = random_network(exam.rng, sizes)
        X, wanted = random_rows(exam.rng, sum(shares), sizes)
        given = shared_out(X, wanted, layers, cut, shares)
        run = on_ranks(exam, watching(hybrid_slopes, 3), *given, n_micro, n_ranks=2 * len(shares))
        case = f"{len(shares)} pipelines with {', '.join(map(str, shares))} rows, {n_micro} micro-batches"
        _expect_slopes(exam, run, true_gradients(X, wanted, layers)[1], cut, case)
        between = {(one.source, one.target) for one in run.messages
                   if one.source // 2 != one.target // 2 and one.source % 2 != one.target % 2}  # fmt: skip
        exam.expect("Different pipelines exchange messages only between equal stages",
                    not between, f"{len(between)} such pairs; {case}")  # fmt: skip
        sent = Counter(one.source for one in run.messages if one.source // 2 == one.target // 2)
        fewest = min(sent[rank] for rank in range(2 * len(shares)))
        exam.expect("Each pipeline splits its rows into micro-batches", fewest >= n_micro,
                    f"at least {fewest} from each rank to the other stage; {case}")  # fmt: skip
        if not exam.passed:
            return


# On simulated ranks: gradients of all rows on every rank, and sums that travel round a ring.


PICKLE_BYTES = 400
"""What a pickle adds to a small array, at most."""


def on_ranks(exam: Examination, function: Callable[..., Any], *arguments: Any, n_ranks: int) -> MPIRun:
    """Run ``function(comm, *arguments)`` as simulated ranks; what goes wrong is a finding."""
    try:
        run = simulate(function, *arguments, n_ranks=n_ranks)
    except GPUClusterError as error:
        exam.require("It runs on several ranks without an error", False, f"{n_ranks} ranks: {str(error)[:300]}")
        raise
    empty = [rank for rank, one in enumerate(run.results) if one is None or one is Ellipsis]
    exam.require("Every rank returns a result", not empty, f"rank {empty[0]} returned None" if empty else "it does")
    return run


def watching(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Let a function of a communicator return, beside its result, whether its arguments are unchanged."""

    def watched(comm: Any, *arguments: Any) -> Any:
        own = [part[comm.rank] for part in arguments[:place]] + list(arguments[place:])
        before = [fingerprint(one) for one in own]
        result = function(comm, *own)
        return None if result is None or result is Ellipsis else (result, before == [fingerprint(one) for one in own])

    return watched


def sent_bytes(run: MPIRun, rank: int) -> int:
    """Return how many bytes one rank sent, or gave to collective operations."""
    messages = sum(message.bytes for message in run.messages if message.source == rank)
    return messages + sum(size for _, _, who, size in run.collectives if who == rank)


@exercise("10.6", "parallel_gradients")
def check_parallel_gradients(exam: Examination, parallel_gradients: Any) -> None:
    """On every rank: the gradients of all rows, however unequal the shares are; rows do not travel."""
    exam.require("It is a function", callable(parallel_gradients), describe(parallel_gradients))
    sizes = (24, 9, 7, 5)
    for shares in ((40, 40), (70, 11), (300, 5, 45), (12, 0, 30), (25,), (1, 1, 90, 8)):
        layers = random_network(exam.rng, sizes)
        X, wanted = random_rows(exam.rng, sum(shares), sizes)
        edges = np.cumsum(shares)[:-1]
        parts = (np.split(X, edges), np.split(wanted, edges))
        run = on_ranks(exam, watching(parallel_gradients, 2), *parts, layers, n_ranks=len(shares))
        case = f"ranks with {', '.join(map(str, shares))} rows"
        _expect_all_rows(exam, run.results, true_gradients(X, wanted, layers), layers, case)
        n_numbers = sum(array.size for array in layers)
        allowed = 8 * n_numbers * 2 * len(shares) + 40 * PICKLE_BYTES
        most = max(sent_bytes(run, rank) for rank in range(len(shares)))
        if shares[0] >= 300:
            exam.expect("Rows are not sent: only gradients and single numbers are", most <= allowed,
                        f"a rank gave {most:,} bytes; its gradients have {8 * n_numbers:,}; {case}")  # fmt: skip
        if not exam.passed:
            return
    _expect_under_mpi(exam, parallel_gradients)


def _expect_all_rows(exam: Examination, results: list[Any], true: Any, layers: list[Floats], case: str) -> None:
    for rank, (result, unchanged) in enumerate(results):
        exam.expect(UNCHANGED, unchanged, "unchanged" if unchanged else f"rank {rank} changed an argument; {case}")
        loss, slopes = several(exam, result, "loss", "slopes")
        loss = number(exam, loss, "The loss")
        slopes = same_shapes(exam, slopes, layers, f"rank {rank}; {case}")
        off = gap(slopes, true[1])
        exam.expect("Every rank has the gradients of all rows, to 1e-10", off < 1e-10,
                    f"largest difference {off:.1e} of the largest slope, on rank {rank}; {case}")  # fmt: skip
        exam.expect("Every rank has the loss of all rows", abs(loss - true[0]) < 1e-10 * max(true[0], 1e-6),
                    f"{loss:.10g}, expected {true[0]:.10g}, on rank {rank}; {case}")  # fmt: skip


def _expect_under_mpi(exam: Examination, parallel_gradients: Any) -> None:
    starter = mpiexec()
    if starter is None or not exam.passed:
        return
    sizes = (6, 5, 3)
    layers = random_network(exam.rng, sizes)
    X, wanted = random_rows(exam.rng, 31, sizes)

    def called(comm: Any, _rows: Any, X: Any, wanted: Any, layers: Any) -> Any:
        own = slice(0, 20) if comm.rank == 0 else slice(20, None)
        return parallel_gradients(comm, X[own], wanted[own], layers), True

    try:
        run = run_under_mpi(starter, called, list(range(2)), X, wanted, layers, n_ranks=2, plain=True)
    except NoMPI:
        return
    except GPUClusterError as error:
        exam.require("It runs under mpiexec without an error", False, str(error)[:300])
        raise
    _expect_all_rows(exam, run.results, true_gradients(X, wanted, layers), layers, "2 ranks under mpiexec")


@exercise("10.7", "ring_allreduce")
def check_ring(exam: Examination, ring_allreduce: Any) -> None:
    """Every rank has the sum, bit by bit the same; each sent little, and only to its neighbour."""
    exam.require("It is a function", callable(ring_allreduce), describe(ring_allreduce))
    for n_ranks, length in ((4, 8), (2, 7), (3, 3), (5, 23), (1, 6), (4, 2), (6, 120_000), (3, 40_001), (8, 64)):
        arrays = [exam.rng.normal(size=length) for _ in range(n_ranks)]
        run = on_ranks(exam, watching(ring_allreduce, 1), arrays, n_ranks=n_ranks)
        case = f"{n_ranks} ranks, {length:,} numbers"
        true = np.sum(arrays, axis=0)
        for rank, (result, unchanged) in enumerate(run.results):
            found = numbers(exam, result, "The result", shape=(length,))
            off = float(np.abs(found - true).max())
            exam.expect("Every rank gets the sum of all arrays", off < 1e-10 * n_ranks,
                        f"largest difference {off:.1e} on rank {rank}; {case}")  # fmt: skip
            same = np.array_equal(found, run.results[0][0])
            exam.expect("All ranks have bitwise equal numbers", same, f"rank {rank} and rank 0; {case}")
            exam.expect(UNCHANGED, unchanged, "unchanged" if unchanged else f"rank {rank} changed its array; {case}")
        _expect_neighbours(exam, run, n_ranks, length, case)
        if not exam.passed:
            return


def _expect_neighbours(exam: Examination, run: MPIRun, n_ranks: int, length: int, case: str) -> None:
    names = sorted({name for name, *_ in run.collectives})
    exam.expect("Only messages between two ranks are used", not names, f"{', '.join(names) or 'none other'}; {case}")
    steps = {(message.target - message.source) % n_ranks for message in run.messages}
    fits = len(steps) <= 1 and steps <= {1, n_ranks - 1}
    exam.expect("All ranks send in the same direction, to the next rank only", fits or n_ranks < 3,
                f"distances {sorted(steps)}; {case}")  # fmt: skip
    counts = [sum(message.source == rank for message in run.messages) for rank in range(n_ranks)]
    exam.expect("Each rank sends 2 (n - 1) messages", set(counts) == {2 * (n_ranks - 1)} or n_ranks == 1,
                f"{counts}; {case}")  # fmt: skip
    most = 2 * (n_ranks - 1) * (8 * -(-length // n_ranks) + PICKLE_BYTES)
    sent = max(sent_bytes(run, rank) for rank in range(n_ranks))
    exam.expect("Each message carries 1/n of the array", sent <= most,
                f"a rank sent {sent:,} bytes, at most {most:,} are needed; {case}")  # fmt: skip

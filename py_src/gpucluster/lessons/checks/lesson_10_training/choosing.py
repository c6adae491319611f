"""Lesson 10, which way of dividing the work fits; published results as arithmetic; a benchmark's log."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...examination import Examination, Halt, describe
from .. import exercise
from ..answers import number, several, wrong_choices

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
        lines = lines[:-2]  # the job was ended before the summary
    true = {"model": model, "batch": batch, "gpus": gpus, "rates": rates, "mean": mean, "spread": spread,
            "total": gpus * mean}  # fmt: skip
    return "\n".join(lines) + "\n", true


@exercise("10.8", "read_log")
def check_log(exam: Examination, read_log: Any) -> None:
    """All entries are right for random logs, also for such without a summary."""
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
    "mean": "mean is that of the rates, not rounded",
    "spread": "spread is 1.96 times the standard deviation of the rates, as the benchmark's own",
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
        exam.expect("The speed-up is the time before, divided by the time after",
                    abs(speed_up * after / before - 1) < 1e-9, f"{speed_up:.6g} for {case}")  # fmt: skip
        exam.expect("The efficiency is the speed-up, divided by the factor",
                    abs(efficiency * factor * after / before - 1) < 1e-9, f"{efficiency:.6g} for {case}")  # fmt: skip
    exam.require("`published` is a dictionary", isinstance(published, dict), describe(published))
    missing = [name for name in PUBLISHED if published.get(name) in (None, ...)]
    exam.require("Each result is there", not missing, f"without: {'; '.join(missing)}")
    for name, (true, thought) in PUBLISHED.items():
        value = number(exam, published[name], name)
        # One in the third digit, so that whoever cuts it off is right, too.
        right = abs(value - true) <= 10 ** (math.floor(math.log10(true)) - 2)
        exam.expect(f"{name} is right to three digits", right, f"{value:g}" if right else f"{value:g}: {thought}")

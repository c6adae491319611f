"""Pictures of what is trained: a network, curves of losses, a map of rates, ways of dividing, layers of software."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from .drawing import when_ready
from .vector import (
    ACCENT,
    COLOURS,
    DEEP_BLUE,
    DEEP_GREEN,
    DEEP_GREY,
    DEEP_ORANGE,
    GREY,
    INK,
    QUIET,
    WARNING,
    Picture,
)

WORDS = {"good": DEEP_GREEN, "slow": DEEP_GREY, "diverges": DEEP_ORANGE}
_MOST_DOTS = 8


def network(sizes: Sequence[int]) -> None:
    """Draw the layers of a fully connected network, each with some of its units, and what lies between them."""
    named = ["input", *(f"layer {number}" for number in range(1, len(sizes)))]
    told = ", ".join(f"{name} with {size} units" for name, size in zip(named, sizes, strict=True))
    picture = Picture(720, 290, f"A fully connected network from left to right: {told}. Each unit is connected with "
                      "each unit of the layer before.")  # fmt: skip
    step = 560 / (len(sizes) - 1)
    columns = []
    for place, size in enumerate(sizes):
        shown = min(size, _MOST_DOTS)
        columns.append([(80 + step * place, 130 + 24 * (number - (shown - 1) / 2)) for number in range(shown)])
    for left, right in itertools.pairwise(columns):
        for start in left:
            for end in right:
                picture.line([start, end], QUIET, width=0.7, opacity=0.45)
    for place, (column, size) in enumerate(zip(columns, sizes, strict=True)):
        colour = GREY if place == 0 else ACCENT
        for x, y in column:
            picture.dot(x, y, colour, f"{named[place]}: one of {size} units", radius=7)
        x = column[0][0]
        picture.text(x, 18, named[place], anchor="middle", bold=True, size=13)
        units = f"{size} units" if size <= _MOST_DOTS else f"{size} units, {_MOST_DOTS} drawn"
        picture.text(x, 250, units, anchor="middle", size=12)
        if place:
            n_in = sizes[place - 1]
            picture.text(x - step / 2, 274, f"{n_in} × {size} weights, {size} biases", anchor="middle", size=12,
                         colour=ACCENT)  # fmt: skip
    picture.show()


@when_ready
def curves(losses: Mapping[str, Sequence[float]], most: float = 6.0) -> None:
    """Draw losses over steps; what is beyond the upper edge, or no number, ends with a cross there."""
    left, right, top, bottom = 56.0, 660.0, 28.0, 262.0
    length = max(len(one) for one in losses.values())
    told = "; ".join(f"{name}: from {one[0]:.3g} to {one[-1]:.3g}" for name, one in losses.items())
    picture = Picture(720, 330, f"Loss after each step. {told}.")

    def place(number: float, loss: float) -> tuple[float, float]:
        return left + (right - left) * number / max(length - 1, 1), bottom - (bottom - top) * min(loss, most) / most

    picture.line([(left, top), (left, bottom), (right, bottom)])
    for mark in range(0, int(most) + 1, 2):
        picture.text(left - 8, place(0, mark)[1] + 4, str(mark), anchor="end", size=12)
        picture.line([place(0, mark), place(length - 1, mark)], QUIET, width=0.6, opacity=0.5)
    picture.text(left, bottom + 18, "0", anchor="middle", size=12)
    picture.text(right, bottom + 18, f"{length - 1} steps", anchor="end", size=12)
    picture.text(8, top - 12, "loss", size=12)
    for number, one in enumerate(losses.values()):
        colour = COLOURS[number % len(COLOURS)]
        drawn = list(itertools.takewhile(math.isfinite, one))
        picture.line([place(step, loss) for step, loss in enumerate(drawn)], colour, width=2.4)
        gone = [step for step, loss in enumerate(one) if not (math.isfinite(loss) and loss <= most)]
        if gone:
            x, y = place(gone[0], most)
            picture.line([(x - 5, y - 5), (x + 5, y + 5)], colour, width=2.4)
            picture.line([(x - 5, y + 5), (x + 5, y - 5)], colour, width=2.4)
            highest = max((loss for loss in one if math.isfinite(loss)), default=math.inf)
            picture.text(x + 12, y - 6, f"beyond the chart, up to {highest:,.0f}", size=12)
    picture.legend(left, bottom + 48, [(COLOURS[n % len(COLOURS)], name) for n, name in enumerate(losses)])
    picture.show()


@when_ready
def rate_map(table: Mapping[tuple[int, float], tuple[str, float]]) -> None:
    """Draw a square for each pair of batch size and rate, with the loss at the end in it; colours are the verdicts."""
    sizes = list(dict.fromkeys(size for size, _ in table))
    rates = list(dict.fromkeys(rate for _, rate in table))
    told = "; ".join(f"batch size {size}: " + ", ".join(f"rate {rate:g} {table[size, rate][0]}" for rate in rates)
                     for size in sizes)  # fmt: skip
    left, top, wide, high = 110.0, 34.0, 78.0, 38.0
    picture = Picture(max(left + wide * len(rates) + 20, 580), top + high * len(sizes) + 60, f"Verdicts. {told}.")
    picture.text(left - 12, 22, "batch size", anchor="end", size=12, bold=True)
    for column, rate in enumerate(rates):
        picture.text(left + wide * (column + 0.5), 22, f"rate {rate:g}", anchor="middle", size=12, bold=True)
    for row, size in enumerate(sizes):
        y = top + high * row
        picture.text(left - 12, y + high / 2 + 4, str(size), anchor="end", size=12)
        for column, rate in enumerate(rates):
            word, loss = table[size, rate]
            x = left + wide * column
            shown = f"{loss:.2f}" if math.isfinite(loss) and loss < 100 else "∞"
            picture.box(x, y, wide - 3, high - 3, WORDS.get(word, DEEP_GREY),
                        f"batch size {size}, rate {rate:g}: {word}, loss {shown}")  # fmt: skip
            picture.text(x + wide / 2 - 1.5, y + 22, shown, anchor="middle", colour="white", size=12)
    y = top + high * len(sizes) + 26
    picture.legend(left, y, [(colour, word) for word, colour in WORDS.items()])
    picture.text(left, y + 22, "in the squares: the loss after the epochs; ∞: above 100, or no number", size=12)
    picture.show()


def three_ways() -> None:
    """Draw data, model and hybrid parallelism, each on four devices."""
    picture = Picture(
        780, 300,
        "Three ways to divide training among four devices. Data parallelism: each device has the whole model and a "
        "quarter of the rows; their gradients are added up. Model parallelism: each device has a quarter of the model; "
        "all rows go through all devices, outputs forward and errors back. Hybrid: two groups of two devices; in a "
        "group each device has half of the model, and each group has half of the rows; gradients of equal halves are "
        "added up.",
    )  # fmt: skip
    for column, name in enumerate(("data parallelism", "model parallelism", "hybrid")):
        x = 130 + 260 * column
        picture.text(x, 20, name, anchor="middle", bold=True, size=14)
        if column:
            picture.line([(x - 130, 10), (x - 130, 290)], QUIET, dashes="4 4", width=1)
    parts = (DEEP_BLUE, "#6b55a3", "#00767a", DEEP_GREEN)
    for device in range(4):
        y = 42 + 56 * device
        _model(picture, 74, y, parts)
        picture.text(66, y + 24, f"rows {device + 1}/4", size=12, anchor="end")
    picture.line([(206, 60), (206, 230)], WARNING, width=2)
    for device in range(4):
        picture.arrow((206, 62 + 56 * device), (184, 62 + 56 * device), WARNING)
    picture.text(130, 284, "gradients are added up", anchor="middle", size=12, colour=WARNING)
    for device in range(4):
        y = 42 + 56 * device
        picture.box(350, y, 80, 38, parts[device], f"device {device + 1}: a quarter of the layers")
        picture.text(390, y + 24, f"layers {device + 1}/4", anchor="middle", size=12, colour="white")
        if device:
            picture.arrow((390, y - 18), (390, y), ACCENT, both=True)
    picture.text(342, 66, "all rows", size=12, anchor="end")
    picture.text(390, 284, "outputs go down, errors up", anchor="middle", size=12, colour=ACCENT)
    for group, x in enumerate((560, 690)):
        for half in (0, 1):
            y = 66 + 104 * half
            for number in (0, 1):
                picture.box(x + 42 * number, y, 42, 38, parts[2 * half + number], f"half {half + 1} of the layers")
            picture.text(x + 42, y + 24, f"layers {half + 1}/2", anchor="middle", size=12, colour="white")
        picture.arrow((x + 42, 104), (x + 42, 170), ACCENT, both=True)
        picture.text(x + 42, 52, f"rows {group + 1}/2", anchor="middle", size=12)
    for y in (85, 189):
        picture.arrow((646, y), (688, y), WARNING, both=True)
    picture.text(667, 248, "errors along the pipeline,", anchor="middle", size=12, colour=ACCENT)
    picture.text(667, 266, "gradients across", anchor="middle", size=12, colour=WARNING)
    picture.show()


def _model(picture: Picture, x: float, y: float, colours: Sequence[str]) -> None:
    for number, colour in enumerate(colours):
        picture.box(x + 28 * number, y, 28, 38, colour, "a quarter of the layers")
    picture.text(x + 56, y + 24, "all layers", anchor="middle", size=12, colour="white")


def stack() -> None:
    """Draw the layers of software below a training program, for MPI and for NCCL."""
    rows = (
        ("your program", "model, data, loop", INK),
        ("TensorFlow, PyTorch, MXNet", "forward and backward pass on one device", ACCENT),
        ("Horovod", "adds up gradients: fusion, allreduce", WARNING),
        ("MVAPICH2 (MPI)   or   NCCL", "carry messages: ring, tree, point to point", ACCENT),
        ("InfiniBand, NVLink, Ethernet · GPUs, CPUs", "move and add bytes", INK),
    )
    picture = Picture(720, 320, "Layers from top to bottom: " + "; ".join(f"{name}: {does}" for name, does, _ in rows))
    for number, (name, does, colour) in enumerate(rows):
        y = 32 + 62 * number
        picture.frame(190, y, 350, 44, name, colour=colour)
        picture.text(384, y + 4, does, size=12)
        if number:
            picture.arrow((190, y - 40), (190, y - 22), QUIET)
    picture.show()

"""The figures of lesson 10."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from ...figures.drawing import when_ready
from ...figures.vector import (
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
    Steps,
)
from .tools import Parcel, Span, idle, length, schedule

# Pictures of what is trained: a network, curves of losses, a map of rates, ways of dividing, layers of software.


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
    picture.text(left, y + 22, "in the squares: the loss after the epochs; ∞: above 100, or not a number", size=12)
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


# Pictures of messages round a ring, of stages that work and wait, of tiles, and of published efficiencies.


_RANKS = (DEEP_BLUE, DEEP_ORANGE, DEEP_GREEN, "#6b55a3", "#00767a", "#a03f6b", "#8a6d00", "#7a7a7a")


@when_ready
def ring(steps: Sequence[Sequence[Parcel]], n_ranks: int) -> None:
    """Draw which rank has whose numbers in which part of the array, before and after each message; one is chosen."""
    have = [[frozenset({rank}) for _ in range(n_ranks)] for rank in range(n_ranks)]
    pictures = [_ring_picture(have, [], n_ranks, "Before: each rank has its own numbers")]
    for number, parcels in enumerate(steps, start=1):
        came = []
        for parcel in parcels:
            have[parcel.target][parcel.part] = have[parcel.target][parcel.part] | parcel.ranks
            came.append((parcel.target, parcel.part))
        complete = sum(len(part) == n_ranks for rank in have for part in rank)
        said = f"Message {number} of each rank: {complete} of {n_ranks * n_ranks} parts are complete"
        pictures.append(_ring_picture(have, came, n_ranks, said))
    Steps(pictures, f"A ring of {n_ranks} ranks after each of {len(steps)} messages. {pictures[-1].words}").show()


def _ring_picture(
    have: Sequence[Sequence[frozenset[int]]], came: Sequence[tuple[int, int]], n_ranks: int, said: str
) -> Picture:
    cell, gap, left, top = 74.0, 14.0, 74.0, 62.0
    picture = Picture(left + n_ranks * (cell + gap) + 220, top + n_ranks * 50 + 30, f"{said}.")
    picture.text(4, 18, said, size=13, bold=True)
    for part in range(n_ranks):
        picture.text(left + part * (cell + gap) + cell / 2, 48, f"part {part}", anchor="middle", size=12)
    for rank, parts in enumerate(have):
        y = top + 50 * rank
        picture.text(4, y + 22, f"rank {rank}", size=12, bold=True)
        for part, ranks in enumerate(parts):
            x, wide = left + part * (cell + gap), cell / n_ranks
            for one in range(n_ranks):
                there = one in ranks
                picture.box(x + one * wide, y, wide - 1, 34, _RANKS[one % len(_RANKS)],
                            f"numbers of rank {one}: {'added' if there else 'missing'}",
                            opacity=1.0 if there else 0.13)  # fmt: skip
            if (rank, part) in came:
                picture.box(x - 4, y - 4, cell + 7, 42, WARNING, "has just received", hollow=True)
            if len(ranks) == n_ranks:
                picture.text(x + cell / 2, y + 22, "✓", anchor="middle", colour="white", size=15, bold=True)
    x = left + n_ranks * (cell + gap) + 16
    picture.text(x, top + 4, "stripes: whose numbers", size=12)
    for one in range(n_ranks):
        picture.box(x, top + 14 + 18 * one, 12, 12, _RANKS[one % len(_RANKS)])
        picture.text(x + 18, top + 24 + 18 * one, f"rank {one}", size=12)
    if came:
        picture.text(x, top + 38 + 18 * n_ranks, "framed: what has", size=12, colour=WARNING)
        picture.text(x, top + 54 + 18 * n_ranks, "just been received", size=12, colour=WARNING)
    return picture


@when_ready
def pipeline(plans: Mapping[str, Sequence[Span]]) -> None:
    """Draw when each device works: one picture below the other, all with the same scale of time."""
    left, scale_to, lane, space = 76.0, 620.0, 22.0, 58.0
    longest = max(length(spans) for spans in plans.values())
    scale = scale_to / longest
    picture = Picture(left + scale_to + 30, 0, "")
    top, said = 4.0, []
    for name, spans in plans.items():
        devices = 1 + max(span.device for span in spans)
        words = f"{name}: {length(spans):g} time units, {idle(spans):.0%} idle"
        said.append(words)
        picture.text(0, top + 14, words, size=13, bold=True)
        top += 24
        for device in range(devices):
            y = top + (lane + 3) * device
            picture.text(0, y + 15, f"device {device}", size=12)
            picture.box(left, y, length(spans) * scale, lane, QUIET, opacity=0.18)
        for span in spans:
            work = span.work
            y = top + (lane + 3) * span.device
            colour = _RANKS[(work.copy if work.copy else 0) % len(_RANKS)]
            way = "backward" if work.backward else "forward"
            label = f"{way}, copy {work.copy + 1}, micro-batch {work.micro_batch + 1}, stage {work.stage + 1}"
            wide = (span.stop - span.start) * scale
            picture.box(left + span.start * scale, y, wide - 1, lane, colour, label,
                        opacity=1.0 if work.backward else 0.72)  # fmt: skip
            number = work.copy + 1 if any(one.work.copy for one in spans) else work.micro_batch + 1
            if wide > 16:
                picture.text(left + (span.start + span.stop) / 2 * scale, y + 15,
                             f"{number}{'←' if work.backward and wide > 26 else ''}", anchor="middle", colour="white",
                             size=11)  # fmt: skip
        top += (lane + 3) * devices + space - 42
    picture.text(left, top + 12, "short: forward · long: backward · the number is that of the micro-batch, or, "
                 "with several copies, of the copy", size=11, colour=QUIET)  # fmt: skip
    picture.height = top + 24
    picture.words = "Simulated work of devices over time. " + ". ".join(said) + "."
    picture.show()


def explore_pipeline(stages: int = 4, micro_batches: int = 4, copies: int = 1) -> Any:
    """Show a simulated pipeline with sliders for its stages, micro-batches and copies; they need a running kernel."""
    import ipywidgets as widgets  # type: ignore[import-untyped]

    def draw(stages: int, micro_batches: int, copies: int) -> None:
        name = f"{stages} stages, {micro_batches} micro-batches" + (f", {copies} copies" if copies > 1 else "")
        pipeline({name: schedule(stages, micro_batches, copies)})

    wide = {"style": {"description_width": "110px"}, "layout": widgets.Layout(width="420px")}
    sliders = {
        "stages": widgets.IntSlider(stages, min=1, max=8, description="stages", **wide),
        "micro_batches": widgets.IntSlider(micro_batches, min=1, max=12, description="micro-batches", **wide),
        "copies": widgets.IntSlider(copies, min=1, max=2, description="copies", **wide),
    }
    return widgets.VBox([*sliders.values(), widgets.interactive_output(draw, sliders)])


@when_ready
def efficiencies(points: Mapping[str, tuple[float, float]]) -> None:
    """Draw published efficiencies as bars, with the factor by which the devices grew."""
    told = "; ".join(f"{name}: {value:.1f} % at {factor:g} times as many" for name, (factor, value) in points.items())
    left, wide, step = 200.0, 400.0, 36.0
    picture = Picture(800, 34 + step * len(points) + 30, f"Published efficiencies. {told}.")
    for number, (name, (factor, value)) in enumerate(points.items()):
        y = 14 + step * number
        picture.text(left - 12, y + 16, name, anchor="end", size=12)
        picture.box(left, y, wide, 24, QUIET, opacity=0.18)
        picture.box(left, y, wide * min(value, 100) / 100, 24, DEEP_BLUE, f"{value:.2f} %")
        picture.text(left + wide + 10, y + 16, f"{value:.1f} %", size=12, bold=True)
        picture.text(left + wide + 62, y + 16, f"{factor:g} × as many", size=12)
    bottom = 14 + step * len(points)
    picture.line([(left + wide, 8), (left + wide, bottom)], ACCENT, dashes="4 3")
    picture.text(left + wide, bottom + 18, "ideal: 100 %", anchor="middle", size=12, colour=ACCENT)
    picture.show()


@when_ready
def tiled(photo: Any, tiles: Sequence[Any], wrong: Any) -> None:
    """Show a photo with the borders of its tiles, one tile with its halo, and in red the pixels that came out wrong."""
    from IPython.display import Image, display
    from PIL import Image as Pillow
    from PIL import ImageDraw

    grey = np.repeat(np.asarray(photo)[:, :, None], 3, axis=2).astype(np.uint8)
    grey[np.asarray(wrong)] = (0.35 * grey[np.asarray(wrong)] + 0.65 * np.array([209, 52, 75])).astype(np.uint8)
    picture = Pillow.fromarray(grey)
    draw = ImageDraw.Draw(picture)
    for (rows, columns), _ in tiles:
        draw.rectangle((columns.start, rows.start, columns.stop - 1, rows.stop - 1), outline="white")
    _, (rows, columns) = max(tiles, key=_pixels)  # one that has neighbours on all sides, where there is one
    draw.rectangle((columns.start, rows.start, columns.stop - 1, rows.stop - 1), outline="#ffd23f", width=2)
    file = BytesIO()
    picture.save(file, format="PNG")
    share = float(np.asarray(wrong).mean())
    words = (
        f"A photo of a flower in {len(tiles)} tiles with white borders. The yellow frame is one tile with its halo. "
        f"{share:.0%} of the pixels are red, along the borders: smoothed without a halo, they are wrong."
    )
    display(Image(file.getvalue(), format="png", alt=words))  # type: ignore[no-untyped-call]
    print(words)


def _pixels(pair: Any) -> int:
    _, (rows, columns) = pair
    return int((rows.stop - rows.start) * (columns.stop - columns.start))

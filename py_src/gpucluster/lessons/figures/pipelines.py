"""Pictures of messages round a ring, of stages that work and wait, of tiles, and of published efficiencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from ..simulations.ring import Parcel
from ..simulations.stages import Span, idle, length, schedule
from .drawing import when_ready
from .steps import Steps
from .vector import ACCENT, DEEP_BLUE, DEEP_GREEN, DEEP_ORANGE, QUIET, WARNING, Picture

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
        words = f"{name}: {length(spans):g} units of time, {idle(spans):.0%} idle"
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

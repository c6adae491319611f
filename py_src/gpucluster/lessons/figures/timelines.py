"""Lanes over time, drawn once or with sliders: what a pipeline gains, and what a cut through the data changes."""

import base64
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..simulations.pipeline import LANES, Pipeline, Span, schedule
from .drawing import when_ready
from .vector import BLUE, COLOURS, GREY, ORANGE, PINK, RED, Picture

# Figures with a time axis: task streams, schedules of a pipeline, and captures of Nsight Systems.


WIDTH, LEFT = 860.0, 96.0
_LANE_COLOURS = dict(zip(LANES, (ORANGE, RED, BLUE, PINK), strict=True))


def _axis(picture: Picture, y: float, end: float, unit: str = "s") -> None:
    step = _round_step(max(end, 1e-9) / 5)
    for part in range(int(end / step + 1e-6) + 1):
        x = LEFT + (WIDTH - LEFT - 24) * part * step / max(end, 1e-9)
        picture.text(x, y, f"{part * step:.3g} {unit}" if part else "0", anchor="middle")


def _round_step(least: float) -> float:
    """Return the smallest of … 0.1, 0.2, 0.5, 1, 2, 5, 10 … that is at least so large."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def _per_second(end: float) -> float:
    return (WIDTH - LEFT - 24) / max(end, 1e-9)


@when_ready
def stream(records: Sequence[Mapping[str, Any]], threads: int, gap: tuple[float, float] | None = None) -> None:
    """Draw a task stream: one row per thread, one bar per task, and the longest gap where it is known.

    Parameters
    ----------
    records : sequence of dict
        Data of ``get_task_stream``.
    threads : int
        Threads of the cluster; those that did nothing get an empty row.
    gap : tuple of float, optional
        Where the longest gap begins, and its seconds.
    """
    work = [(one, part) for one in records for part in one["startstops"] if part["action"] == "compute"]
    if not work:
        print("Nothing to draw: no task ran.")
        return
    zero = min(part["start"] for _, part in work)
    end = max(part["stop"] for _, part in work) - zero
    rows = sorted({(one["worker"], one["thread"]) for one, _ in work})
    names = sorted({_word(one["key"]) for one, _ in work})
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}
    count = max(threads, len(rows))
    words = f"Task stream of {len(work)} tasks on {count} threads in {end:.2f} seconds."
    if gap and gap[1] > 0:
        words += f" From {gap[0]:.2f} s on, no thread computed for {gap[1]:.2f} s."
    picture = Picture(WIDTH, 30 * count + 62, words)
    scale = _per_second(end)
    for row in range(count):
        picture.text(LEFT - 8, 30 * row + 20, f"thread {row}", anchor="end")
        picture.box(LEFT, 30 * row + 4, end * scale, 24, GREY, opacity=0.12)
    for one, part in work:
        row, seconds = rows.index((one["worker"], one["thread"])), part["stop"] - part["start"]
        title = f"{_word(one['key'])}: {1000 * seconds:.1f} ms, from {part['start'] - zero:.3f} s"
        x, colour = LEFT + (part["start"] - zero) * scale, colours[_word(one["key"])]
        picture.box(x, 30 * row + 5, seconds * scale, 22, colour, title)
    if gap and gap[1] > 0:
        picture.box(LEFT + gap[0] * scale, 1, gap[1] * scale, 30 * count, RED, "longest gap", hollow=True)
    _axis(picture, 30 * count + 22, end)
    picture.legend(LEFT, 30 * count + 46, [(colours[name], name) for name in names[:8]])
    picture.show()


def _word(key: object) -> str:
    text = str(key[0]) if isinstance(key, tuple) else str(key)
    return text.strip("('\"").split("-")[0]


@when_ready
def lanes(given: Pipeline | Mapping[str, Pipeline]) -> None:
    """Draw the schedules of pipelines, one below the other, on the same axis."""
    pipelines = {"": given} if isinstance(given, Pipeline) else dict(given)
    planned = {title: schedule(one) for title, one in pipelines.items()}
    end = max(span.stop for spans in planned.values() for span in spans)
    ends = ", ".join(f"{title or 'the pipeline'} {spans[-1].stop:.2f} s" for title, spans in planned.items())
    picture = Picture(WIDTH, 116 * len(planned) + 40, f"Schedules of loading, copies and kernels. Ends: {ends}.")
    scale = _per_second(end)
    for place, (title, spans) in enumerate(planned.items()):
        _schedule(picture, 116 * place, title, spans, scale)
    _axis(picture, 116 * len(planned) + 12, end)
    picture.legend(LEFT, 116 * len(planned) + 34, [(colour, lane) for lane, colour in _LANE_COLOURS.items()])
    picture.show()


def _schedule(picture: Picture, top: float, title: str, spans: Sequence[Span], scale: float) -> None:
    end = spans[-1].stop
    kernels = sum(span.stop - span.start for span in spans if span.lane == "kernels")
    picture.text(LEFT, top + 14, f"{title}: {end:.2f} s, kernels run in {kernels / end:.0%} of it", bold=True)
    for row, lane in enumerate(LANES):
        y = top + 22 + 22 * row
        picture.text(LEFT - 8, y + 14, lane, anchor="end")
        picture.box(LEFT, y + 2, end * scale, 17, GREY, opacity=0.12)
        for span in (span for span in spans if span.lane == lane):
            told = f"{lane}, batch {span.batch}: {span.start:.2f} to {span.stop:.2f} s"
            picture.box(LEFT + span.start * scale, y + 3, (span.stop - span.start) * scale, 15, _LANE_COLOURS[lane],
                        told)  # fmt: skip


@when_ready
def capture(connection: Any) -> None:
    """Draw kernels and copies of a capture of Nsight Systems, one row per stream and kind."""
    rows: dict[str, list[tuple[float, float, str]]] = {}
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "CUPTI_ACTIVITY_KIND_KERNEL" in tables:
        query = ("SELECT start, end, streamId, value FROM CUPTI_ACTIVITY_KIND_KERNEL "
                 "JOIN StringIds ON StringIds.id = shortName ORDER BY streamId, start")  # fmt: skip
        for start, end, number, name in connection.execute(query):
            rows.setdefault(f"stream {number}", []).append((start, end, name))
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in tables:
        for start, end, kind in connection.execute("SELECT start, end, copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY"):
            lane = {1: "copy in", 2: "copy out"}.get(kind, "copy")
            rows.setdefault(lane, []).append((start, end, lane))
    begin = min(start for one in rows.values() for start, _, _ in one)
    end = max(stop for one in rows.values() for _, stop, _ in one)
    names = list(dict.fromkeys(name for one in rows.values() for *_, name in one))
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}
    count, length = sum(map(len, rows.values())), (end - begin) / 1e6
    words = f"{count} kernels and copies in {length:.0f} ms, in rows: {', '.join(rows)}."
    picture = Picture(WIDTH, 26 * len(rows) + 50, words)
    scale = _per_second(end - begin)
    for row, (lane, spans) in enumerate(rows.items()):
        picture.text(LEFT - 8, 26 * row + 17, lane, anchor="end")
        picture.box(LEFT, 26 * row + 3, (end - begin) * scale, 20, GREY, opacity=0.12)
        for start, stop, name in spans:
            told = f"{name}: {(stop - start) / 1e6:.1f} ms, from {(start - begin) / 1e6:.1f} ms"
            picture.box(LEFT + (start - begin) * scale, 26 * row + 4, (stop - start) * scale, 18, colours[name], told)
    _axis(picture, 26 * len(rows) + 18, (end - begin) / 1e6, "ms")
    picture.legend(LEFT, 26 * len(rows) + 42, [(colours[name], name) for name in names])
    picture.show()


# Figures with sliders: what a pipeline gains, and what a cut through the data changes. They need a running kernel.


def explore_overlap(load: float = 0.3, kernels: float = 0.25, ahead: int = 1) -> Any:
    """Show the simulated pipeline of eight batches with sliders.

    Parameters
    ----------
    load, kernels : float
        Seconds per batch to begin with.
    ahead : int
        Batches loaded ahead to begin with.
    """
    import ipywidgets as widgets  # type: ignore[import-untyped]

    def draw(load: float, kernels: float, ahead: int) -> None:
        given = Pipeline(batches=8, load=load, copy_in=0.04, kernels=kernels, copy_out=0.02, ahead=ahead)
        lanes({f"{ahead} loaded ahead": given})

    wide = {"style": {"description_width": "150px"}, "layout": widgets.Layout(width="460px")}
    sliders = {
        "load": widgets.FloatSlider(load, min=0.02, max=0.6, step=0.01, description="load, s per batch", **wide),
        "kernels": widgets.FloatSlider(
            kernels, min=0.02, max=0.6, step=0.01, description="kernels, s per batch", **wide
        ),
        "ahead": widgets.IntSlider(ahead, min=0, max=4, description="batches ahead", **wide),
    }
    shown = widgets.interactive_output(draw, sliders)
    return widgets.VBox([*sliders.values(), shown])


def explore_cut(image: Any) -> Any:
    """Show a photo that a slider cuts in two, and the mean colour, computed from both parts in two ways.

    Parameters
    ----------
    image : numpy.ndarray
        Height × width × 3, between 0 and 1.
    """
    import ipywidgets as widgets

    photo = _address(image)

    def draw(percent: int) -> None:
        cut_picture(image, percent, photo).show()

    wide = {"style": {"description_width": "150px"}, "layout": widgets.Layout(width="460px")}
    slider = widgets.IntSlider(50, min=2, max=98, description="cut at, % of the height", **wide)
    return widgets.VBox([slider, widgets.interactive_output(draw, {"percent": slider})])


def cut_picture(image: Any, percent: int, photo: str) -> Picture:
    """Draw a photo, a cut through it, and the mean colour of all from the parts' sums, and from their means.

    Parameters
    ----------
    image : numpy.ndarray
        Height × width × 3, between 0 and 1.
    percent : int
        Where the cut is, of the height.
    photo : str
        The same as ``data:`` address.
    """
    height, width = image.shape[:2]
    row = min(max(round(height * percent / 100), 1), height - 1)
    parts = [part.reshape(-1, 3) for part in (image[:row], image[row:])]
    means = [part.mean(axis=0) for part in parts]
    right = sum(part.sum(axis=0) for part in parts) / sum(len(part) for part in parts)
    wrong = (means[0] + means[1]) / 2
    gap = float(np.abs(right - wrong).max())
    shown_width, shown_height = 300.0, 300.0 * height / width
    cut = shown_height * row / height
    words = (
        f"The photo is cut at {percent} % of its height. Sums and counts: {_numbers(right)}. "
        f"Mean of means: {_numbers(wrong)}, off by {gap:.3f}."
    )
    picture = Picture(720, shown_height + 8, words)
    picture.image(0, 2, shown_width, shown_height, photo)
    picture.line([(0, cut + 2), (shown_width + 12, cut + 2)], RED, width=2.5, dashes="6 4")
    for place, (title, colour) in enumerate((
        (f"upper part, {len(parts[0]):,} points", means[0]), (f"lower part, {len(parts[1]):,} points", means[1]),
        ("mean of all: sums and counts", right), (f"mean of means: off by {gap:.3f}", wrong),
    )):  # fmt: skip
        y = 6 + place * (shown_height - 40) / 3
        picture.box(340, y, 46, 34, _css(colour), _numbers(colour))
        picture.text(398, y + 14, title, size=12, bold=place > 1)
        picture.text(398, y + 30, f"red, green, blue: {_numbers(colour)}")
    return picture


def _numbers(colour: Any) -> str:
    return ", ".join(f"{value:.3f}" for value in colour)


def _css(colour: Any) -> str:
    return "#" + "".join(f"{round(255 * float(value)):02x}" for value in colour)


def _address(image: Any) -> str:
    """Return a small copy of a photo as ``data:`` address."""
    from PIL import Image

    small = Image.fromarray(np.round(np.asarray(image) * 255).astype(np.uint8))
    small.thumbnail((300, 300))
    file = io.BytesIO()
    small.save(file, "JPEG", quality=80)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")

"""Figures with sliders: what a pipeline gains, and what a cut through the data changes. They need a running kernel."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from ..course.lesson_13_where_did_the_time_go.tools import Pipeline
from .timelines import lanes
from .vector import RED, Picture


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

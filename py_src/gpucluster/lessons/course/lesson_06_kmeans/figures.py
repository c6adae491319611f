"""Figures of the k-means lesson, drawn from the learner's own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...figures.drawing import ACCENT, INK, QUIET, WARNING, in_bytes, new_axes, show, show_frames, when_ready
from ...material.pictures import ATTRIBUTION, distinct_colours, png_bytes


def _logarithmic(axes: Any) -> None:
    """Most of the way is made in the first steps; a logarithmic axis shows the rest as well."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel("inertia, logarithmic")


def photo(image: Any) -> None:
    """Show the photo with its attribution."""
    figure, axes = new_axes(6.4, 4.5)
    axes.imshow(image)
    axes.set_axis_off()
    figure.supxlabel(ATTRIBUTION, fontsize=8, color=QUIET)
    show(figure)


@when_ready
def inertia_curve(fit: Any) -> None:
    """Draw the inertia of each iteration."""
    inertias = np.asarray(fit[1], dtype=float)
    figure, axes = new_axes()
    axes.plot(np.arange(1, len(inertias) + 1), inertias, color=ACCENT, marker="o", markersize=3, linewidth=1.5)
    axes.set(xlabel="iteration", ylabel="inertia", title="The inertia never rises")
    axes.annotate(
        f"{inertias[-1]:,.1f}", (len(inertias), inertias[-1]), xytext=(0, 10), textcoords="offset points",
        ha="right", color=ACCENT,
    )  # fmt: skip
    _logarithmic(axes)
    show(figure)


@when_ready
def compare_inertias(fits: dict[str, Any]) -> None:
    """Draw the inertia curves of several runs in one figure, the first as the right one."""
    figure, axes = new_axes()
    for index, (name, (_, inertias)) in enumerate(fits.items()):
        steps = np.arange(1, len(inertias) + 1)
        colour, style = (ACCENT, "-") if index == 0 else (WARNING, "--")
        axes.plot(steps, inertias, color=colour, linestyle=style, linewidth=1.8, label=name)
    axes.set(xlabel="iteration", ylabel="inertia", title="The same photo, the same start, two ways to merge")
    _logarithmic(axes)
    axes.legend(frameon=False)
    show(figure)


@when_ready
def centroid_paths(fit: Any, points: Any) -> None:
    """Draw the way of each centroid through red, green and blue, over a sample of the pixels."""
    path = np.stack([np.asarray(centroids, dtype=float) for centroids in fit[0]])
    sample = np.random.default_rng(0).choice(np.asarray(points), size=4000, replace=False)
    planes = [(0, 1, "red", "green"), (2, 1, "blue", "green"), (0, 2, "red", "blue")]
    figure, axes = new_axes(10.5, 3.9, ncols=3)
    for one, (x, y, x_name, y_name) in zip(axes, planes, strict=True):
        one.scatter(sample[:, x], sample[:, y], c=sample, s=3, alpha=0.5, linewidths=0)
        for j in range(path.shape[1]):
            track, colour = path[:, j], np.clip(path[-1, j], 0, 1)
            one.plot(track[:, x], track[:, y], color="white", linewidth=3.2, zorder=2)
            one.plot(track[:, x], track[:, y], color=INK, linewidth=1.3, zorder=3)
            one.scatter(*track[0, [x, y]], s=16, color="white", edgecolor=INK, zorder=4)
            one.scatter(*track[-1, [x, y]], s=90, color=colour, edgecolor=INK, linewidth=1.4, zorder=5)
        one.set(xlabel=x_name, ylabel=y_name, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    figure.suptitle(f"{path.shape[1]} centroid paths, {len(path) - 1} iterations")
    show(figure)


@when_ready
def centroids_moving(fit: Any, points: Any) -> None:
    """Show the centroids moving through red and green, one frame per iteration, in their own colours."""
    path = np.stack([np.asarray(centroids, dtype=float) for centroids in fit[0]])
    # Most of the way is made in the first iterations: later ones are shown in larger and larger steps.
    last = len(path) - 1
    shown = sorted({0, *np.unique(np.geomspace(1, max(1, last), 24).astype(int)), last})
    sample = np.random.default_rng(0).choice(np.asarray(points), size=3000, replace=False)
    figure, (left, right) = new_axes(8.6, 4.0, ncols=2, gridspec_kw={"width_ratios": [1, 1]})
    left.scatter(sample[:, 0], sample[:, 1], c=sample, s=3, alpha=0.45, linewidths=0)
    left.set(xlabel="red", ylabel="green", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    inertias = np.asarray(fit[1], dtype=float)
    right.plot(np.arange(1, last + 1), inertias, color=QUIET, linewidth=1)
    right.set_xlabel("iteration")
    _logarithmic(right)
    tracks = [left.plot([], [], color=INK, linewidth=1.1, zorder=3)[0] for _ in range(path.shape[1])]
    dots = left.scatter(*path[0, :, :2].T, s=110, edgecolor=INK, linewidth=1.3, zorder=4)
    [here] = right.plot([], [], color=ACCENT, marker="o", markersize=8)

    def frame(number: int) -> None:
        step = shown[number]
        for j, track in enumerate(tracks):
            track.set_data(path[: step + 1, j, 0], path[: step + 1, j, 1])
        dots.set_offsets(path[step, :, :2])
        dots.set_facecolor(np.clip(path[step], 0, 1))
        # inertias[i] belongs to path[i]; the last path has no inertia yet.
        here.set_data([min(step, last - 1) + 1], [inertias[min(step, last - 1)]])
        left.set_title(f"after {step} of {last} iterations", fontsize=10)

    words = (f"Animation: {path.shape[1]} centroids move through the colours of the photo in {last} iterations, "
             f"while the inertia falls from {inertias[0]:,.0f} to {inertias[-1]:,.0f}.")  # fmt: skip
    show_frames(figure, frame, len(shown), words=words, frame_seconds=0.3)


@when_ready
def starts(inertias: dict[str, Any]) -> None:
    """Compare ways to choose the first centroids: a point per start, before and after k-means."""
    figure, axes = new_axes(8.0, 3.2, ncols=2, sharey=True)
    for column, (one, title) in enumerate(zip(axes, ("the start itself", "after k-means"), strict=True)):
        for row, pairs in enumerate(inertias.values()):
            values = np.asarray(pairs, dtype=float)[:, column]
            one.scatter(values, np.full(len(values), row), s=45, alpha=0.75, color=(QUIET, ACCENT)[row % 2])
            one.scatter([np.median(values)], [row], marker="|", s=500, color=INK, zorder=3)
        one.set(title=title, xlabel="inertia", ylim=(-0.6, len(inertias) - 0.4))
        one.xaxis.set_major_formatter("{x:,.0f}")
        one.locator_params(axis="x", nbins=5)
    axes[0].set_yticks(range(len(inertias)), list(inertias))
    figure.suptitle("Five starts each; the line is the median", fontsize=10)
    show(figure)


@when_ready
def traffic(fit: Any, sent_bytes: int, n_parts: int, points: Any) -> None:
    """Compare the bytes that travelled with the bytes of the data, on a logarithmic scale."""
    path, inertias = fit
    k, d = np.asarray(path[0]).shape
    formula = 8 * k * (d + 1) * n_parts
    measured = sent_bytes / len(inertias)
    once = np.asarray(points).nbytes
    bars = {
        f"calculated: 8 k (d + 1) × {n_parts} blocks,\nper iteration": formula,
        "measured by the workers,\nper iteration": measured,
        f"measured, all {len(inertias)} iterations": sent_bytes,
        "the points, if they were sent once": once,
        f"the points, if they were sent\nin each of {len(inertias)} iterations": once * len(inertias),
    }
    figure, axes = new_axes(8.5, 3.4)
    colours = [ACCENT] * 3 + [WARNING] * 2
    drawn = axes.barh(list(bars), list(bars.values()), color=colours, height=0.6)
    axes.bar_label(drawn, labels=[in_bytes(value) for value in bars.values()], padding=4, fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(100, max(bars.values()) * 12)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0, labelsize=9)
    axes.set_xlabel("bytes, logarithmic")
    show(figure)


@when_ready
def pictures(original: Any, recoloured: dict[int, Any]) -> None:
    """Show the photo beside its copies in k colours, with their palettes and file sizes."""
    images = {"original": original, **{f"k = {k}": image for k, image in recoloured.items()}}
    rows = (len(images) + 1) // 2
    height, width = np.asarray(original).shape[:2]
    picture, strip = 5.0 * height / width, 0.22  # inches: the palette is as wide as its picture
    figure, axes = new_axes(
        10.4, rows * (picture + strip + 0.4) + 0.3, nrows=2 * rows, ncols=2,
        gridspec_kw={"height_ratios": [picture, strip] * rows},
    )  # fmt: skip
    for one in np.ravel(axes):
        one.set_axis_off()
    for index, (name, image) in enumerate(images.items()):
        above, below = axes[2 * (index // 2), index % 2], axes[2 * (index // 2) + 1, index % 2]
        above.imshow(image)
        above.set_title(f"{name}: PNG {png_bytes(image) / 1000:,.0f} kB", fontsize=10)
        colours, _, counts = distinct_colours(image)
        if len(colours) <= 64:
            below.imshow(colours[np.argsort(-counts)][None], aspect="auto")
    figure.supxlabel(ATTRIBUTION, fontsize=8, color=QUIET)
    show(figure)

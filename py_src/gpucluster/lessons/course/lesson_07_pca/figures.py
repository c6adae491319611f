"""Figures of the PCA lesson, drawn from the learner's own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...figures.drawing import ACCENT, INK, QUIET, WARNING, new_axes, show, show_frames, when_ready
from ...material.pictures import ATTRIBUTION


@when_ready
def explained_variance(ratios: Any) -> None:
    """Draw the share of each component, and of the first k together."""
    ratios = np.asarray(ratios, dtype=float)
    numbers = np.arange(1, len(ratios) + 1)
    figure, (left, right) = new_axes(9.0, 3.3, ncols=2)
    left.plot(numbers, ratios, color=ACCENT, marker="o", markersize=3, linewidth=1.2)
    left.set(xlabel="component", ylabel="fraction of the variance, logarithmic", yscale="log", title="Each")
    together = np.cumsum(ratios)
    right.plot(numbers, together, color=ACCENT, linewidth=1.8)
    for k in (4, 16, 64):
        if k <= len(ratios):
            right.plot([k], [together[k - 1]], color=INK, marker="o", markersize=5)
            right.annotate(f"{k}: {together[k - 1]:.1%}", (k, together[k - 1]), xytext=(6, -14),
                           textcoords="offset points", fontsize=9)  # fmt: skip
    right.set(xlabel="number of components", ylabel="share together", title="The first k together")
    right.yaxis.set_major_formatter("{x:.0%}")
    show(figure)


@when_ready
def eigen_patches(mean: Any, components: Any, size: int) -> None:
    """Show the mean patch and the first components as small pictures; grey is zero."""
    components = np.asarray(components, dtype=float)
    columns = 6
    rows = -(-(len(components) + 1) // columns)
    figure, axes = new_axes(1.5 * columns, 1.72 * rows + 0.2, nrows=rows, ncols=columns)
    for one in np.ravel(axes):
        one.set_axis_off()
    first, *others = np.ravel(axes)
    first.imshow(np.clip(np.asarray(mean).reshape(size, size, 3), 0, 1), interpolation="nearest")
    first.set_title("mean", fontsize=9)
    for number, (one, component) in enumerate(zip(others, components, strict=False), start=1):
        largest = np.abs(component).max()
        one.imshow((0.5 + component / (2 * largest)).reshape(size, size, 3), interpolation="nearest")
        one.set_title(f"{number}", fontsize=9)
    figure.supxlabel(ATTRIBUTION.replace("Photo “china.jpg”", "From the photos “china.jpg” and “flower.jpg”").replace(
        "by danielbuechele", "by danielbuechele and vultilion"), fontsize=8, color=QUIET)  # fmt: skip
    show(figure)


@when_ready
def reconstructions(original: Any, pictures: dict[int, Any], quality: dict[int, float]) -> None:
    """Show the photo beside its reconstructions, with the number of components and the PSNR."""
    images = {
        "original": original,
        **{f"{k} of 768 numbers per tile: {quality[k]:.1f} dB": p for k, p in pictures.items()},
    }
    rows = (len(images) + 1) // 2
    height, width = np.asarray(original).shape[:2]
    figure, axes = new_axes(10.4, rows * (5.0 * height / width + 0.3) + 0.3, nrows=rows, ncols=2)
    for one in np.ravel(axes):
        one.set_axis_off()
    for one, (name, image) in zip(np.ravel(axes), images.items(), strict=False):
        one.imshow(image)
        one.set_title(name, fontsize=10)
    figure.supxlabel(ATTRIBUTION, fontsize=8, color=QUIET)
    show(figure)


@when_ready
def picture_grows(pictures: dict[int, Any]) -> None:
    """Show the photo coming into view, one frame for each number of components."""
    counts = list(pictures)
    height, width = np.asarray(pictures[counts[0]]).shape[:2]
    figure, axes = new_axes(5.6, 5.2 * height / width + 0.5)
    axes.set_axis_off()
    image = axes.imshow(pictures[counts[0]])
    figure.supxlabel(ATTRIBUTION, fontsize=7, color=QUIET)

    def frame(number: int) -> None:
        k = counts[number]
        image.set_data(pictures[k])
        axes.set_title(f"{counted(k, 'component')}", fontsize=10)

    words = f"Animation: the photo becomes sharper with {', '.join(map(str, counts))} components per tile."
    show_frames(figure, frame, len(counts), words=words, frame_seconds=0.8)


@when_ready
def errors_far_from_zero(errors: dict[str, dict[float, float]]) -> None:
    """Draw the error of the variance over the distance of the data from zero, a line per method."""
    figure, axes = new_axes(7.6, 3.8)
    styles = [(WARNING, "o", "--"), (QUIET, "s", "-."), (ACCENT, "D", "-"), (INK, "^", ":")]
    for (name, line), (colour, marker, style) in zip(errors.items(), styles, strict=False):
        shifts, values = np.array(list(line), dtype=float), np.array(list(line.values()), dtype=float)
        # Nothing below the last digit of float64: a logarithmic axis has no zero.
        values = np.maximum(values, 1e-16)
        axes.plot(shifts, values, color=colour, marker=marker, linestyle=style, linewidth=1.6, markersize=5, label=name)
    axes.axhline(1, color=QUIET, linewidth=0.8)
    axes.annotate("error as large as the variance itself", (1, 1), xytext=(0, 4), textcoords="offset points",
                  fontsize=8, color=QUIET)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="distance of the data from zero, in standard deviations",
             ylabel="largest error of the covariance")  # fmt: skip
    axes.legend(frameon=False, fontsize=9)
    show(figure)


@when_ready
def singular_values(values: dict[str, Any]) -> None:
    """Draw singular values found in several ways, on a logarithmic axis."""
    figure, axes = new_axes(7.2, 3.5)
    styles = [(INK, "_", 260), (ACCENT, "o", 34), (WARNING, "x", 46)]
    for (name, one), (colour, marker, size) in zip(values.items(), styles, strict=False):
        one = np.asarray(one, dtype=float)
        numbers = np.arange(1, len(one) + 1)
        seen = one > 0
        axes.scatter(numbers[seen], one[seen], color=colour, marker=marker, s=size, label=name, zorder=3)
        if not seen.all():  # lost: a logarithmic axis has no place for them, so they stand at its foot
            axes.scatter(numbers[~seen], np.full((~seen).sum(), 0.03), color=colour, marker="v", s=46, clip_on=False,
                         transform=axes.get_xaxis_transform(), label=f"{name}: 0, all digits lost")  # fmt: skip
    axes.set(yscale="log", xlabel="number", ylabel="singular value, logarithmic")
    axes.legend(frameon=False, fontsize=9)
    show(figure)


@when_ready
def alignment(cosines: Any) -> None:
    """Show the cosines between two sets of directions as a small table in grey."""
    cosines = np.abs(np.asarray(cosines, dtype=float))
    figure, axes = new_axes(4.6, 3.9)
    axes.imshow(cosines, cmap="Greys", vmin=0, vmax=1.25)
    for (row, column), value in np.ndenumerate(cosines):
        axes.text(
            column, row, f"{value:.2f}", ha="center", va="center", color="white" if value > 0.8 else INK, fontsize=10
        )
    axes.set_xticks(range(cosines.shape[1]), [str(n + 1) for n in range(cosines.shape[1])])
    axes.set_yticks(range(cosines.shape[0]), [str(n + 1) for n in range(cosines.shape[0])])
    axes.set(xlabel="PCA, component", ylabel="without centring, component", title="|cosine| between directions")
    show(figure)

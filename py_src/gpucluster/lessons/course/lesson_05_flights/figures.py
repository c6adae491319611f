"""Figures of the lesson on flights, drawn from the learner's own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...figures.drawing import ACCENT, INK, QUIET, WARNING, in_bytes, new_axes, show, when_ready

WORD_COLOURS = {"none": QUIET, "tree": ACCENT, "shuffle": WARNING}


def _bars(axes: Any, names: Any, values: Any, labels: list[str], colours: Any) -> None:
    drawn = axes.barh(list(map(str, names)), list(values), color=colours, height=0.65)
    axes.bar_label(drawn, labels=labels, padding=4, fontsize=9)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.18)


@when_ready
def formats(sizes: dict[str, int], seconds: dict[str, float]) -> None:
    """Draw what one table takes on disk, and how long it took to read, in several formats."""
    figure, axes = new_axes(9.5, 2.6, ncols=2, sharey=True)
    colours = [ACCENT if name == "parquet" else QUIET for name in sizes]
    names = [name.upper() if name != "parquet" else "Parquet" for name in sizes]
    _bars(axes[0], names, sizes.values(), [in_bytes(size) for size in sizes.values()], colours)
    _bars(axes[1], names, seconds.values(), [f"{value:.2f} s" for value in seconds.values()], colours)
    axes[0].set(title="on disk", xlabel="bytes")
    axes[1].set(title="read by one process, here and now", xlabel="seconds")
    axes[1].invert_yaxis()  # the axis is shared: turned twice, it would stand on its head
    axes[0].xaxis.set_major_formatter(lambda value, _: in_bytes(value))
    for one in axes:
        one.locator_params(axis="x", nbins=4)
    figure.get_layout_engine().set(wspace=0.08)  # the last number of one axis is not the first of the next
    show(figure)


@when_ready
def column_bytes(sizes: dict[str, int], read: list[str]) -> None:
    """Draw what each column takes in the files, and which ones are read."""
    ordered = sorted(sizes, key=lambda name: -sizes[name])
    figure, axes = new_axes(7.5, 0.24 * len(ordered) + 1)
    colours = [WARNING if name in read else QUIET for name in ordered]
    _bars(axes, ordered, [sizes[name] for name in ordered], [in_bytes(sizes[name]) for name in ordered], colours)
    chosen, total = sum(sizes[name] for name in read), sum(sizes.values())
    axes.set_title(f"{' and '.join(read)}: {in_bytes(chosen)} of {in_bytes(total)} are read")
    axes.set_xlabel("bytes in the Parquet files")
    axes.xaxis.set_major_formatter(lambda value, _: in_bytes(value))
    show(figure)


@when_ready
def delays_by_origin(means: Any) -> None:
    """Draw the mean delay of each airport."""
    ordered = means.sort_values(ascending=False)
    figure, axes = new_axes(7.0, 2.3)
    _bars(axes, ordered.index, ordered, [f"{value:.2f} min" for value in ordered], ACCENT)
    axes.set(title="Mean departure delay in 2013", xlabel="minutes")
    show(figure)


@when_ready
def missing_planes(unknown: Any, flights: Any, names: Any) -> None:
    """Draw for each airline the share and the number of its flights whose plane is not known."""
    shares = (unknown / flights.reindex(unknown.index)).sort_values(ascending=False)
    figure, axes = new_axes(8.5, 0.27 * len(shares) + 1)
    labels = [f"{share:.1%}   {int(unknown[carrier]):,} flights" for carrier, share in shares.items()]
    colours = [WARNING if share > 0.5 else QUIET for share in shares]
    _bars(axes, [f"{names.get(carrier, '')} ({carrier})" for carrier in shares.index], shares, labels, colours)
    axes.set(title="Flights whose plane is not in the table", xlabel="share of the airline's flights")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.margins(x=0.3)
    axes.set_xticks(np.arange(0, 1.01, 0.2))
    show(figure)


@when_ready
def airborne(counts: Any) -> None:
    """Draw the flights in the air: the most of each day of the year, and each minute of the busiest day.

    Parameters
    ----------
    counts : pandas.Series
        Number of flights by minute of the year; minutes without any may be absent.
    """
    year = np.zeros(367 * 1440, dtype=int)
    year[counts.index.to_numpy()] = counts.to_numpy()
    days = year.reshape(-1, 1440)[:365]
    busiest = int(days.max(axis=1).argmax())
    figure, axes = new_axes(10.0, 5.6, nrows=2)
    dates = np.datetime64("2013-01-01") + np.arange(365)
    axes[0].plot(dates, days.max(axis=1), color=ACCENT, linewidth=1)
    quiet = int(days.max(axis=1).argmin())
    for day, words, offset in ((quiet, "quietest day", 0), (busiest, "busiest minute", 9)):
        height = days[day].max()
        axes[0].annotate(
            f"{words}: {dates[day].astype(object):%-d %B}, {height}", (dates[day], height), xytext=(6, offset),
            textcoords="offset points", fontsize=9, color=INK, va="center",
        )  # fmt: skip
        axes[0].plot([dates[day]], [height], "o", color=WARNING, markersize=5)
    axes[0].set(
        ylabel="flights", ylim=(0, days.max() * 1.2), title="Maximum number of flights in the air, for each day of 2013"
    )
    axes[1].fill_between(np.arange(1440) / 60, days[busiest], color=ACCENT, alpha=0.25)
    axes[1].plot(np.arange(1440) / 60, days[busiest], color=ACCENT, linewidth=1.2)
    axes[1].set(
        xlabel="hour, New York time", ylabel="flights", xlim=(0, 24), ylim=(0, None), xticks=range(0, 25, 3),
        title=f"Each minute of {dates[busiest].astype(object):%-d %B %Y}",
    )  # fmt: skip
    show(figure)


@when_ready
def bytes_moved(moved: dict[str, int], words: dict[str, str]) -> None:
    """Draw the bytes that the workers sent each other for each operation, coloured by the learner's words."""
    if not any(moved.values()):
        print("No byte moved: there is only one worker.")
        return
    figure, axes = new_axes(9.0, 0.32 * len(moved) + 1.2)
    colours = [WORD_COLOURS.get(words.get(name, ""), INK) for name in moved]
    _bars(
        axes, moved, [max(1, value) for value in moved.values()], [in_bytes(value) for value in moved.values()], colours
    )
    axes.set_xscale("log")
    axes.set_xlim(1, max(moved.values()) * 500)
    for word, colour in WORD_COLOURS.items():
        axes.barh([0], [0], color=colour, label=word)
    axes.legend(title="your word", frameon=False, loc="upper right")
    axes.set(title="What the workers sent each other", xlabel="bytes, logarithmic")
    show(figure)


@when_ready
def time_share(shares: dict[str, float]) -> None:
    """Draw the share of each stage in the time that the learner's cells took."""
    figure, axes = new_axes(8.0, 1.7)
    left = 0.0
    for (name, share), colour in zip(shares.items(), (QUIET, WARNING, ACCENT), strict=False):
        axes.barh([""], [share], left=left, color=colour, height=0.6, label=f"{name}: {share:.0%}")
        left += share
    axes.set_xlim(0, 1)
    axes.set_axis_off()
    axes.set_title("Time of your cells, by stage")
    figure.legend(loc="outside lower center", ncols=len(shares), frameon=False)
    show(figure)

"""A shuffle, step by step: partitions, the pieces that they are cut into, their ways, and the partitions afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...figures.drawing import when_ready
from ...figures.vector import COLOURS, GREY, INK, QUIET, Picture, Steps

_WIDTH, _LEFT, _BAR, _ROW = 820.0, 90.0, 230.0, 48.0
_RIGHT = 490.0


@when_ready
def replay(rows: Mapping[str, Mapping[str, int]], workers: Mapping[str, str]) -> None:
    """Draw a shuffle that has run in four steps; numbers choose which.

    Parameters
    ----------
    rows : mapping
        Rows by the partition that they came from, and by the one that they are in now.
    workers : mapping
        Where each partition is, by its name; all of before and after.
    """
    sources = list(rows)
    targets = list(dict.fromkeys(target for pieces in rows.values() for target in pieces))
    colours = {target: COLOURS[place % len(COLOURS)] for place, target in enumerate(targets)}
    total = sum(sum(pieces.values()) for pieces in rows.values())
    moved = sum(
        count
        for source, pieces in rows.items()
        for target, count in pieces.items()
        if workers[source] != workers[target]
    )
    told = (
        "1. Each partition is on a worker",
        "2. Each is split: one colour per new partition",
        f"3. Pieces move: {moved:,} of {total:,} rows go to another worker",
        "4. Rows with the same key are together",
    )
    pictures = []
    for step, words in enumerate(told):
        picture = Picture(_WIDTH, 50 + _ROW * max(len(sources), len(targets)), f"{words}.")
        picture.text(0, 16, words, size=13, bold=True)
        _before(picture, rows, workers, colours, step)
        if step >= 2:
            _after(picture, rows, targets, workers, colours, travels=step == 2)
        pictures.append(picture)
    Steps(pictures, f"A shuffle in {len(told)} steps. {'. '.join(told)}.").show()


def _scale(rows: Mapping[str, Mapping[str, int]], targets: Sequence[str] = ()) -> float:
    sizes = [sum(pieces.values()) for pieces in rows.values()]
    sizes += [sum(pieces.get(target, 0) for pieces in rows.values()) for target in targets]
    return _BAR / max(sizes)


def _before(picture: Picture, rows: Mapping[str, Mapping[str, int]], workers: Mapping[str, str],
            colours: Mapping[str, str], step: int) -> None:  # fmt: skip
    scale = _scale(rows, list(colours))
    for place, (source, pieces) in enumerate(rows.items()):
        y, x = 36 + _ROW * place, _LEFT
        picture.text(x - 8, y + 14, source, anchor="end", bold=True)
        picture.text(x - 8, y + 28, workers[source], anchor="end", colour=QUIET)
        if step == 0:
            count = sum(pieces.values())
            picture.box(x, y, count * scale, 26, GREY, f"{source}: {count:,} rows", opacity=0.55)
            continue
        for target, colour in colours.items():
            count = pieces.get(target, 0)
            says = f"{count:,} rows of {source} go to {target}"
            picture.box(x, y, count * scale, 26, colour, says, opacity=0.25 if step == 3 else 1.0)
            x += count * scale


def _after(picture: Picture, rows: Mapping[str, Mapping[str, int]], targets: Sequence[str],
           workers: Mapping[str, str], colours: Mapping[str, str], *, travels: bool) -> None:  # fmt: skip
    scale = _scale(rows, targets)
    for place, target in enumerate(targets):
        y, x = 36 + _ROW * place, _RIGHT
        picture.text(x + _BAR + 8, y + 14, target, bold=True)
        picture.text(x + _BAR + 8, y + 28, workers[target], colour=QUIET)
        if not travels:
            for source, pieces in rows.items():
                count = pieces.get(target, 0)
                picture.box(x, y, count * scale, 26, colours[target], f"{count:,} rows came from {source}")
                x += count * scale
    if travels:
        _ways(picture, rows, targets, workers, colours)


def _ways(picture: Picture, rows: Mapping[str, Mapping[str, int]], targets: Sequence[str],
          workers: Mapping[str, str], colours: Mapping[str, str]) -> None:  # fmt: skip
    most = max(count for pieces in rows.values() for count in pieces.values())
    for place, (source, pieces) in enumerate(rows.items()):
        for goal, target in enumerate(targets):
            count = pieces.get(target, 0)
            if count:
                near = workers[source] == workers[target]
                ends = [(_LEFT + _BAR + 6, 49 + _ROW * place), (_RIGHT + _BAR - 4, 49 + _ROW * goal)]
                picture.line(ends, colours[target], width=1 + 5 * count / most, dashes="5 4" if near else "")
    picture.text(_LEFT, 46 + _ROW * max(len(rows), len(targets)), "dashed: stays on its worker", colour=INK)

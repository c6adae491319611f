"""Figures of the lesson on GPU memory: warps, the inside of a pool, where buffers are."""

from __future__ import annotations

from collections.abc import Sequence

from ...figures.drawing import in_bytes, when_ready
from ...figures.vector import DEEP_BLUE, DEEP_GREEN, DEEP_GREY, DEEP_ORANGE, Picture, Steps
from .simulations import Replay, SpillRun, Step, WarpRun

_COLOURS = (DEEP_BLUE, DEEP_GREEN, "#6b55a3", "#00767a", "#8a6d00", "#a03f6b")
_MIB = 2**20


@when_ready
def warps(runs: dict[str, WarpRun]) -> None:
    """Draw each warp as a row of lanes, once for each side that it goes through; idle lanes are pale."""
    cell, gap, left = 9.0, 4.0, 64.0
    picture = Picture(left + 2 * (32 * (cell + 1)) + 40, 0, "")
    top, said = 6.0, []
    for title, run in runs.items():
        picture.text(0, top + 12, f"{title}: {run.issued} steps, {run.useful:.0%} of the lanes active", size=12)
        said.append(f"{title}: {run.issued} steps, {run.useful:.0%} of the lanes active")
        top += 22
        for number, warp in enumerate(run.warps):
            picture.text(0, top + cell, f"warp {number}", size=11)
            for phase, (side, steps) in enumerate(run.phases(warp)):
                begin = left + phase * (run.lanes * (cell + 1) + 16)
                for lane in range(run.lanes):
                    works = lane < len(warp) and warp[lane] == side
                    colour, strength = DEEP_BLUE if side == "a" else DEEP_ORANGE, 1 if works else 0.16
                    says = f"side {side}, {steps} steps: lane {lane} {'works' if works else 'waits'}"
                    picture.box(begin + lane * (cell + 1), top, cell, cell + 3, colour, says, opacity=strength)
            top += cell + 3 + gap
        top += 12
    for place, (words, colour, strength) in enumerate(
        (("works on side a", DEEP_BLUE, 1.0), ("works on side b", DEEP_ORANGE, 1.0), ("waits", DEEP_GREY, 0.3))
    ):
        picture.box(left + 150 * place, top, 10, 10, colour, opacity=strength)
        picture.text(left + 150 * place + 15, top + 10, words, size=11)
    picture.height = top + 18
    picture.words = f"Simulated warps of {next(iter(runs.values())).lanes} lanes. " + ". ".join(said) + "."
    picture.show()


@when_ready
def pool_steps(found: Replay) -> None:
    """Draw the addresses of a pool after each request; a row of numbers chooses which."""
    end = max(
        [step.pool_size for step in found.steps]
        + [address + size for step in found.steps for address, size in (*step.live.values(), *step.free)]
    )
    names = list(dict.fromkeys(event[1] for event in (step.event for step in found.steps)))
    colours = {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(names)}
    pictures = [_pool_after(step, number, end, colours) for number, step in enumerate(found.steps, start=1)]
    Steps(pictures, f"The pool after each of {len(pictures)} requests ({found.place}). {pictures[-1].words}").show()


def _pool_after(step: Step, number: int, end: int, colours: dict[str, str]) -> Picture:
    width, left, top, height = 700.0, 8.0, 46.0, 46.0
    scale = width / end
    _, name, *rest = step.event
    asked = f"{name} requests {_binary(rest[0])}" if rest else f"{name} is freed"
    free = step.pool_size - step.used
    gaps = sorted(_gaps(step))
    largest = max((size for _, size in gaps), default=0)
    state = f"{_binary(free)} free in {len(gaps)} piece{'s' if len(gaps) != 1 else ''}, the largest {_binary(largest)}"
    picture = Picture(width + 2 * left, top + height + 34, f"Step {number}: {asked}; {state}.")
    picture.text(left, 16, f"{number}. {asked}", size=13)
    picture.text(left, 36, f"✗ refused: {state}" if step.refused else state, size=12)
    picture.box(left, top, step.pool_size * scale, height, DEEP_GREY, opacity=0.15)
    picture.box(left, top, step.pool_size * scale, height, DEEP_GREY, hollow=True)
    for held, (address, size) in step.live.items():
        picture.box(left + address * scale, top, size * scale - 1, height, colours[held],
                    f"{held}: {_binary(size)} at {_binary(address)}")  # fmt: skip
        if size * scale > 18:
            picture.text(left + (address + size / 2) * scale, top + height / 2 + 4, held, anchor="middle",
                         colour="white", size=12 if size * scale > 40 else 9)  # fmt: skip
    for address, size in gaps:
        if size * scale > 34:
            picture.text(left + (address + size / 2) * scale, top + height / 2 + 4, _binary(size), anchor="middle",
                         size=10)  # fmt: skip
    for border in step.pieces[1:]:
        at = left + border * scale
        picture.line([(at, top - 5), (at, top + height + 5)], width=1.3, dashes="3 2")
    for place in range(5):
        at = end * place / 4
        picture.text(left + at * scale, top + height + 18, _binary(at), size=11,
                     anchor=("start", "middle", "middle", "middle", "end")[place])  # fmt: skip
    return picture


def _gaps(step: Step) -> list[tuple[int, int]]:
    """Return the free pieces; where the pool does not tell, those between what is given out."""
    if step.free or not step.live:
        return list(step.free) or [(0, step.pool_size)]
    gaps, place = [], 0
    for address, size in sorted(step.live.values()):
        if address > place:
            gaps.append((place, address - place))
        place = address + size
    return [*gaps, (place, step.pool_size - place)] if place < step.pool_size else gaps


def _binary(nbytes: float) -> str:
    return f"{nbytes / _MIB:g} MiB" if nbytes >= _MIB / 8 or not nbytes else f"{nbytes:,.0f} B"


@when_ready
def spilling(runs: dict[str, SpillRun]) -> None:
    """Draw after each use what is on the device and what is on the host, and mark uses that had to wait."""
    width, left, bar = 640.0, 60.0, 62.0
    picture = Picture(width + left + 20, 0, "")
    top, said = 4.0, []
    for title, run in runs.items():
        words = f"{title}: {run.fetches} of {len(run.visits)} uses fetched data, {in_bytes(run.moved_bytes)} moved"
        said.append(words)
        picture.text(0, top + 13, words, size=12)
        top += 22
        most = max(run.limit, max(visit.device_bytes + visit.host_bytes for visit in run.visits))
        step = width / len(run.visits)
        for number, visit in enumerate(run.visits):
            x = left + number * step
            device, host = bar * visit.device_bytes / most, bar * visit.host_bytes / most
            here, there = f"{in_bytes(visit.device_bytes)} on the device", f"{in_bytes(visit.host_bytes)} on the host"
            picture.box(x, top + bar - device, step - 1, device, DEEP_BLUE, f"{visit.name} used: {here}")
            picture.box(x, top + bar - device - host, step - 1, host, DEEP_ORANGE, there, opacity=0.75)
            if visit.fetched:
                picture.box(x, top + bar + 3, step - 1, 5, DEEP_ORANGE, f"{visit.name} was fetched back")
        y = top + bar * (1 - run.limit / most)
        picture.line([(left, y), (left + width, y)], width=1.3, dashes="5 4")
        picture.text(left - 4, y + 4, "limit", size=11, anchor="end")
        picture.text(left - 4, top + bar + 9, "fetched", size=11, anchor="end")
        top += bar + 30
    for place, (words, colour) in enumerate((("on the device", DEEP_BLUE), ("spilled to the host", DEEP_ORANGE))):
        picture.box(left + 150 * place, top, 10, 10, colour)
        picture.text(left + 150 * place + 15, top + 10, words, size=11)
    picture.height = top + 18
    picture.words = "Simulated device: bytes on device and host after each use. " + ". ".join(said) + "."
    picture.show()


def ladder() -> None:
    """Draw the places that data can be in, from the fastest to the slowest, and who moves it down."""
    rungs: Sequence[tuple[str, str, str, str]] = (
        ("GPU memory", "device_memory_limit: Dask moves whole results down", DEEP_BLUE,
         "cuDF spilling: cuDF moves buffers, even in the middle of a task"),
        ("host memory", "memory_limit: Dask writes whole results to files", DEEP_GREEN,
         "read over the bus when it is used"),
        ("disk", "files below local_directory", DEEP_ORANGE, "read back when used, deleted at the end"),
    )  # fmt: skip
    picture = Picture(720, 196, "Three rungs. From GPU memory to host memory: Dask by device_memory_limit, or cuDF by "
                      "itself. From host memory to disk: Dask by memory_limit.")  # fmt: skip
    for place, (name, first, colour, second) in enumerate(rungs):
        y = 8 + 62 * place
        picture.box(8 + 24 * place, y, 150, 48, colour)
        picture.text(83 + 24 * place, y + 29, name, size=14, anchor="middle", colour="white")
        if place:
            picture.text(75 + 24 * place, y - 3, "↓", size=13, anchor="middle")
        picture.text(240, y + 20, first, size=12)
        picture.text(240, y + 38, second, size=12)
    picture.show()

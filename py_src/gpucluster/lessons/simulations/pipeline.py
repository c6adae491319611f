"""A loader and a device that take turns or overlap: when each batch is loaded, copied and computed.

A simulation: the seconds of each step are given, nothing is measured. From its schedule come a log of counters as
``nvidia-smi dmon`` writes them (`counter_log`) and tables as Nsight Systems exports them (``capture``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple


class Span(NamedTuple):
    """A time in which one part of the machine works on one batch.

    Attributes
    ----------
    lane : str
        ``"load"``, ``"copy in"``, ``"kernels"`` or ``"copy out"``.
    """

    lane: str
    batch: int
    start: float
    stop: float


LANES = ("load", "copy in", "kernels", "copy out")


@dataclass(frozen=True)
class Pipeline:
    """What is given.

    Attributes
    ----------
    load, copy_in, kernels, copy_out : float
        Seconds per batch: to read it, to copy it to the device, to compute, to copy the result back.
    ahead : int
        Batches that may be loaded while the device works on another one; 0: the two take turns.
    batch_bytes, result_bytes : int
        What is copied in and out for each batch.
    """

    batches: int
    load: float
    copy_in: float
    kernels: float
    copy_out: float
    ahead: int = 0
    batch_bytes: int = 256 * 2**20
    result_bytes: int = 2**20

    @property
    def device(self) -> float:
        """Seconds that the device needs for one batch, copies included."""
        return self.copy_in + self.kernels + self.copy_out


def schedule(given: Pipeline) -> list[Span]:
    """Return what happens when, in the order of the batches.

    The loader reads batch i once it has read batch i - 1 and the device has begun with batch i - ahead, or, with none
    ahead, has ended batch i - 1. The device does copy in, kernels and copy out of a batch, then those of the next.
    """
    spans: list[Span] = []
    began: list[float] = []
    ended: list[float] = []
    loaded = 0.0
    for batch in range(given.batches):
        free = loaded
        if given.ahead == 0 and batch > 0:
            free = max(free, ended[batch - 1])
        elif given.ahead and batch >= given.ahead:
            free = max(free, began[batch - given.ahead])
        loaded = free + given.load
        spans.append(Span("load", batch, free, loaded))
        now = max(loaded, ended[-1] if ended else 0.0)
        began.append(now)
        for lane, seconds in (("copy in", given.copy_in), ("kernels", given.kernels), ("copy out", given.copy_out)):
            if seconds:
                spans.append(Span(lane, batch, now, now + seconds))
            now += seconds
        ended.append(now)
    return spans


def share_of(spans: Sequence[Span], lane: str, start: float, stop: float) -> float:
    """Return the share of a time in which a lane worked, 0 to 1; spans of one lane never overlap here."""
    inside = (min(span.stop, stop) - max(span.start, start) for span in spans if span.lane == lane)
    return sum(seconds for seconds in inside if seconds > 0) / (stop - start)


IDLE_WATTS, MOST_WATTS, COOL, HOT = 75.0, 500.0, 31.0, 64.0
"""What the simulated device draws with no kernel and with kernels all the time, and where its temperature goes then."""
_NAMES = ("gpu", "pwr", "gtemp", "mtemp", "sm", "mem", "fb", "rxpci", "txpci")
_UNITS = ("Idx", "W", "C", "C", "%", "%", "MB", "MB/s", "MB/s")
_HEADER_EVERY = 20


def counter_log(devices: Sequence[Pipeline | None]) -> str:
    """Return a log in the format of ``nvidia-smi dmon -s pumt``, some of its columns: a line per device and second.

    Parameters
    ----------
    devices : sequence of Pipeline or None
        What each device does; ``None`` is one whose use cannot be read, such as one that is cut into slices.

    Notes
    -----
    The formulas. ``sm`` is the share of the second in which a kernel ran, as NVIDIA defines utilization; ``mem`` is 0.4
    of it. Power is 75 W + 425 W times ``sm``. The temperature goes a quarter of the way, each second, from where it is
    to 31 C + 33 C times ``sm``. ``rxpci`` and ``txpci`` are the bytes copied in and out. ``-`` stands where a real log
    has it: the driver does not tell this figure.
    """
    spans = [schedule(device) if device else [] for device in devices]
    seconds = round(max((span.stop for one in spans for span in one), default=0.0))
    degrees = [COOL] * len(devices)
    lines: list[str] = []
    for second in range(seconds):
        for index, device in enumerate(devices):
            if len(lines) % (_HEADER_EVERY + 2) == 0:
                lines += [_line("#", _NAMES), _line("#", _UNITS)]
            if device is None:
                lines.append(_line(" ", (index, round(IDLE_WATTS), round(COOL), "-", "-", "-", 0, "-", "-")))
                continue
            kernels = share_of(spans[index], "kernels", second, second + 1)
            coming = share_of(spans[index], "copy in", second, second + 1) * device.batch_bytes / device.copy_in
            going = share_of(spans[index], "copy out", second, second + 1) * device.result_bytes / device.copy_out
            degrees[index] += (COOL + (HOT - COOL) * kernels - degrees[index]) / 4
            watts = IDLE_WATTS + (MOST_WATTS - IDLE_WATTS) * kernels
            figures = (watts, degrees[index], "-", 100 * kernels, 40 * kernels, 4 * device.batch_bytes / 2**20,
                       coming / 2**20, going / 2**20)  # fmt: skip
            lines.append(_line(" ", (index, *(one if isinstance(one, str) else round(one) for one in figures))))
    return "\n".join(lines) + "\n"


def _line(mark: str, cells: Sequence[object]) -> str:
    return mark + "".join(f"{cell!s:>7}" for cell in cells)


def two_devices() -> list[Pipeline | None]:
    """Return what the lesson looks at: the same steps without and with one batch ahead, and a device in slices."""
    turns = Pipeline(batches=24, load=1.3, copy_in=0.2, kernels=1.1, copy_out=0.05)
    return [turns, replace(turns, batches=46, ahead=1), None]

"""The result of a measurement, and its JSON file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..client.history.statistics import Spread, ratio_of, spread_of
from .errors import UnreadableResult


class FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class HostFacts(FrozenModel):
    """Computers of one kind that workers ran on."""

    count: int = Field(description="Number of machines of this kind.")
    n_workers: int = Field(description="Number of workers on all of them together, once all had started.")
    cpu_model: str | None = None
    cpus: int = Field(description="CPUs that one worker may use.")
    memory_bytes: int
    gpus: list[str] = Field(default_factory=list, description="Names of the GPUs of the workers.")
    system: str
    load_before: float | None = Field(None, description="Mean number of running processes in the minute before.")


class ClusterFacts(FrozenModel):
    """The cluster that was measured."""

    name: str
    backend: str = Field(description="'local', 'cuda', or 'other' for one that gpucluster did not start.")
    protocol: str = Field(description="Protocol between workers: 'tls', 'tcp' or 'ucx'.")
    n_workers: list[int] = Field(description="Numbers of workers that were measured.")
    threads_per_worker: int
    memory_limit_bytes: int | None = Field(None, description="Of the smallest worker; null if there is no limit.")
    mpi: bool = Field(False, description="Whether the workers are processes of one MPI program.")
    arrays: str = "numpy"
    frames: str = "pandas"


class Measurement(FrozenModel):
    """One workload on one number of workers."""

    workload: str
    title: str
    size: str
    parameters: dict[str, int]
    n_workers: int
    n_blocks: int
    seconds: list[float] = Field(description="Of each measured run, in order.")
    warm_up_seconds: float
    prepare_seconds: float
    amount: float | None = Field(None, description="Amount of work in one run, in 'unit'.")
    unit: str
    scales: bool
    check: float = Field(description="Number that depends on the whole result, to compare runs.")

    @property
    def spread(self) -> Spread:
        """Median, quartiles and ends of the times."""
        return spread_of(self.seconds)

    @property
    def rate(self) -> float | None:
        """Amount in ``unit`` per second of the median run."""
        return None if self.amount is None else self.amount / self.spread.median


class LeftOut(FrozenModel):
    """A workload that was not measured on one number of workers, and why."""

    workload: str
    n_workers: int
    why: str
    failed: bool = Field(description="Whether it was attempted.")


class BenchResult(FrozenModel):
    """The result of one measurement."""

    format: Literal[1] = 1
    started_at: str
    wall_seconds: float
    complete: bool = Field(True, description="False if it was interrupted before everything was measured.")
    cluster: ClusterFacts
    hosts: list[HostFacts]
    versions: dict[str, str]
    settings: dict[str, str] = Field(default_factory=dict, description="Relevant environment variables of the workers.")
    n_repeats: int
    measurements: list[Measurement]
    left_out: list[LeftOut] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)

    def save(self, path: Path) -> None:
        path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")


def load(path: str | Path) -> BenchResult:
    """Read a file of ``gpucluster bench``. Raises `UnreadableResult` (there is no such file, or it is no result)."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableResult(f"{path} cannot be read: {error.strerror or error}.") from None
    try:
        return BenchResult.model_validate_json(text)
    except ValidationError:
        raise UnreadableResult(
            f"{path} is not a result of this version of 'gpucluster bench'. Pass the JSON file that it wrote."
        ) from None


SHORT_SECONDS = 0.1  # Of a run: Dask's overhead is some hundredths of a second.
BUSY_SHARE = 0.5  # Of the CPUs that were busy before the measurement.
WIDE_SHARE = 0.3  # Between the quartiles, of the median.


def doubts(measurements: Sequence[Measurement], hosts: Sequence[HostFacts]) -> list[str]:
    """Return advice for better measurements; empty where nothing is wrong."""
    found = []
    busy = load_where_busy(hosts)
    if busy is not None:
        found.append(f"Other programs were running before ({busy}): timings will differ on an idle machine.")
    short = [one.workload for one in measurements if one.scales and one.spread.median < SHORT_SECONDS]
    if short:
        found.append(
            f"Less than {SHORT_SECONDS} s a run: {', '.join(dict.fromkeys(short))}. That is mostly Dask's overhead; "
            "use a larger --size."
        )
    spreads = [(one.workload, one.spread) for one in measurements]
    wide = [name for name, spread in spreads if spread.upper - spread.lower > WIDE_SHARE * spread.median]
    if wide:
        found.append(
            f"Quartiles more than {WIDE_SHARE:.0%} apart: {', '.join(dict.fromkeys(wide))}. More --repeats give more "
            "precise results."
        )
    return found


def load_where_busy(hosts: Sequence[HostFacts]) -> str | None:
    """Return the load of a busy computer before the measurement, in words; ``None`` where all were idle enough."""
    for host in hosts:
        if host.load_before is not None and host.load_before > BUSY_SHARE * host.cpus:
            return f"load {host.load_before:.1f} on {host.cpus} CPUs"
    return None


def by_workload(result: BenchResult) -> dict[str, list[Measurement]]:
    """Return the measurements of each workload, those on few workers first."""
    found: dict[str, list[Measurement]] = {}
    for one in sorted(result.measurements, key=lambda one: one.n_workers):
        found.setdefault(one.workload, []).append(one)
    order = list(dict.fromkeys(one.workload for one in result.measurements))
    return {name: found[name] for name in order}


def curves(result: BenchResult) -> dict[str, list[Measurement]]:
    """Return the workloads that should scale and were measured on several numbers of workers."""
    return {
        name: ones for name, ones in by_workload(result).items() if len(ones) > 1 and all(one.scales for one in ones)
    }


def speed_up(ones: Sequence[Measurement]) -> list[float]:
    """Return the speed-up of each number of workers over the fewest, by medians."""
    return [ones[0].spread.median / one.spread.median for one in ones]


def efficiency(ones: Sequence[Measurement]) -> list[float]:
    """Return the speed-up relative to perfect scaling."""
    return [gain * ones[0].n_workers / one.n_workers for gain, one in zip(speed_up(ones), ones, strict=True)]


def speed_up_intervals(ones: Sequence[Measurement]) -> list[tuple[float, float] | None]:
    """Return intervals of the speed-up, see `ratio_of`; ``None`` for the fewest workers, and with too few runs."""
    found: list[tuple[float, float] | None] = [None]
    for one in ones[1:]:
        ratio = ratio_of(one.seconds, ones[0].seconds)
        found.append(None if ratio.lower is None or ratio.upper is None else (ratio.lower, ratio.upper))
    return found

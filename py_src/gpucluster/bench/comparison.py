"""Compare two results."""

from pydantic import BaseModel, Field

from ..client.history.statistics import CONFIDENCE, Ratio, ratio_of
from ..protocol.plain_text import aligned, counted
from .errors import NotComparable
from .result import BenchResult, Measurement, load_where_busy
from .text import seconds_text

Key = tuple[str, tuple[tuple[str, int], ...], int]


class Pair(BaseModel, frozen=True):
    """One workload of the same size on the same number of workers, in both results."""

    workload: str
    size: str
    n_workers: int
    first_seconds: float = Field(description="Median.")
    second_seconds: float = Field(description="Median.")
    ratio: float = Field(description="Second median divided by the first: below 1, the second is faster.")
    lower: float | None = Field(description="Lower end of the ratio's interval; null if there are too few runs.")
    upper: float | None = None

    @property
    def words(self) -> str:
        return Ratio(self.ratio, self.lower, self.upper).words


class Comparison(BaseModel, frozen=True):
    """The workloads that two results have in common, and the differences between their clusters."""

    pairs: list[Pair]
    not_compared: list[str] = Field(description="Measurements that only one of them has, or that differ in size.")
    differences: list[str] = Field(description="How the clusters differ.")
    doubts: list[str] = Field(default_factory=list, description="Reasons why a difference may not be meaningful.")

    def text(self) -> str:
        rows: list[tuple[str, ...]] = [("WORKLOAD", "SIZE", "WORKERS", "FIRST", "SECOND", "RATIO", "RESULT")]
        rows += [
            (pair.workload, pair.size, str(pair.n_workers), seconds_text(pair.first_seconds),
             seconds_text(pair.second_seconds), f"{pair.ratio:.2f}", pair.words)
            for pair in self.pairs
        ]  # fmt: skip
        lines = [aligned(rows), ""]
        lines += [f"Not compared: {sentence}" for sentence in self.not_compared]
        lines += [f"Different: {sentence}" for sentence in self.differences]
        lines += [f"Doubtful: {sentence}" for sentence in self.doubts]
        n_pairs = len(self.pairs)
        lines.append(
            f"Intervals contain the true ratio in {CONFIDENCE:.0%} of cases, judging by the runs of each measurement; "
            f"other changes on the machine between the two are not included. Of {n_pairs} comparisons without any "
            f"difference, about {n_pairs * (1 - CONFIDENCE):.1f} show one anyway."
        )
        return "\n".join(lines)


def compare(first: BenchResult, second: BenchResult) -> Comparison:
    """Compare what both have in the same size on as many workers. Raises `NotComparable` (there is nothing)."""
    ones, others = _by_key(first), _by_key(second)
    common = [key for key in ones if key in others]
    missing = _not_compared(first, second, set(common))
    if not common:
        raise NotComparable(
            "The two results have no workload with the same size and number of workers. " + " ".join(missing)
        )
    pairs = [
        Pair(
            workload=one.workload, size=one.size, n_workers=one.n_workers, first_seconds=one.spread.median,
            second_seconds=other.spread.median, ratio=ratio.medians, lower=ratio.lower, upper=ratio.upper,
        )
        for one, other in ((ones[key], others[key]) for key in common)
        for ratio in [ratio_of(one.seconds, other.seconds)]
    ]  # fmt: skip
    doubts = [
        f"other programs were running when the {ordinal} was measured ({busy}); "
        "this alone can explain such a difference."
        for ordinal, result in (("first", first), ("second", second))
        if (busy := load_where_busy(result.hosts)) is not None
    ]
    return Comparison(pairs=pairs, not_compared=missing, differences=_differences(first, second), doubts=doubts)


def _by_key(result: BenchResult) -> dict[Key, Measurement]:
    return {(one.workload, tuple(sorted(one.parameters.items())), one.n_workers): one for one in result.measurements}


def _not_compared(first: BenchResult, second: BenchResult, common: set[Key]) -> list[str]:
    sentences = []
    for ordinal, mine, theirs in (("first", first, second), ("second", second, first)):
        for key, one in _by_key(mine).items():
            if key in common:
                continue
            same = [other for other in theirs.measurements if other.workload == one.workload]
            sizes = sorted({other.size for other in same if other.parameters != one.parameters})
            if sizes:
                reason = f"is '{one.size}' in the {ordinal} result but {' and '.join(map(repr, sizes))} in the other"
            elif same:
                reason = f"on {counted(one.n_workers, 'worker')} is only in the {ordinal} result"
            else:
                reason = f"is only in the {ordinal} result"
            sentences.append(f"{one.workload} {reason}.")
    return list(dict.fromkeys(sentences))


def _differences(first: BenchResult, second: BenchResult) -> list[str]:
    rows = [("protocol", first.cluster.protocol, second.cluster.protocol),
            ("backend", first.cluster.backend, second.cluster.backend),
            ("threads per worker", first.cluster.threads_per_worker, second.cluster.threads_per_worker),
            ("arrays", first.cluster.arrays, second.cluster.arrays)]  # fmt: skip
    rows.append(("machines", _machines(first), _machines(second)))
    names = sorted({*first.versions, *second.versions})
    rows += [(name, first.versions.get(name, "none"), second.versions.get(name, "none")) for name in names]
    return [f"{name}: {one}, then {other}." for name, one, other in rows if one != other]


def _machines(result: BenchResult) -> str:
    kinds = []
    for host in result.hosts:
        gpus = f", {', '.join(host.gpus)}" if host.gpus else ""
        kinds.append(f"{host.count} × {host.cpu_model or 'unknown CPU'} ({host.cpus} CPUs{gpus})")
    return "; ".join(kinds)

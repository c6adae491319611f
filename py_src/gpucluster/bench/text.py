"""Results as text."""

from collections.abc import Sequence

from ..protocol.plain_text import aligned, counted
from ..protocol.sizes import format_size
from .result import BenchResult, Measurement, by_workload, speed_up, speed_up_intervals
from .workload import Workload

_SHOWN = (
    "gpucluster", "python", "distributed", "numpy", "scikit-learn", "cudf-cu13", "cuml-cu13", "cudf-cu12", "cuml-cu12",
)  # fmt: skip
"""Packages in the header."""
UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))


def seconds_text(seconds: float) -> str:
    return seconds_texts([seconds])[0]


def seconds_texts(values: Sequence[float], quartiles: Sequence[tuple[float, float]] | None = None) -> list[str]:
    """Return seconds in one unit, that of the shortest, optionally with their lower and upper quartiles."""
    unit, factor = next((pair for pair in UNITS if min(values) >= 0.9995 * pair[1]), UNITS[-1])
    found = [f"{_three(value / factor)} {unit}" for value in values]
    if quartiles is None:
        return found
    between = [f"{_three(lower / factor)} to {_three(upper / factor)}" for lower, upper in quartiles]
    return [f"{text} ({ends})" for text, ends in zip(found, between, strict=True)]


def rate_text(measurement: Measurement) -> str:
    if measurement.rate is None:
        return ""
    if measurement.unit == "bytes":
        return f"{format_size(measurement.rate)}/s"
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if measurement.rate >= factor:
            return f"{_three(measurement.rate / factor)} {letter} {measurement.unit}/s"
    return f"{_three(measurement.rate)} {measurement.unit}/s"


def parameters_text(measurement: Measurement) -> str:
    return ", ".join(
        format_size(value) if name == "bytes" else f"{name} = {value:,}"
        for name, value in measurement.parameters.items()
    )


def result_rows(result: BenchResult) -> list[tuple[str, ...]]:
    """Return the table of all measurements, its head first, grouped by workload."""
    several = len(result.cluster.n_workers) > 1
    rows: list[tuple[str, ...]] = [
        ("WORKLOAD", "SIZE", "WORKERS", "MEDIAN", "QUARTILES", "RATE", *(["SPEED-UP"] if several else []))
    ]
    for ones in by_workload(result).values():
        for one, gain, ends in zip(ones, speed_up(ones), speed_up_intervals(ones), strict=True):
            spread = one.spread
            cells = (
                one.workload, f"{one.size} ({parameters_text(one)})", str(one.n_workers), seconds_text(spread.median),
                f"{seconds_text(spread.lower)} to {seconds_text(spread.upper)}", rate_text(one),
            )  # fmt: skip
            between = f" ({ends[0]:.2f} to {ends[1]:.2f})" if ends else ""
            rows.append((*cells, *([f"{gain:.2f}{between}" if one.scales else ""] if several else [])))
    return rows


def result_text(result: BenchResult) -> str:
    rest = [*left_out_lines(result), *result.notes]
    return "\n".join([*facts_lines(result), "", aligned(result_rows(result)), *([""] if rest else []), *rest])


def left_out_lines(result: BenchResult) -> list[str]:
    return [
        f"{'Failed' if item.failed else 'Skipped'}: {item.workload} on {counted(item.n_workers, 'worker')}: {item.why}."
        for item in result.left_out
    ]


def facts_lines(result: BenchResult) -> list[str]:
    cluster = result.cluster
    limit = "no memory limit" if cluster.memory_limit_bytes is None else format_size(cluster.memory_limit_bytes)
    *few, most = cluster.n_workers
    workers = " and ".join([*filter(None, [", ".join(map(str, few))]), counted(most, "worker")])
    lines = [
        f"{cluster.name} ({cluster.backend}, {cluster.protocol}): {workers} with "
        f"{counted(cluster.threads_per_worker, 'thread')} and {limit} each; {cluster.arrays} and {cluster.frames}"
    ]
    for host in result.hosts:
        gpus = f", GPUs: {', '.join(dict.fromkeys(host.gpus))} × {len(host.gpus)}" if host.gpus else ", no GPU"
        load = "" if host.load_before is None else f", load before {host.load_before:.1f}"
        lines.append(
            f"{host.count} × {host.cpu_model or 'unknown CPU'}, {host.cpus} CPUs, "
            f"{format_size(host.memory_bytes)}{gpus}{load}"
        )
    versions = ", ".join(f"{name} {result.versions[name]}" for name in _SHOWN if name in result.versions)
    lines.append(f"{versions}; medians of {counted(result.n_repeats, 'run')}, {result.started_at}")
    return lines


def workloads_text(workloads: Sequence[Workload]) -> str:
    lines = []
    for workload in workloads:
        sizes = "; ".join(
            f"{size}: " + ", ".join(f"{name} = {value:,}" for name, value in parameters.items())
            for size, parameters in workload.sizes.items()
        )
        lines += [workload.name, f"  {workload.title}", f"  {sizes}"]
    return "\n".join(lines)


def _three(value: float) -> str:
    """Return a number with three digits, if it is at least 1."""
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"

"""Compares what pieces of work computed: which groups of tasks became slower, and what differs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from pydantic import BaseModel, Field

from ...protocol.cells import CellWork
from ...protocol.durations import seconds
from ...protocol.errors import InvalidRequest
from ...protocol.plain_text import aligned, printable
from ...protocol.sizes import format_size
from .statistics import CONFIDENCE, Ratio, ratio_of

LEAST_SHARE = 0.01  # Groups with less of a run's seconds are not compared.
LEAST_CHANGE = 1.05  # A smaller ratio is no finding, however certain it is.
LEAST_BYTES = 1.2  # The same for bytes that differ.
TRANSFERS = " (transfers)"


class GroupComparison(BaseModel, frozen=True):
    """The tasks of one kind, in the first and the second runs. Times are medians of all runs."""

    work: str
    name: str = Field(description="Name of the group, with '(transfers)' appended for its transfers.")
    first_seconds: float
    second_seconds: float
    ratio: float
    lower: float | None = Field(
        description="Lower end of the ratio's interval; null if there are fewer than four runs of each."
    )
    upper: float | None = None
    verdict: Literal["slower", "faster", "same", "unknown"] = Field(
        description="Of the second; 'same': no difference shown, or one below 5 %."
    )

    @property
    def words(self) -> str:
        ratio = Ratio(self.ratio, self.lower, self.upper)
        small = self.verdict == "same" and ratio.differs
        return f"differs by less than {LEAST_CHANGE - 1:.0%}" if small else ratio.words


class WorkComparison(BaseModel, frozen=True):
    """One piece of work: a cell of a notebook, or a script."""

    name: str
    code: str | None = None
    n_first: int = Field(description="Number of runs.")
    n_second: int
    first_seconds: float = Field(description="Median duration.")
    second_seconds: float


class RunComparison(BaseModel, frozen=True):
    """What two selections of the history have in common, and what differs."""

    works: list[WorkComparison]
    groups: list[GroupComparison] = Field(description="Slowest in the first runs first.")
    differences: list[str] = Field(description="Workers, versions, partitions, spilled bytes and others, as text.")
    not_compared: list[str] = Field(description="What only one of the two has, as text.")

    @property
    def slower(self) -> list[str]:
        """Names of the groups that became slower by more than the noise of the runs explains."""
        return [group.name for group in self.groups if group.verdict == "slower"]

    def text(self) -> str:
        rows = [("WORK", "RUNS", "FIRST", "SECOND", "CODE")]
        rows += [
            (printable(work.name, 40), f"{work.n_first}, {work.n_second}", seconds(work.first_seconds),
             seconds(work.second_seconds), printable(work.code or "", 60))
            for work in self.works
        ]  # fmt: skip
        lines = [aligned(rows), ""]
        several = len(self.works) > 1
        rows = [("WORK AND GROUP" if several else "GROUP", "FIRST", "SECOND", "RATIO", "IN WORDS")]
        for group in self.groups:
            name = printable(f"{group.work}: {group.name}" if several else group.name, 60)
            times = (seconds(group.first_seconds), seconds(group.second_seconds))
            rows.append((name, *times, f"{group.ratio:.2f}", group.words))
        lines += [aligned(rows), ""] if self.groups else []
        lines += [f"Different: {printable(sentence)}" for sentence in self.differences]
        lines += [f"Not compared: {printable(sentence)}" for sentence in self.not_compared]
        if any(group.lower is not None for group in self.groups):
            lines.append(
                f"Together, the intervals of all groups contain the true ratios in {CONFIDENCE:.0%} of cases, as far "
                "as so few runs can show; changes on the machine between the two are not included."
            )
        return "\n".join(lines)

    __str__ = text


@dataclass
class _Run:
    """A cell once, or all that one client had computed."""

    cells: list[CellWork]
    seconds: dict[str, float] = field(default_factory=dict)
    n_tasks: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for group in (group for cell in self.cells for group in cell.groups):
            name = group.name or "(others)"
            for key, took in ((name, group.compute_seconds), (name + TRANSFERS, group.transfer_seconds)):
                self.seconds[key] = self.seconds.get(key, 0.0) + took
            self.n_tasks[name] = self.n_tasks.get(name, 0) + group.n_tasks

    @property
    def wall_seconds(self) -> float:
        return sum(cell.seconds or 0.0 for cell in self.cells)

    def figure(self, name: str) -> float | None:
        values = [value for cell in self.cells if (value := getattr(cell, name)) is not None]
        return max(values, default=None)


def compare(first: Sequence[CellWork], second: Sequence[CellWork]) -> RunComparison:
    """Compare the cells and scripts that both have; one of each is compared even if their names differ.

    Raises `InvalidRequest` (there is none).
    """
    ones, others = _by_work(first), _by_work(second)
    if len(ones) == len(others) == 1:
        others = dict(zip(ones, others.values(), strict=True))
    common = [key for key in ones if key in others]
    if not common:
        raise InvalidRequest("The two have no cell or script in common. Compare two ids instead.")
    tested = [(key, name) for key in common for name in _names([*ones[key], *others[key]])]
    groups = [_group(name, ones[key], others[key], len(tested)) for key, name in tested]
    groups.sort(key=lambda group: -group.first_seconds)
    missing = []
    for which, mine, theirs in (("first", ones, others), ("second", others, ones)):
        missing += [f"{_name(runs)} is only in the {which}." for key, runs in mine.items() if key not in theirs]
        for key in common:
            known = {name for run in theirs[key] for name in run.n_tasks}
            only = dict.fromkeys(name for run in mine[key] for name in run.n_tasks if name not in known)
            missing += [f"{name} of {_name(mine[key])} is only in the {which}." for name in only]
    return RunComparison(
        works=[_work(ones[key], others[key]) for key in common],
        groups=groups,
        differences=_differences([(ones[key], others[key]) for key in common]),
        not_compared=missing,
    )


def _by_work(cells: Sequence[CellWork]) -> dict[Hashable, list[_Run]]:
    """Return the runs of each cell and script. What has not ended regularly is left out."""
    scripts: dict[str, list[CellWork]] = {}
    found: dict[Hashable, list[_Run]] = {}
    for cell in cells:
        if cell.ended is None or not cell.groups:
            continue
        if cell.by_time:
            scripts.setdefault(cell.client, []).append(cell)
        else:
            found.setdefault((cell.notebook_name, cell.cell or cell.code), []).append(_Run([cell]))
    for pieces in scripts.values():
        run = _Run(pieces)
        found.setdefault(frozenset(run.n_tasks), []).append(run)
    return found


def _names(runs: Sequence[_Run]) -> list[str]:
    """Return the groups that all runs have and that take some of the time of at least one."""
    return [
        name
        for name in runs[0].seconds
        if all(run.seconds.get(name) for run in runs)
        and any(run.seconds[name] >= LEAST_SHARE * sum(run.seconds.values()) for run in runs)
    ]


def _group(name: str, ones: Sequence[_Run], others: Sequence[_Run], n_ratios: int) -> GroupComparison:
    before, after = [run.seconds[name] for run in ones], [run.seconds[name] for run in others]
    ratio = ratio_of(before, after, n_ratios=n_ratios)
    verdict: Literal["slower", "faster", "same", "unknown"] = "same" if ratio.differs is not None else "unknown"
    if ratio.differs and not 1 / LEAST_CHANGE < ratio.medians < LEAST_CHANGE:
        verdict = "slower" if ratio.medians > 1 else "faster"
    return GroupComparison(
        work=_name(ones), name=name, first_seconds=median(before), second_seconds=median(after),
        ratio=ratio.medians, lower=ratio.lower, upper=ratio.upper, verdict=verdict,
    )  # fmt: skip


def _work(ones: Sequence[_Run], others: Sequence[_Run]) -> WorkComparison:
    return WorkComparison(
        name=_name(ones),
        code=ones[-1].cells[-1].code,
        n_first=len(ones),
        n_second=len(others),
        first_seconds=median(run.wall_seconds for run in ones),
        second_seconds=median(run.wall_seconds for run in others),
    )


def _name(runs: Sequence[_Run]) -> str:
    return runs[-1].cells[-1].name


def _differences(pairs: Sequence[tuple[Sequence[_Run], Sequence[_Run]]]) -> list[str]:
    ones, others = ([run for pair in pairs for run in pair[which]] for which in (0, 1))
    rows: list[tuple[str, object, object]] = [
        (words, _middle(ones, name), _middle(others, name))
        for words, name in (("workers", "n_workers"), ("threads", "n_threads"), ("lost workers", "n_lost_workers"))
    ]
    before, after = (runs[-1].cells[-1].where for runs in (ones, others))
    if before is not None and after is not None:
        rows += [("kind of cluster", before.kind, after.kind), ("machine", before.host, after.host)]
        names = {**before.versions, **after.versions}
        rows += [(name, before.versions.get(name), after.versions.get(name)) for name in names]
    for mine, theirs in pairs:
        there = theirs[-1].n_tasks
        rows += [(f"partitions of {name}", n, there[name]) for name, n in mine[-1].n_tasks.items() if name in there]
    for words, name in (("spilled at most", "spilled_peak_bytes"), ("moved", "moved_bytes")):
        size, later = _middle(ones, name) or 0.0, _middle(others, name) or 0.0
        if max(size, later) > max(2**20, LEAST_BYTES * min(size, later)):
            rows.append((words, format_size(size), format_size(later)))
    return [f"{words}: {_shown(a)}, then {_shown(b)}." for words, a, b in rows if a != b]


def _middle(runs: Sequence[_Run], name: str) -> float | None:
    values = [value for run in runs if (value := run.figure(name)) is not None]
    return median(values) if values else None


def _shown(value: object) -> str:
    return "unknown" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

"""The site: partitions with their time limits, nodes, memory and GPUs, from ``sinfo``."""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field

from ...protocol.durations import slurm_clock, walltime_seconds
from ...protocol.errors import PreflightFailed
from ...protocol.plain_text import counted
from ...protocol.sizes import format_size
from ...protocol.spec_base import not_whole_jobs
from . import commands
from .spec import SlurmSpec

KEPT_SECONDS = 60.0
_AWAY = ("down", "drain", "drng", "fail", "maint", "resv", "reserved", "unk", "no_respond", "powering", "reboot")
_NO_ANSWER = "*"
MEBIBYTE = 2**20
_FORMAT = "%P|%a|%l|%D|%c|%m|%G|%f|%h"
_GPU = re.compile(r"(?:^|,)gpu(?::([A-Za-z0-9_.-]+))?:(\d+)")


@dataclass
class Partition:
    """One partition, over all its nodes."""

    name: str
    default: bool = False
    up: bool = True
    most_seconds: int | None = None  # Longest walltime; ``None``: no limit.
    nodes: int = 0
    cores: int = 0  # Of its biggest node, as is the memory.
    memory_bytes: int = 0
    gpus: dict[str, int] = field(default_factory=dict)  # The most of one node, by type; one without a name is ''.
    exclusive: bool = False  # Whether jobs do not share nodes.


@dataclass(frozen=True)
class Site:
    """One Slurm."""

    partitions: dict[str, Partition]

    @property
    def default(self) -> str | None:
        return next((one.name for one in self.partitions.values() if one.default), None)

    def names(self, partition: str | None) -> list[str]:
        """Return the names of the partitions that a job may go to, whether they exist or not."""
        return partition.split(",") if partition else [self.default] if self.default else []

    def chosen(self, partition: str | None) -> list[Partition]:
        return [self.partitions[name] for name in self.names(partition) if name in self.partitions]


_known: tuple[float, Site] | None = None


async def look() -> Site:
    """Return the site, queried at most once a minute. Raises `SlurmSilent`, `SlurmRefused`."""
    global _known
    if _known is None or time.monotonic() - _known[0] >= KEPT_SECONDS:
        output, _ = await commands.ask("sinfo", "--noheader", f"--format={_FORMAT}")
        _known = time.monotonic(), Site(parse(output))
    return _known[1]


async def nodes_away(partition: str | None) -> list[str]:
    """Query the nodes of these partitions that take no jobs at the moment, as ``n4 (drained)``."""
    chosen = [f"--partition={partition}"] if partition else []
    output, _ = await commands.ask("sinfo", "--noheader", "--Node", *chosen, "--format=%N|%T")
    found = {}
    for line in output.splitlines():
        name, _, state = line.strip().partition("|")
        if state.startswith(_AWAY) or state.endswith(_NO_ANSWER):
            found[name] = f"{name} ({state.rstrip(_NO_ANSWER)})"
    return list(found.values())


def parse(text: str) -> dict[str, Partition]:
    """Return the partitions of an answer of ``sinfo``, which has a line for each kind of nodes."""
    found: dict[str, Partition] = {}
    for line in text.splitlines():
        parts = line.split("|")
        if len(parts) < 8:
            continue
        name, up, limit, nodes, cores, memory, gpus, _, *shared = parts
        one = found.setdefault(name.rstrip("*"), Partition(name.rstrip("*")))
        one.default = one.default or name.endswith("*")
        one.up = up == "up"
        one.exclusive = shared == ["EXCLUSIVE"]
        with suppress(ValueError):
            one.most_seconds = walltime_seconds(limit.strip())
        one.nodes += _whole(nodes)
        one.cores = max(one.cores, _whole(cores))
        one.memory_bytes = max(one.memory_bytes, _whole(memory) * MEBIBYTE)
        for kind, count in _GPU.findall(re.sub(r"\([^)]*\)", "", gpus)):
            one.gpus[kind] = max(one.gpus.get(kind, 0), int(count))
    return found


def _whole(text: str) -> int:
    digits = re.match(r"\s*(\d+)", text)
    return int(digits[1]) if digits else 0


def check(spec: SlurmSpec, site: Site) -> None:
    """Refuse what this site is known not to serve. Raises `PreflightFailed`."""
    names = site.names(spec.partition)
    unknown = [name for name in names if name not in site.partitions]
    if unknown and site.partitions:
        raise PreflightFailed(f"partition: Slurm has no partition '{unknown[0]}' here. Available: {_listed(site)}.")
    if not (chosen := site.chosen(spec.partition)):
        return
    where = f"the partition '{names[0]}'" if len(names) == 1 else "these partitions"
    if not any(one.up for one in chosen):
        raise PreflightFailed(f"partition: {where} accepts no jobs now. Available: {_listed(site)}.")
    longest = max((one.most_seconds or 10**9) for one in chosen)
    if spec.walltime_seconds > longest:
        raise PreflightFailed(
            f"walltime: {spec.walltime} is more than {where} allows, {slurm_clock(longest)}. Request less."
        )
    if spec.gpus_per_node:
        _check_gpus(spec, chosen, where, site)
    cores = max(one.cores for one in chosen)
    wanted = spec.cores_on_node
    if cores and wanted > cores:
        raise PreflightFailed(f"cores: no node of {where} has {wanted} cores; the largest has {cores}.")
    memory = max(one.memory_bytes for one in chosen)
    on_node = spec.memory_on_node
    if memory and on_node is not None and on_node > memory:
        each = f", {format_size(on_node // spec.workers_on_node)} for each worker" if spec.workers_on_node > 1 else ""
        raise PreflightFailed(
            f"memory_limit: no node of {where} has {format_size(on_node)} of memory{each}; the largest has "
            f"{format_size(memory)}."
        )
    nodes = max(one.nodes for one in chosen)
    if spec.nodes_per_job > nodes:
        raise PreflightFailed(f"nodes_per_job: {where} has {counted(nodes, 'node')}, not {spec.nodes_per_job}.")
    if gives_whole_nodes(chosen) and (fault := not_whole_jobs(spec.n_workers, spec.workers_in_job)):
        raise PreflightFailed(f"n_workers: {where} allocates only whole nodes, and {fault}.")


def check_scheduler(spec: SlurmSpec, site: Site) -> None:
    """Refuse what this site cannot serve for the scheduler's job. Raises `PreflightFailed`."""
    try:
        check(with_scheduler_walltime(spec, site).of_scheduler, site)
    except PreflightFailed as error:
        field, colon, rest = error.message.partition(": ")
        names = {"partition": "scheduler_partition", "walltime": "scheduler_walltime", "cores": "scheduler_cores"}
        names["memory_limit"] = "scheduler_memory"
        raise PreflightFailed(f"{names.get(field, 'scheduler')}: {rest if colon else error.message}") from error


def with_scheduler_walltime(spec: SlurmSpec, site: Site) -> SlurmSpec:
    """Lower the default time limit of the scheduler's job to what its partition allows."""
    longest = [one.most_seconds for one in site.chosen(spec.of_scheduler.partition) if one.most_seconds is not None]
    if spec.scheduler != "job" or spec.scheduler_walltime is not None or not longest:
        return spec
    seconds = min(walltime_seconds(spec.of_scheduler.walltime), *longest)
    return spec.model_copy(update={"scheduler_walltime": slurm_clock(seconds)})


def gives_whole_nodes(chosen: Collection[Partition]) -> bool:
    """Whether jobs in these partitions do not share nodes."""
    return bool(chosen) and all(one.exclusive for one in chosen)


def _check_gpus(spec: SlurmSpec, chosen: list[Partition], where: str, site: Site) -> None:
    types = sorted({kind for one in chosen for kind in one.gpus})
    if not types:
        others = [one.name for one in site.partitions.values() if one.gpus]
        there = f"Those with GPUs are {', '.join(others)}." if others else "No partition here has GPUs."
        raise PreflightFailed(f"gpus_per_node: {where} has no GPUs. {there}")
    if spec.gpu_type is not None and spec.gpu_type not in types and any(types):
        raise PreflightFailed(
            f"gpu_type: {where} has no GPUs of the type '{spec.gpu_type}'. Available: {', '.join(filter(None, types))}."
        )
    most = max(
        (count for one in chosen for kind, count in one.gpus.items() if not kind or spec.gpu_type in {None, kind}),
        default=0,
    )
    if spec.gpus_per_node > most:
        kind = f" of the type '{spec.gpu_type}'" if spec.gpu_type else ""
        raise PreflightFailed(
            f"gpus_per_node: no node of {where} has {spec.gpus_per_node} GPUs{kind}; the maximum is {most}."
        )


def _listed(site: Site) -> str:
    return ", ".join(sorted(name for name, one in site.partitions.items() if one.up)) or "none"

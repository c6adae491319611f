"""What the site has: partitions, their limits of time, their nodes, memory and GPUs, as ``sinfo`` tells.

Whoever may ask ``sacctmgr`` also learns the accounts and QOS that are for them; it is not there everywhere.
"""

from __future__ import annotations

import asyncio
import getpass
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field

from ...protocol.errors import GPUClusterError, PreflightFailed
from ...protocol.sizes import format_size
from ...protocol.slurmspec import SlurmSpec, walltime_seconds
from . import commands

KEPT_SECONDS = 60.0
MEBIBYTE = 2**20
_FORMAT = "%P|%a|%l|%D|%c|%m|%G|%f"
_GPU = re.compile(r"(?:^|,)gpu(?::([A-Za-z0-9_.-]+))?:(\d+)")


@dataclass
class Partition:
    """One partition, over all its nodes."""

    name: str
    default: bool = False
    up: bool = True
    most_seconds: int | None = None
    """Longest walltime; ``None``: no limit."""
    nodes: int = 0
    cores: int = 0
    """Of its biggest node, as is the memory."""
    memory_bytes: int = 0
    gpus: dict[str, int] = field(default_factory=dict)
    """By type, the most that one node has; a type without a name is ''."""
    features: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Site:
    """One Slurm."""

    partitions: dict[str, Partition]
    accounts: tuple[str, ...] = ()
    qos: tuple[str, ...] = ()

    @property
    def default(self) -> str | None:
        """The partition of jobs that name none."""
        return next((one.name for one in self.partitions.values() if one.default), None)


_known: tuple[float, Site] | None = None


async def look(*, accounts: bool = False) -> Site:
    """Return what the site has; asked at most once a minute.

    Parameters
    ----------
    accounts : bool
        Whether to ask for accounts and QOS, too.

    Raises
    ------
    SlurmSilent, SlurmRefused
    """
    global _known
    if _known is not None and time.monotonic() - _known[0] < KEPT_SECONDS and (_known[1].accounts or not accounts):
        return _known[1]
    told, who = await asyncio.gather(
        commands.ask("sinfo", "--noheader", f"--format={_FORMAT}"), _associations() if accounts else _nothing()
    )
    site = Site(parse(told[0]), *who)
    _known = time.monotonic(), site
    return site


async def _nothing() -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (), ()


async def _associations() -> tuple[tuple[str, ...], tuple[str, ...]]:
    with suppress(GPUClusterError, OSError, KeyError):
        command = ("sacctmgr", "--noheader", "--parsable2", "show", "associations", f"user={getpass.getuser()}")
        told, _ = await commands.ask(*command, "format=account,qos")
        rows = [line.split("|") for line in told.splitlines() if "|" in line]
        names = (name for row in rows for name in row[1].split(","))
        return tuple(dict.fromkeys(row[0] for row in rows)), tuple(filter(None, dict.fromkeys(names)))
    return (), ()


def parse(text: str) -> dict[str, Partition]:
    """Return the partitions of an answer of ``sinfo``, which has a line for each sort of nodes."""
    found: dict[str, Partition] = {}
    for line in text.splitlines():
        parts = line.split("|")
        if len(parts) < 8:
            continue
        name, up, limit, nodes, cores, memory, gpus, features = parts[:8]
        one = found.setdefault(name.rstrip("*"), Partition(name.rstrip("*")))
        one.default = one.default or name.endswith("*")
        one.up = up == "up"
        with suppress(ValueError):
            one.most_seconds = walltime_seconds(limit.strip())
        one.nodes += _whole(nodes)
        one.cores = max(one.cores, _whole(cores))
        one.memory_bytes = max(one.memory_bytes, _whole(memory) * MEBIBYTE)
        for kind, count in _GPU.findall(re.sub(r"\([^)]*\)", "", gpus)):
            one.gpus[kind] = max(one.gpus.get(kind, 0), int(count))
        if features not in {"(null)", ""}:
            one.features.update(features.split(","))
    return found


def _whole(text: str) -> int:
    digits = re.match(r"\s*(\d+)", text)
    return int(digits[1]) if digits else 0


def check(spec: SlurmSpec, site: Site) -> None:
    """Refuse what this site cannot serve, as far as that can be seen.

    Raises
    ------
    PreflightFailed
        In a sentence that names the field and what there is.
    """
    names = spec.partition.split(",") if spec.partition else [site.default] if site.default else []
    unknown = [name for name in names if name not in site.partitions]
    if unknown and site.partitions:
        raise PreflightFailed(f"partition: Slurm has no partition '{unknown[0]}' here. There are {_listed(site)}.")
    chosen = [site.partitions[name] for name in names if name in site.partitions]
    if not chosen:
        return
    where = f"the partition '{names[0]}'" if len(names) == 1 else "these partitions"
    if not any(one.up for one in chosen):
        raise PreflightFailed(f"partition: {where} takes no jobs now. There are {_listed(site)}.")
    longest = max((one.most_seconds or 10**9) for one in chosen)
    if spec.walltime_seconds > longest:
        raise PreflightFailed(
            f"walltime: {spec.walltime} is more than {where} allows, {spoken_limit(longest)}. Ask for less."
        )
    if spec.gpus_per_node:
        _check_gpus(spec, chosen, where, site)
    cores = max(one.cores for one in chosen)
    wanted = spec.cores_of_job
    if cores and wanted > cores:
        raise PreflightFailed(f"cores: no node of {where} has {wanted} cores; the biggest has {cores}.")
    memory = max(one.memory_bytes for one in chosen)
    of_job = spec.memory_of_job
    if memory and of_job is not None and of_job > memory:
        each = f", {format_size(of_job // spec.workers_in_job)} for each worker" if spec.workers_in_job > 1 else ""
        raise PreflightFailed(
            f"memory_limit: no node of {where} has {format_size(of_job)} of memory{each}; the biggest has "
            f"{format_size(memory)}."
        )


def _check_gpus(spec: SlurmSpec, chosen: list[Partition], where: str, site: Site) -> None:
    types = sorted({kind for one in chosen for kind in one.gpus})
    if not types:
        others = [one.name for one in site.partitions.values() if one.gpus]
        there = f"Those with GPUs are {', '.join(others)}." if others else "No partition here has any."
        raise PreflightFailed(f"gpus_per_node: {where} has no GPUs. {there}")
    if spec.gpu_type is not None and spec.gpu_type not in types and any(types):
        raise PreflightFailed(
            f"gpu_type: {where} has no GPUs of the type '{spec.gpu_type}'. There are {', '.join(filter(None, types))}."
        )
    most = max(
        (count for one in chosen for kind, count in one.gpus.items() if not kind or spec.gpu_type in {None, kind}),
        default=0,
    )
    if spec.gpus_per_node > most:
        kind = f" of the type '{spec.gpu_type}'" if spec.gpu_type else ""
        raise PreflightFailed(
            f"gpus_per_node: no node of {where} has {spec.gpus_per_node} GPUs{kind}; the most that one has is {most}."
        )


def spoken_limit(seconds: int) -> str:
    """Return a limit of time as Slurm writes it."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return (f"{days}-" if days else "") + f"{hour:02}:{minute:02}:{second:02}"


def _listed(site: Site) -> str:
    return ", ".join(sorted(name for name, one in site.partitions.items() if one.up)) or "none"

"""The options that every kind of cluster has; the base of each kind's own model.

A bound is written in these models and nowhere else. ``json_schema_extra`` keys read by the form: ``group`` (the section
a field belongs to), ``advanced``, ``unit`` (what one of it is called), ``help`` (in place of the description, which a
command line shows for all kinds) and ``empty`` (what stands in a field with nothing in it); ``shown_in`` writes them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from .refusals import path_refusal
from .sizes import MemorySizeOrAuto, zero_means_none
from .telemetry import WireModel

MAX_WORKERS = 256  # Most workers one cluster of this machine may have.

MOST_SECONDS = 30 * 86400  # Longest time that can be asked for.
LEAST_MEMORY_LIMIT = 100_000_000  # Bytes. An idle worker takes 65 MiB (Python 3.11, 2026-11-28); at 95 % it is ended.

NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}"

WorkerCount = Annotated[int, Field(strict=True, ge=1, le=MAX_WORKERS)]
WorkerCountOrZero = Annotated[int, Field(strict=True, ge=0, le=MAX_WORKERS)]


_WORKERS = (
    "Number of workers; 0 starts with none. Default: one per GPU, or one per core up to four on CPU; ssh: one per "
    "host, or per GPU there; mpi: one per core that Slurm has allocated, elsewhere up to four, or one per GPU; slurm: "
    "those of one job; kubernetes, gateway: one."
)
"""For all kinds, on the command line; forms show the default of one kind."""

OUTSIDE_RULE = "outside_rule"  # Error type of a rule's faults, beside pydantic's own.

FieldRule = Callable[[str, Any, Mapping[str, Any]], str | None]
"""Takes a given field, its value, and the values before it; returns its fault, else ``None``."""


def shown_in(group: str, *, advanced: bool = False, **shown: str) -> dict[str, Any]:
    """Return the ``json_schema_extra`` of a field that the creation form shows in that group."""
    return {"group": group, "advanced": advanced, **shown}


def option(group: str, title: str, default: Any, description: str, **shown: Any) -> Any:
    """Return a field that forms show in a group. `default`: or what makes it, as ``list``. `shown`: of ``shown_in``."""
    made = {"default_factory" if callable(default) else "default": default}
    return Field(**made, title=title, description=description, json_schema_extra=shown_in(group, **shown))


advanced = partial(option, advanced=True)


def matching(pattern: str, message: str) -> AfterValidator:
    """Refuse a text that does not match as a whole."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(message)
        return value

    return AfterValidator(check)


def pairs(text: str, example: str) -> dict[str, str]:
    """Read ``NAME=value,OTHER=value``."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all("=" in part for part in parts):
        raise ValueError(f"must be written like {example}")
    return {name.strip(): given.strip() for name, _, given in (part.partition("=") for part in parts)}


def not_shown(*names: str) -> Callable[[dict[str, Any]], None]:
    """Return the ``json_schema_extra`` of a kind that hides these fields in the form and on the command line."""

    def leave_out(schema: dict[str, Any]) -> None:
        for name in names:
            schema["properties"].pop(name, None)

    return leave_out


def number_of_workers(left_out: str) -> Any:
    """Return the field ``n_workers`` of a kind. `left_out`: the default, as the end of a sentence without full stop."""
    text = f"Number of workers; 0 starts with none. Default: {left_out}."
    return option("Cluster", "Workers", None, _WORKERS, unit="worker", help=text)


Interface = Annotated[str, matching(r"[A-Za-z0-9_.:-]{1,32}", "must be the name of a network interface, such as 'ib0'")]
KernelName = Annotated[str, matching(r"[A-Za-z0-9._-]{1,100}", "must be the name of an installed Jupyter kernel")]


class SpecBase(WireModel, allow_inf_nan=False):
    """Options that every kind of cluster has."""

    backend: str = Field(title="Kind", description="Kind of cluster.")
    name: str | None = option(
        "Cluster", "Name", None, "Name of the cluster: letters, digits, '.', '_' and '-'. Default: generated."
    )
    n_workers: WorkerCountOrZero | None = option(
        "Cluster", "Workers", None, "Number of workers; 0 starts with none. Default: set by the kind.", unit="worker"
    )
    threads_per_worker: Annotated[int, Field(strict=True, ge=1, le=128)] = advanced(
        "Cluster", "Threads per worker", 1, "Tasks that one worker runs at the same time.", unit="thread"
    )
    memory_limit: MemorySizeOrAuto | None = option(
        "Memory",
        "Host memory per worker",
        "auto",
        "Host memory of one worker: a size ('2 GiB'), a percentage of this machine ('20%'), "
        "'auto' for an equal share, or none (also 0) for no limit.",
    )
    idle_timeout_seconds: Annotated[int, Field(strict=True, ge=1, le=MOST_SECONDS)] | None = advanced(
        "Cluster", "Stop when idle for", 3600, "Seconds without clients and tasks until the cluster stops; none: never."
    )
    local_directory: str | None = advanced(
        "Memory",
        "Scratch directory",
        None,
        "Absolute path of a directory on local disk for spilled data; created if missing. A private folder is created "
        "inside.",
    )
    kernel_name: KernelName | None = advanced(
        "Cluster", "Environment", None, "Jupyter kernel whose Python environment workers use. Default: the caller's."
    )

    @property
    def port_protocol(self) -> str:
        """Protocol of the cluster's ports: ``protocol``, if the kind has a choice."""
        protocol: str = getattr(self, "protocol", "tls")
        return protocol

    def process_environment(self) -> dict[str, str]:
        """Return environment variables that the cluster's process needs before it imports anything."""
        return {}

    def written_down(self) -> SpecBase:
        """Return the spec for the cluster's record, without secrets."""
        return self

    @field_validator("*")
    @classmethod
    def _within_rules(cls, value: Any, info: ValidationInfo) -> Any:
        # Limits of the machine and the site are checked here, too, so that one answer names all faults.
        rule: FieldRule | None = info.context
        fault = rule(str(info.field_name), value, info.data) if rule is not None else None
        if fault is not None:
            raise PydanticCustomError(OUTSIDE_RULE, "{fault}", {"fault": fault})
        return value

    _zero_means_none = field_validator("memory_limit", mode="before")(zero_means_none)

    @field_validator("memory_limit")
    @classmethod
    def _room_for_the_program(cls, value: Any) -> Any:
        if isinstance(value, int) and value < LEAST_MEMORY_LIMIT:
            raise ValueError("must be at least 100 MB: a worker takes 70 MB before it computes anything")
        return value

    @field_validator("name")
    @classmethod
    def _name(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(NAME_PATTERN, value):
            wrong = re.search(r"[^A-Za-z0-9._-]|^[^A-Za-z0-9]", value)
            why = "" if wrong is None else f"; {wrong[0]!r} is not allowed" + " at the start" * (wrong.start() == 0)
            raise ValueError(
                f"must start with a letter or digit and have at most 63 letters, digits, '.', '_' or '-'{why}"
            )
        if value is not None and re.fullmatch(r"[0-9a-f]{8}", value):
            raise ValueError("must not look like the id of a cluster (eight hexadecimal digits)")
        return value

    @field_validator("local_directory")
    @classmethod
    def _absolute(cls, value: str | None) -> str | None:
        if value is not None and os.path.isabs(value) and (refusal := path_refusal(value)) is not None:
            raise ValueError(refusal.rstrip("."))
        if value is not None and (not os.path.isabs(value) or not value.isprintable()):
            raise ValueError("must be an absolute path")
        return value


AbsolutePath = Annotated[str, AfterValidator(lambda value: SpecBase._absolute(value))]


def not_at_default(spec: SpecBase, names: Iterable[str]) -> str | None:
    """Return the first of these fields that differs from its default."""
    fields = type(spec).model_fields
    return next((name for name in names if getattr(spec, name) != fields[name].default), None)


class UnknownSpec(SpecBase, extra="allow"):
    """The spec of a cluster whose kind, or that version of it, is not installed here; it keeps all fields."""


def not_whole_jobs(n_workers: int | None, together: int) -> str | None:
    """Return the fault of a number of workers, if any, as the end of a sentence without a full stop."""
    if not n_workers or n_workers % together == 0:
        return None
    fewer = n_workers - n_workers % together
    near = f"{fewer} or {fewer + together}" if fewer else f"{together}"
    return f"each job has {together} workers, which start and stop together: use {near}, not {n_workers}"

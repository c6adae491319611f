"""The limits of a site, narrower than the protocol's, from its file and from the settings of a Jupyter server."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError, field_validator
from pydantic_core import PydanticKnownError

from ..devices.host import this_machine
from ..protocol.durations import DEFAULT_SCHEDULER_WALLTIME, slurm_clock, spoken, walltime_seconds
from ..protocol.errors import FieldError, invalid_request, refused_field
from ..protocol.kinds import traits_of
from ..protocol.plain_text import counted
from ..protocol.sizes import format_size, parse_size, told_apart
from ..protocol.spec import ClusterPatch, SpecBase, parse_spec
from ..protocol.traits import Traits

COUNTS = ("n_workers", "threads_per_worker", "idle_timeout_seconds")
MEMORY = ("memory_limit", "memory_per_gpu")  # Host memory of a worker; the second if a job has one for each GPU.
WALLTIMES = ("walltime", "scheduler_walltime")
BOUNDS = (*COUNTS, "memory_limit", "walltime")


@dataclass(frozen=True)
class SiteLimits:
    """The narrowed bounds; ``None`` leaves the protocol's own."""

    n_workers: int | None = None
    threads_per_worker: int | None = None
    idle_timeout_seconds: int | None = None
    backends: tuple[str, ...] | None = None  # Kinds of clusters; ``None``: all.
    memory_limit: int | None = None  # Bytes of host memory of one worker.
    walltime: int | None = None  # Seconds of one job.
    of_server: frozenset[str] = frozenset()  # Those that the settings of a Jupyter server have narrowed.

    def narrower(self, other: SiteLimits) -> SiteLimits:
        """Return what both allow."""
        changes: dict[str, Any] = {}
        for field in BOUNDS:
            ours, theirs = getattr(self, field), getattr(other, field)
            if theirs is not None and (ours is None or theirs < ours):
                changes[field] = theirs
        if other.backends is not None:
            both = tuple(name for name in other.backends if self.backends is None or name in self.backends)
            if self.backends is None or len(both) < len(self.backends):
                changes["backends"] = both
        of_server = self.of_server.difference(changes) | other.of_server.intersection(changes)
        return replace(self, **changes, of_server=of_server)

    def wider(self, site: SiteLimits) -> list[str]:
        """Return a message for each limit that is wider than a site's, which then holds."""
        found = []
        for field in BOUNDS:
            ours, theirs = getattr(self, field), getattr(site, field)
            if ours is None or theirs is None or ours <= theirs:
                continue
            if field == "memory_limit":
                fault = site._at_most(field, *told_apart(theirs, ours))
            elif field == "walltime":
                fault = site._at_most(field, slurm_clock(theirs), slurm_clock(ours))
            else:
                fault = site._at_most(field, amount(field, theirs), ours)
            found.append(f"{field}: {fault}")
        more = [name for name in self.backends or () if site.backends is not None and name not in site.backends]
        return found + [f"kinds: {site._no_kind(name)}" for name in more]

    def fault(self, traits: Traits, field: str, value: Any, before: Mapping[str, Any]) -> str | None:
        """Return why this site refuses a field of a request, as a ``SpecRule``, naming the site's limit."""
        if field == "backend" and self.backends is not None and value not in self.backends:
            return self._no_kind(value)
        if field in COUNTS:
            limit = getattr(self, field)
            # None means an open number of workers, not an unlimited one.
            open_count = field == "n_workers" and value is None
            too_many = limit is not None and not open_count and _exceeds(value, limit)
            return self._at_most(field, amount(field, limit), value) if too_many else None
        if field.startswith("scheduler_") and not has_scheduler_job(before):
            return None
        if field in CORES and self.threads_per_worker is not None and isinstance(value, int):
            cores, why = most_cores(field, self.threads_per_worker, before)
            return f"{self._at_most('threads_per_worker', cores, value)}{why}" if value > cores else None
        if field == "scheduler_memory" and self.memory_limit is not None:
            return self._memory_fault(traits, value) if isinstance(value, int) else None
        if field in MEMORY and self.memory_limit is not None and value != "auto":
            # In a kind that starts no job with GPUs, None is not a request.
            return None if field != MEMORY[0] and value is None else self._memory_fault(traits, value)
        if field in WALLTIMES and self.walltime is not None and value and walltime_seconds(value) > self.walltime:
            return self._at_most("walltime", slurm_clock(self.walltime), value)
        # If GPUs can be chosen, each gets a worker.
        open_number = before.get("n_workers") is None
        gpus = len(value) if field == "devices" and value is not None and open_number else 0
        if self.n_workers is not None and gpus > self.n_workers:
            most = counted(self.n_workers, "GPU")
            return f"must name at most {most} {self._where('n_workers')}, not {gpus}: one for each worker"
        # The same holds in a job with several workers.
        in_a_job = value if field in {"gpus_per_node", "workers_per_job"} and open_number else None
        if field == "nodes_per_job" and open_number:
            in_a_job = value * (before.get("gpus_per_node") or 1)
        if self.n_workers is not None and in_a_job is not None and in_a_job > self.n_workers:
            most = amount("n_workers", self.n_workers)
            fits = self.n_workers * value // in_a_job
            return f"{self._at_most('n_workers', fits, value)}: a cluster may have {most}"
        return None

    def _memory_fault(self, traits: Traits, value: int | float | None) -> str | None:
        most = self.memory_limit
        if most is None or (isinstance(value, float) and not traits.this_machine):
            return None  # Such a kind does not support fractions, and refuses them itself.
        wanted = int(value * this_machine().memory_bytes) if isinstance(value, float) else value
        if not _exceeds(wanted, most):
            return None
        limit, given = (format_size(most), None) if wanted is None else told_apart(most, wanted)
        return self._at_most("memory_limit", limit, given)

    def narrow_spec(self, spec: SpecBase, *, keep_auto: bool = False) -> SpecBase:
        """Return ``spec`` with open fields narrowed to what the site allows; ``fault`` checks the others.

        `keep_auto`: leave open memory to the cluster's process, which divides what is left of a quota, but does not
        know a server's settings.
        """
        changes: dict[str, Any] = {}
        # A kind that starts no workers lacks some of them.
        offered = type(spec).model_json_schema()["properties"]
        for field in filter(offered.__contains__, COUNTS):
            limit, value = getattr(self, field), getattr(spec, field)
            if limit is not None and not (field == "n_workers" and value is None) and _exceeds(value, limit):
                # Whole jobs, if all have the same number of workers.
                together = getattr(spec, "workers_step", 1) if field == "n_workers" else 1
                changes[field] = limit - limit % together
        most = self.memory_limit if "memory_limit" in offered else None
        if keep_auto and spec.memory_limit == "auto" and "memory_limit" not in self.of_server:
            most = None if traits_of(spec).this_machine else most
        if most is not None and not self._memory_fits(spec, most):
            changes["memory_limit"] = most
        if self.walltime is not None and "walltime" in offered and walltime_seconds(spec.walltime) > self.walltime:  # type: ignore[attr-defined]
            changes["walltime"] = slurm_clock(self.walltime)
        changes |= narrow_scheduler(spec, self.memory_limit, self.threads_per_worker, self.walltime)
        # A kind that chooses another one must not choose a forbidden one.
        if len(allowed := set(traits_of(spec).chooses) & set(self.backends or ())) == 1:
            changes["backend"] = allowed.pop()
        return changed(spec, changes)

    @staticmethod
    def _memory_fits(spec: SpecBase, most: int) -> bool:
        value, traits, machine = spec.memory_limit, traits_of(spec), this_machine()
        if value == "auto" and getattr(spec, MEMORY[1], None) is not None:
            return True  # Which replaces it.
        if value != "auto":
            wanted = int(value * machine.memory_bytes) if isinstance(value, float) else value
            return isinstance(wanted, int) and wanted <= most
        # An equal part, for CPU workers as if there were one for each core.
        workers = spec.n_workers or 1
        if not traits.needs_host_check:
            workers = max(spec.n_workers or traits.default_workers or 1, machine.cores)
        return traits.this_machine and machine.memory_bytes // workers <= most

    def check_patch(self, patch: ClusterPatch) -> None:
        """Raise `InvalidRequest`, naming the site's limit, for a change that the site does not allow."""
        maximum = patch.adapt.maximum if patch.adapt is not None else None
        for field, asked in (("n_workers", patch.n_workers), ("adapt.maximum", maximum)):
            if self.n_workers is not None and asked is not None and asked > self.n_workers:
                raise refused_field(field, self._at_most("n_workers", amount("n_workers", self.n_workers), asked))
        seconds, limit = patch.idle_timeout_seconds, self.idle_timeout_seconds
        if limit is not None and seconds is not None and not 0 < seconds <= limit:
            most = amount("idle_timeout_seconds", limit)
            raise refused_field("idle_timeout_seconds", self._at_most("idle_timeout_seconds", most, seconds or None))

    def narrow_schema(self, schema: dict[str, Any]) -> None:
        """Insert the narrowed bounds into the JSON Schema of a kind, in place."""
        properties = schema["properties"]
        for field in COUNTS:
            if (limit := getattr(self, field)) is not None and field in properties:
                self._narrow_property(properties[field], field, limit)
        if self.memory_limit is not None and "memory_limit" in properties:
            memory = properties["memory_limit"]
            memory["anyOf"] = [branch for branch in memory["anyOf"] if branch.get("type") != "null"]
            if (memory := properties.get("scheduler_memory")) is not None:
                memory["default"] = min(memory.get("default", self.memory_limit), self.memory_limit)
            for field in {*MEMORY, "scheduler_memory"}.intersection(properties):
                self._describe(properties[field], "memory_limit", format_size(self.memory_limit))
        if self.threads_per_worker is not None and "scheduler_cores" in properties:
            self._narrow_property(properties["scheduler_cores"], "scheduler_cores", self.threads_per_worker)
        for field in WALLTIMES:
            if self.walltime is not None and field in properties:
                self._describe(properties[field], "walltime", slurm_clock(self.walltime))

    def _narrow_property(self, schema: dict[str, Any], field: str, limit: int) -> None:
        if field != "n_workers" and "anyOf" in schema:
            schema["anyOf"] = [branch for branch in schema["anyOf"] if branch.get("type") != "null"]
        for branch in schema.get("anyOf", [schema]):
            if branch.get("type") == "integer":
                branch["maximum"] = min(limit, branch.get("maximum", limit))
        if isinstance(schema.get("default"), int):
            schema["default"] = min(limit, schema["default"])
        bound = "threads_per_worker" if field in CORES else field
        self._describe(schema, bound, amount(field, limit))

    def _describe(self, schema: dict[str, Any], bound: str, limit: str) -> None:
        for text in {"description", "help"}.intersection(schema):
            schema[text] += f" At most {limit} {self._where(bound)}."

    def _where(self, bound: str) -> str:
        return "on this server" if bound in self.of_server else "at this site"

    def _at_most(self, bound: str, limit: int | str, value: Any) -> str:
        return f"must be at most {limit} {self._where(bound)}, not {'unlimited' if value is None else value}"

    def _no_kind(self, name: Any) -> str:
        return f"must be one of {', '.join(map(repr, self.backends or ()))} {self._where('backends')}, not {name!r}"


def changed(spec: SpecBase, changes: dict[str, Any]) -> SpecBase:
    if not changes:
        return spec
    return parse_spec({**spec.model_dump(exclude_unset=True), "backend": spec.backend, **changes})


def _exceeds(value: int | None, limit: int) -> bool:
    """Whether a number, or none at all, is more than the limit."""
    return value is None or value > limit


_NOUNS = {
    "n_workers": "worker", "threads_per_worker": "thread", "scheduler_cores": "core", "idle_timeout_seconds": "second",
}  # fmt: skip


def amount(field: str, limit: int) -> str:
    if field != "idle_timeout_seconds" or limit < 60:
        return counted(limit, _NOUNS[field])
    for unit, seconds in (("h", 3600), ("min", 60)):
        if limit % seconds == 0:
            return f"{limit} seconds ({limit // seconds} {unit})"
    return f"{limit} seconds ({spoken(limit)})"


CORES = ("cores", "scheduler_cores")


def has_scheduler_job(fields: Mapping[str, Any]) -> bool:
    """Whether the scheduler has a separate job or pod, which is also the default of kinds without that choice."""
    return bool(fields.get("scheduler", "job") == "job")


def most_cores(field: str, threads: int, before: Mapping[str, Any]) -> tuple[int, str]:
    """Return how many cores a job, or the scheduler's, may have on a node, and why, as the end of a message."""
    if field != "cores":
        return threads, ""
    nodes = before.get("nodes_per_job") or 1
    workers = before.get("gpus_per_node") or max(1, (before.get("workers_per_job") or nodes) // nodes)
    whose = "a worker" if workers == 1 else f"each of the {workers} workers on a node"
    return threads * workers, f": {whose} may have {amount('threads_per_worker', threads)}"


def narrow_scheduler(spec: SpecBase, memory: int | None, threads: int | None, walltime: int | None) -> dict[str, Any]:
    """Return the changes to a scheduler's job that exceeds these limits."""
    given = {name: getattr(spec, name) for name in type(spec).model_fields if name.startswith("scheduler")}
    if not has_scheduler_job(given):
        return {}
    bounds = {"scheduler_memory": memory, "scheduler_cores": threads}
    changes: dict[str, Any] = {
        field: most
        for field, most in bounds.items()
        if most is not None and isinstance(given.get(field), int) and given[field] > most
    }
    if walltime is not None and "scheduler_walltime" in given:
        wanted = given["scheduler_walltime"] or DEFAULT_SCHEDULER_WALLTIME
        if walltime_seconds(wanted) > walltime:
            changes["scheduler_walltime"] = slurm_clock(walltime)
    return changes


# -- the section of a file ------------------------------------------------------------------------

_Section = TypeVar("_Section", bound=BaseModel)
_WRITE = {
    "memory_limit": "a size such as '4 GiB'",
    "memory": "a size such as '64 GiB'",
    "scratch": "a size such as '100 GiB'",
    "walltime": "a time such as 24:00:00",
    "kinds": "a list such as [auto, local]",
    "per_user": "limits below it",
    "hours": "a list such as [Mon-Fri 08:00-20:00]",
    "message": "a text",
    "instructors": "a list of names",
    "reserved_gpus": "a list such as [0, 1]",
    "links": "true or false",
    "public_links": "true or false",
}


class NothingEmpty(BaseModel, extra="forbid"):
    """A section of limits, in which a key without a value is an error."""

    @field_validator("*", mode="before")
    @classmethod
    def _given(cls, value: Any, info: Any) -> Any:
        if value is None:
            what = _WRITE.get(info.field_name, "a number")
            raise ValueError(f"is empty: write {what}, or remove the line")
        return value


def read_partly(model: type[_Section], given: Mapping[str, Any]) -> tuple[_Section | None, list[FieldError]]:
    """Return a section without its invalid entries, and their errors; ``None``: nothing of it can be read."""
    try:
        return model.model_validate(given), []
    except ValidationError as error:
        faults = invalid_request(error).fields
    try:
        return model.model_validate(_without(given, [fault.field for fault in faults])), faults
    except ValidationError:
        return None, faults


def _without(given: Mapping[str, Any], paths: Collection[str]) -> dict[str, Any]:
    kept = {}
    for name, value in given.items():
        # A key may contain dots itself.
        below = [path.removeprefix(f"{name}").removeprefix(".") for path in paths if f"{path}.".startswith(f"{name}.")]
        if isinstance(value, Mapping) and below and all(below):
            kept[name] = _without(value, below)
        elif not below:
            kept[name] = value
    return kept


# Used instead of a limit that cannot be read.
LEAST = SiteLimits(n_workers=1, threads_per_worker=1, idle_timeout_seconds=600, memory_limit=2**30, walltime=600)
MOST = 10**9  # Larger than any real value; above it is a typing error.
Count = Annotated[int, Field(strict=True, ge=1, le=MOST)]


def _size(value: Any) -> int:
    size = parse_size(value)
    if isinstance(size, float):
        raise ValueError("must be a size such as '4 GiB', not a percentage: machines differ")
    return size


def _seconds(value: Any) -> int:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if require_text(value).lower() in {"unlimited", "infinite"}:
        raise ValueError("must be a time such as 24:00:00; for no limit, omit the line")
    if not (seconds := walltime_seconds(value)):
        raise ValueError("must be greater than 0; for no limit, omit the line")
    return seconds


def require_text(value: Any) -> str:
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    return value


def _some_kinds(value: list[str]) -> list[str]:
    if not value:
        raise ValueError("must name at least one kind, such as 'local'; omit it to allow all")
    return value


Bytes = Annotated[int, BeforeValidator(_size)]
Seconds = Annotated[int, BeforeValidator(_seconds)]
"""A time in Slurm's notation; a whole number means minutes."""


class Limits(NothingEmpty):
    """The limits of one kind, or of all, as in ``SiteLimits``."""

    n_workers: Count | None = None
    threads_per_worker: Count | None = None
    memory_limit: Bytes | None = None
    idle_timeout_seconds: Count | None = None
    walltime: Seconds | None = None
    kinds: Annotated[list[str], AfterValidator(_some_kinds)] | None = None

    def narrowed(self) -> SiteLimits:
        kinds = tuple(self.kinds) if self.kinds is not None else None
        return SiteLimits(**self.model_dump(exclude={"kinds"}), backends=kinds)


LEAST_HOLDS = (
    "Until it is fixed, clusters of {} have at most 1 worker with 1 thread and 1 GiB, 10 minutes idle and jobs of 10 "
    "minutes."
)

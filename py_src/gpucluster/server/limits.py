"""What a site allows: bounds narrower than the protocol's own, by configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ..devices.machine import this_machine
from ..protocol.capacity import default_workers
from ..protocol.errors import refused_field
from ..protocol.kinds import spec_schemas, traits_of, usable_kinds
from ..protocol.models import DeviceModel, HostDevices
from ..protocol.sizes import format_size, parse_size
from ..protocol.spec import MAX_WORKERS, ClusterPatch, SpecBase, parse_spec

COUNTS = ("n_workers", "threads_per_worker", "idle_timeout_seconds")


@dataclass(frozen=True)
class SiteLimits:
    """The narrowed bounds; ``None`` leaves the protocol's own."""

    n_workers: int | None = None
    threads_per_worker: int | None = None
    idle_timeout_seconds: int | None = None
    backends: tuple[str, ...] | None = None
    """Kinds of clusters; ``None``: all."""
    memory_limit: int | None = None
    """Bytes of host memory of one worker."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Read the ``limits`` setting.

        Raises
        ------
        ValueError
            With a sentence for the administrator.
        """
        for key, value in config.items():
            if key == "backends":
                if (
                    not isinstance(value, (list, tuple))
                    or not value
                    or any(name not in [*usable_kinds()] for name in value)
                ):
                    raise ValueError(f"limits['backends'] must be a list out of {', '.join(usable_kinds())}")
            elif key == "memory_limit":
                _bytes(value)
            elif key not in COUNTS:
                raise ValueError(f"limits has no {key!r}; there are {', '.join(COUNTS)}, memory_limit and backends")
            elif type(value) is not int or value < 1:
                raise ValueError(f"limits[{key!r}] must be a whole number of at least 1, not {value!r}")
        numbers = {key: config[key] for key in COUNTS if key in config}
        memory = _bytes(config["memory_limit"]) if "memory_limit" in config else None
        return cls(**numbers, backends=tuple(config["backends"]) if "backends" in config else None, memory_limit=memory)

    def narrow_spec(self, spec: SpecBase) -> SpecBase:
        """Return ``spec`` with its defaults narrowed to what the site allows.

        Raises
        ------
        InvalidRequest
            When something that was asked for is not allowed; names the site's limit.
        """
        if self.backends is not None and spec.backend not in self.backends:
            raise refused_field(
                "backend",
                f"must be one of {', '.join(map(repr, self.backends))} on this server, not {spec.backend!r}",
            )
        changes: dict[str, Any] = {}
        for field in COUNTS:
            limit, value = getattr(self, field), getattr(spec, field)
            if limit is None or (field == "n_workers" and value is None):
                continue
            if value is None or value > limit:
                if field in spec.model_fields_set:
                    raise refused_field(field, _at_most(limit, value))
                changes[field] = limit
        changes |= self._memory(spec)
        # Where GPUs can be chosen, each gets a worker.
        chosen = getattr(spec, "devices", None) if spec.n_workers is None else None
        if self.n_workers is not None and chosen is not None and len(chosen) > self.n_workers:
            raise refused_field("devices", f"must name at most {self.n_workers} GPUs on this server")
        # A kind that chooses another one may choose only what is allowed by itself.
        if len(allowed := set(traits_of(spec).chooses) & set(self.backends or ())) == 1:
            changes["backend"] = allowed.pop()
        return _changed(spec, changes)

    def _memory(self, spec: SpecBase) -> dict[str, Any]:
        """Return the narrowed memory limit of a worker, if it has to be narrowed."""
        most, value = self.memory_limit, spec.memory_limit
        if most is None:
            return {}
        traits, machine = traits_of(spec), this_machine()
        if value == "auto":
            # An equal share, of CPU workers as if there were one for each core.
            workers = spec.n_workers or 1
            if not traits.needs_host_check:
                workers = max(spec.n_workers or traits.default_workers or 1, machine.cores)
            fits = traits.this_machine and machine.memory_bytes // workers <= most
            return {} if fits else {"memory_limit": most}
        if isinstance(value, float) and not traits.this_machine and "memory_limit" in spec.model_fields_set:
            raise refused_field("memory_limit", f"must be a size of at most {format_size(most)} on this server")
        wanted = int(value * machine.memory_bytes) if isinstance(value, float) else value
        if isinstance(wanted, int) and wanted <= most:
            return {}
        if "memory_limit" in spec.model_fields_set:
            given = "unlimited" if wanted is None else format_size(int(wanted))
            raise refused_field("memory_limit", f"must be at most {format_size(most)} on this server, not {given}")
        return {"memory_limit": most}

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of clusters that can be made through this server."""
        return tuple(usable_kinds()) if self.backends is None else self.backends

    def needs_devices(self, spec: SpecBase) -> bool:
        """Return whether ``fill_workers`` has to know the GPUs of this machine."""
        return self.n_workers is not None and spec.n_workers is None

    def fill_workers(self, spec: SpecBase, devices: HostDevices) -> SpecBase:
        """Bound the number of workers of a spec that leaves it open."""
        if self.n_workers is None or spec.n_workers is not None:
            return spec
        traits = traits_of(spec)
        would_be = traits.default_workers or MAX_WORKERS
        if traits.needs_host_check and devices.available:
            would_be = sum(_usable(device) for device in devices.devices)
        elif traits.this_machine:
            would_be = default_workers(this_machine(), would_be)
        return _changed(spec, {"n_workers": self.n_workers}) if would_be > self.n_workers else spec

    def check_patch(self, patch: ClusterPatch) -> None:
        """Refuse a change that the site does not allow.

        Raises
        ------
        InvalidRequest
            Names the site's limit.
        """
        if self.n_workers is not None:
            if patch.n_workers is not None and patch.n_workers > self.n_workers:
                raise refused_field("n_workers", _at_most(self.n_workers, patch.n_workers))
            if patch.adapt is not None and patch.adapt.maximum > self.n_workers:
                raise refused_field("adapt.maximum", _at_most(self.n_workers, patch.adapt.maximum))
        seconds, limit = patch.idle_timeout_seconds, self.idle_timeout_seconds
        if limit is not None and seconds is not None and not 0 < seconds <= limit:
            raise refused_field("idle_timeout_seconds", _at_most(limit, seconds or None))

    def schemas(self) -> dict[str, dict[str, Any]]:
        """Return the JSON Schema of each allowed backend, with the narrowed bounds in it."""
        found = {
            name: schema for name, schema in spec_schemas().items() if self.backends is None or name in self.backends
        }
        for schema in found.values():
            for field in COUNTS:
                if (limit := getattr(self, field)) is not None:
                    _narrow_property(schema["properties"][field], limit, keeps_null=field == "n_workers")
            if self.memory_limit is not None:
                memory = schema["properties"]["memory_limit"]
                memory["anyOf"] = [branch for branch in memory["anyOf"] if branch.get("type") != "null"]
                memory["description"] += f" At most {format_size(self.memory_limit)} on this server."
        return found


def _narrow_property(schema: dict[str, Any], limit: int, *, keeps_null: bool) -> None:
    if not keeps_null and "anyOf" in schema:
        schema["anyOf"] = [branch for branch in schema["anyOf"] if branch.get("type") != "null"]
    for branch in schema.get("anyOf", [schema]):
        if branch.get("type") == "integer":
            branch["maximum"] = min(limit, branch.get("maximum", limit))
    if isinstance(schema.get("default"), int):
        schema["default"] = min(limit, schema["default"])
    schema["description"] = f"{schema['description']} At most {limit} on this server."


def _bytes(value: Any) -> int:
    try:
        size = parse_size(value)
    except ValueError as error:
        raise ValueError(f"limits['memory_limit'] {error}") from None
    if isinstance(size, float):
        raise ValueError(f"limits['memory_limit'] must be a size such as '4 GiB', not the share {value!r}")
    return size


def _usable(device: DeviceModel) -> bool:
    return device.visible and device.error is None and not device.mig_enabled


def _changed(spec: SpecBase, changes: dict[str, Any]) -> SpecBase:
    if not changes:
        return spec
    return parse_spec({**spec.model_dump(exclude_unset=True), "backend": spec.backend, **changes})


def _at_most(limit: int, value: int | None) -> str:
    return f"must be at most {limit} on this server, not {'unlimited' if value is None else value}"

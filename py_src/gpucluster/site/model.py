"""One site, as described in its file, and errors in partial specifications."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from ..protocol.errors import FieldError, InvalidRequest, invalid_request
from ..protocol.kinds import ClusterKind, find_kind, parse_spec, spec_schemas, usable_kinds
from ..protocol.models import ClusterModel, Preset
from ..protocol.plain_text import printable
from ..protocol.spec import ClusterPatch, SpecBase
from ..protocol.traits import Traits
from . import DEFAULT_PATH
from .limits import LEAST_HOLDS, SiteLimits
from .presets import PRESETS
from .sharing import Sharing


def known_kind(name: Any) -> type[ClusterKind] | None:
    found = find_kind(name) if isinstance(name, str) else None
    return found.kind if found is not None else None


def preset_faults(preset: Preset) -> list[FieldError]:
    """Return the errors in the fields of a preset; missing fields are allowed."""
    name = preset.spec.get("backend", "auto")
    kind = known_kind(name)
    if kind is None:
        near = near_to(str(name), usable_kinds())
        return [FieldError(field="backend", message=f"unknown kind of cluster '{printable(str(name), 40)}'{near}")]
    return field_faults(kind.spec, {"backend": name, **preset.spec})


def field_faults(spec: type[BaseModel], given: Mapping[str, Any]) -> list[FieldError]:
    try:
        TypeAdapter(spec).validate_python(dict(given))
    except ValidationError as error:
        return [fault for fault in invalid_request(error).fields if fault.field.split(".")[0] in given]
    return []


def unknown_key(fault: FieldError, known: Collection[str]) -> str:
    """Return the message for a key of a section; for an unknown one, with the known ones."""
    if fault.message.startswith("is not an option of this request"):
        return f"is not known here{near_to(fault.field.rpartition('.')[2], known)}; available: {', '.join(known)}"
    return fault.message


def near_to(typed: Any, known: Collection[str]) -> str:
    """Return `` (did you mean 'x'?)`` if a known name is similar, else nothing."""
    near = difflib.get_close_matches(str(typed).lower(), known, n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


Rate = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Costs(BaseModel, frozen=True, extra="forbid"):
    """Rates of one kind of cluster; what is charged is their sum."""

    unit: str = Field(min_length=1, max_length=30, description="Unit that is charged, such as 'node-hours'.")
    per_gpu_hour: Rate = Field(0.0, description="For each worker that has a GPU.")
    per_cpu_hour: Rate = Field(0.0, description="For each core of each worker.")
    per_node_hour: Rate = Field(0.0, description="For each machine that has workers of the cluster.")

    @model_validator(mode="after")
    def _some(self) -> Self:
        if not (self.per_gpu_hour or self.per_cpu_hour or self.per_node_hour):
            raise ValueError("set per_gpu_hour, per_cpu_hour or per_node_hour")
        return self

    def per_hour(self, *, gpus: int, cores: int, nodes: int) -> float:
        return self.per_gpu_hour * gpus + self.per_cpu_hour * cores + self.per_node_hour * nodes


EVERY = "all"  # In the file: every kind.
SHARING = "sharing"  # In ``Site.least``: the limits per user; no kind has that name.


@dataclass(frozen=True)
class Site:
    """The content of the file without its errors."""

    path: Path = DEFAULT_PATH
    found: bool = False
    title: str = ""
    login_node: str | None = None  # For logins from users' laptops.
    added: tuple[Preset, ...] = ()  # The site's own presets, and those of the package that it names.
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # Fields of specs by kind.
    limits: Mapping[str, SiteLimits] = field(default_factory=dict)
    of_server: SiteLimits = field(default_factory=SiteLimits)  # Narrower ones, from a Jupyter server's settings.
    least: frozenset[str] = frozenset()  # Kinds with a limit that cannot be read, for which the least holds as well.
    costs: Mapping[str, Costs] = field(default_factory=dict)
    sharing: Sharing = field(default_factory=Sharing)
    refused: Mapping[str, frozenset[str]] = field(default_factory=dict)  # Defaults that the limits refuse, by kind.
    troubles: tuple[str, ...] = ()  # Errors in the file, as messages.
    notes: tuple[str, ...] = ()  # Possible errors, as messages.

    @property
    def presets(self) -> tuple[Preset, ...]:
        """Those of every installation, and the site's; one with the same name replaces the other."""
        return tuple({preset.name: preset for preset in (*PRESETS, *self.added)}.values())

    @property
    def narrows(self) -> bool:
        of_user = self.sharing.per_user.idle_timeout_seconds
        return bool(self.limits) or of_user is not None or self.of_server != SiteLimits()

    def limits_of(self, kind: str) -> SiteLimits:
        """Return the limits of a kind; for one that chooses another, with those of its choices."""
        traits = known.traits if (known := known_kind(kind)) is not None else None
        limits = SiteLimits()
        for name in (EVERY, kind, *(traits.chooses if traits is not None else ())):
            limits = limits.narrower(self.limits[name]) if name in self.limits else limits
        idle = self.sharing.per_user.idle_timeout_seconds
        if idle is not None and traits is not None and traits.this_machine:
            limits = limits.narrower(SiteLimits(idle_timeout_seconds=idle))
        return limits.narrower(self.of_server)

    def defaults_of(self, spec: type[SpecBase], kind: str) -> dict[str, Any]:
        given = {**self.defaults.get(EVERY, {}), **self.defaults.get(kind, {})}
        refused = self.refused.get(kind, frozenset())
        return {name: value for name, value in given.items() if name in spec.model_fields and name not in refused}

    def costs_of(self, kind: str) -> Costs | None:
        """Return the rates of a kind; ``None``: the site has none."""
        return self.costs.get(kind, self.costs.get(EVERY))

    def fault(self, traits: Traits, name: str, value: Any, before: Mapping[str, Any]) -> str | None:
        """Return why the site refuses a field of a request, as a ``SpecRule``."""
        kind = value if name == "backend" else before.get("backend")
        return self.limits_of(kind).fault(traits, name, value, before) if isinstance(kind, str) else None

    def check_patch(self, model: ClusterModel, patch: ClusterPatch) -> None:
        """Raise `InvalidRequest` for a change of a cluster that the site does not allow."""
        self.limits_of(model.backend).check_patch(patch)

    def schemas(self) -> dict[str, dict[str, Any]]:
        """Return the JSON Schema of each allowed kind, with the site's defaults and bounds."""
        schemas = spec_schemas()
        allowed = self.limits_of(EVERY).backends
        for kind in [name for name in schemas if allowed is not None and name not in allowed]:
            del schemas[kind]
        for kind, schema in schemas.items():
            known = known_kind(kind)
            for name, value in self.defaults_of(known.spec, kind).items() if known is not None else ():
                if name in schema["properties"]:
                    schema["properties"][name]["default"] = value
            self.limits_of(kind).narrow_schema(schema)
        return schemas

    def complete(self, given: Mapping[str, Any], spec: type[SpecBase]) -> dict[str, Any]:
        """Return a request with the site's defaults, except those that conflict with it or exceed the site's limits."""
        kind = str(given["backend"])
        defaults = {name: value for name, value in self.defaults_of(spec, kind).items() if name not in given}
        if not defaults or self._fits(request := {**given, **defaults}) or not self._fits(given):
            return {**given, **defaults}
        request = dict(given)
        for name, value in defaults.items():
            if self._fits({**request, name: value}):
                request[name] = value
        return request

    def _fits(self, request: Mapping[str, Any]) -> bool:
        try:
            parse_spec(dict(request), self.fault)
        except InvalidRequest:
            return False
        return True


def can_change(site: Site) -> bool:
    """Whether the user of this process may write to the file."""
    return os.access(site.path, os.W_OK)


def notice_of(site: Site) -> str | None:
    """Return what holds until the file is fixed; ``None``: nothing that users would notice."""
    kinds = sorted(site.least - {SHARING})
    if not kinds or not site.troubles:
        return None
    which = "every kind" if EVERY in kinds else f"the kind{'s' * (len(kinds) > 1)} {', '.join(kinds)}"
    return f"A limit of this site cannot be read. {LEAST_HOLDS.format(which)}"

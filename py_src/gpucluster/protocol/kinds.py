"""The kinds of clusters: those of gpucluster, and those of installed packages.

A package offers a kind by an entry point of the group ``gpucluster.backends``. Its name is the ``backend`` of the spec,
its object a class derived from ``ClusterKind``. Importing it must not import Dask or the library that the kind needs:
the Jupyter server, the command line and the magics read the spec and the traits of each kind.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, ClassVar, get_args

from pydantic import Field, TypeAdapter, ValidationError

from .entry_points import cause_of, package_of
from .errors import FieldError, InvalidRequest, invalid_request, refused_field
from .plain_text import printable
from .spec_base import OUTSIDE_RULE, FieldRule, SpecBase, UnknownSpec
from .telemetry import WireModel
from .traits import Needs, Traits
from .version import PROTOCOL_VERSION

GROUP = "gpucluster.backends"  # The group of entry points.

_PACKAGE = "gpucluster"
_OURS = {
    "auto": "gpucluster.backends.auto:AutoBackend",
    "cuda": "gpucluster.backends.cuda.backend:CudaBackend",
    "local": "gpucluster.backends.local:LocalBackend",
    "slurm": "gpucluster.backends.slurm.backend:SlurmBackend",
    "ssh": "gpucluster.backends.ssh.backend:SSHBackend",
    "mpi": "gpucluster.backends.mpi.backend:MPIBackend",
    "kubernetes": "gpucluster.backends.kubernetes.backend:KubernetesBackend",
    "gateway": "gpucluster.backends.gateway.backend:GatewayBackend",
    "existing": "gpucluster.backends.existing.backend:ExistingBackend",
}
"""The kinds of gpucluster are available wherever this module is, without a search of installed packages."""
SpecRule = Callable[[Traits, str, Any, Mapping[str, Any]], str | None]  # A ``FieldRule`` that also gets the traits.

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")


class ClusterKind:
    """What is known about a kind of cluster before there is one."""

    name: ClassVar[str]  # The ``backend`` of its specs, and the name of its entry point.
    title: ClassVar[str]  # What stands before the word workers: ``CPU``, ``Slurm``.
    spec: ClassVar[type[SpecBase]]
    """Model of its options; ``backend`` is ``Literal[name]``, with that default and a description of the kind."""
    traits: ClassVar[Traits]
    where: ClassVar[str] = ""
    """Where its workers run, for the form: 'This machine', 'Slurm'. Several kinds may share it. Empty: this machine, or
    the title."""
    needs: ClassVar[Needs] = Needs()  # Requirements for creating one.
    offers: ClassVar[bool] = False  # Whether a preview has the site's options, which the form then shows.

    @classmethod
    def faults(cls, spec: Any) -> list[FieldError]:
        """Return what is wrong with a valid spec outside of it: files that are missing, hosts that are not found.

        The form asks before a process starts, so it may take a few seconds and imports nothing heavy.
        """
        return []


@dataclass(frozen=True)
class InstalledKind:
    """A kind that this Python environment has, or should have."""

    name: str
    package: str  # Name and version.
    kind: type[ClusterKind] | None = None
    problem: str | None = None  # Why it cannot be used.


class KindModel(WireModel):
    """A kind of cluster, for a form."""

    name: str = Field(description="The ``backend`` of a spec.")
    title: str = Field(description="Label before the word 'workers': CPU, Slurm.")
    description: str = Field("", description="What it is.")
    package: str = Field(description="Which package offers it, with its version.")
    where: str = Field(description="Label of where its workers run, to choose by; kinds may share it.")
    traits: Traits | None = None
    problem: str | None = Field(None, description="Why it cannot be used here, and what to do; null if it can.")
    lacks: str | None = Field(None, description="The same in a few words, for a list to choose from.")


class Schemas(WireModel):
    """The data of the creation form."""

    backends: dict[str, dict[str, Any]] = Field(description="JSON Schema of the options, by kind.")
    kinds: list[KindModel] = Field(description="The installed kinds, including unusable ones.")
    protocol_version: int = PROTOCOL_VERSION


# -- finding ---------------------------------------------------------------------------------------


@cache
def installed_kinds() -> tuple[InstalledKind, ...]:
    """Return all kinds, those of gpucluster first. What is installed later is found after ``look_again``."""
    found = [_loaded(name, _point(name), _PACKAGE) for name in _OURS]
    seen = {kind.name: kind.package for kind in found}
    for point, package in _offered():
        if point.name in seen:
            taken = f"The name '{point.name}' is taken by {seen[point.name]}."
            found.append(InstalledKind(point.name, package, problem=taken))
            continue
        seen[point.name] = package
        found.append(_loaded(point.name, point, package))
    return tuple(found)


@cache
def find_kind(name: str) -> InstalledKind | None:
    """Return the kind of that name; ``None`` when no installed package offers it. Loads no other kind."""
    if name in _OURS:
        return _loaded(name, _point(name), _PACKAGE)
    return next((_loaded(name, point, package) for point, package in _offered() if point.name == name), None)


def look_again() -> None:
    """Forget what was found: packages may have come or gone."""
    importlib.invalidate_caches()
    for found in (installed_kinds, find_kind, _offered, _loaded):
        found.cache_clear()


def usable_kinds() -> dict[str, type[ClusterKind]]:
    """Return the usable kinds by name, those of gpucluster first."""
    return {found.name: found.kind for found in installed_kinds() if found.kind is not None}


def traits_of(spec: SpecBase) -> Traits:
    """Return the traits of a spec's kind. Raises `InvalidRequest` when it is not installed here."""
    return _asked_kind(spec.backend).traits


def kind_title(name: str) -> str:
    """Return the title of a kind, or its name if the kind is not installed here."""
    found = find_kind(name)
    return found.kind.title if found is not None and found.kind is not None else name


def why_unusable(name: str) -> str:
    """Return why there is no usable kind of that name, with advice."""
    shown = printable(name, 40)
    found = find_kind(name)
    if found is not None and found.problem is not None:
        return _said_of(found)
    return (
        f"The kind of cluster '{shown}' is not installed in this Python environment; available: {_listed()}. Packages "
        "provide more: install one here."
    )


def _said_of(found: InstalledKind) -> str:
    return f"The kind '{printable(found.name, 40)}' of the package {found.package} cannot be used. {found.problem}"


def absence(name: str, *, packages: bool = True) -> str | None:
    """Return why a kind cannot be used here, with advice; ``None``: it can.

    `packages`: whether to check the packages that it needs; not if the cluster has another Python environment.
    """
    found = find_kind(name)
    if found is None or found.kind is None:
        return why_unusable(name)
    return found.kind.needs.missing(packages=packages)


def place_of(kind: type[ClusterKind]) -> str:
    """Return where workers of a kind run, for the form."""
    return kind.where or ("This machine" if kind.traits.this_machine else kind.title)


def kind_models(*, packages: bool = True) -> list[KindModel]:
    """Return all kinds as data, unusable ones with the reason; ``packages`` as in ``absence``."""
    return [
        KindModel(
            name=found.name,
            where=place_of(found.kind) if found.kind is not None else found.name,
            title=found.kind.title if found.kind is not None else found.name,
            description=(found.kind.spec.model_fields["backend"].description or "") if found.kind is not None else "",
            package=found.package,
            traits=found.kind.traits if found.kind is not None else None,
            problem=absence(found.name, packages=packages) if found.kind is not None else _said_of(found),
            lacks=found.kind.needs.lack(packages=packages) if found.kind is not None else "cannot be loaded",
        )
        for found in installed_kinds()
    ]


def spec_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of each usable kind's spec by name, those of gpucluster first."""
    return {name: kind.spec.model_json_schema() for name, kind in usable_kinds().items()}


def spec_union() -> TypeAdapter[Any]:
    """Return the union of the usable kinds' specs, discriminated by ``backend``; for documents."""
    union: Any = None
    for kind in usable_kinds().values():
        union = kind.spec if union is None else union | kind.spec
    return TypeAdapter(Annotated[union, Field(discriminator="backend")])


# -- specs -----------------------------------------------------------------------------------------


def parse_spec(value: Any, *rules: SpecRule) -> SpecBase:
    """Validate a request for a cluster.

    `value`: dict, bytes, str or spec; a mapping, or JSON text. ``backend`` defaults to ``"auto"``. `*rules`: further
    checks of the given fields, such as against a machine; the first fault of a field is reported. Raises
    `InvalidRequest` with a message per field.
    """
    if isinstance(value, SpecBase) and not isinstance(value, UnknownSpec):
        _require_rules(value, rules)
        return value
    spec: type[SpecBase] = SpecBase
    rule: FieldRule | None = None
    try:
        if isinstance(value, UnknownSpec):
            value = value.model_dump(exclude_unset=True)
        if isinstance(value, (bytes, str)):
            value = TypeAdapter(dict[str, Any]).validate_json(value)
        if not isinstance(value, dict):
            return SpecBase.model_validate(value)  # Raises: it must be an object.
        if "backend" not in value:
            value = {**value, "backend": "auto"}
        name = value["backend"]
        if not isinstance(name, str):
            raise refused_field("backend", f"must be one of {_listed()}")
        kind = _asked_kind(name)
        spec, rule = kind.spec, _joined(kind.traits, rules)
        return spec.model_validate(value, context=rule)
    except ValidationError as error:
        # Fields of other kinds are not spelling mistakes.
        elsewhere = {field for kind in usable_kinds().values() for field in kind.spec.model_fields}
        known = set(spec.model_fields)
        foreign = isinstance(value, dict) and (elsewhere - known).intersection(value)
        raise invalid_request(error, *_between_fields(spec, value, error), known=() if foreign else known) from None


def _joined(traits: Traits, rules: Sequence[SpecRule]) -> FieldRule:
    def first_fault(field: str, value: Any, before: Mapping[str, Any]) -> str | None:
        return next(filter(None, (rule(traits, field, value, before) for rule in rules)), None)

    return first_fault


def _require_rules(spec: SpecBase, rules: Sequence[SpecRule]) -> None:
    """Refuse a valid spec that breaks a rule."""
    rule = _joined(traits_of(spec), rules) if rules else None
    fields = {*spec.model_fields_set, "backend"}
    given = {field: getattr(spec, field) for field in type(spec).model_fields if field in fields}
    found = {field: rule(field, value, given) for field, value in given.items()} if rule is not None else {}
    faults = [FieldError(field=field, message=fault) for field, fault in found.items() if fault is not None]
    if faults:
        raise InvalidRequest("; ".join(f"{fault.field}: {fault.message}" for fault in faults) + ".", fields=faults)


def _between_fields(spec: type[SpecBase], value: Any, error: ValidationError) -> list[ValidationError]:
    """Return conflicts between fields, which pydantic only checks if each single field is valid."""
    if any(item["type"] != OUTSIDE_RULE for item in error.errors(include_url=False)):
        return []
    try:
        spec.model_validate(value)
    except ValidationError as more:
        return [more]
    return []


def read_spec(value: Any) -> Any:
    """Return the spec of an existing cluster, even if its kind, or that version of it, is not installed here."""
    if not isinstance(value, dict):
        return value
    name = value.get("backend")
    found = find_kind(name) if isinstance(name, str) and _NAME.fullmatch(name) else None
    if found is not None and found.kind is not None:
        with suppress(ValidationError):
            return found.kind.spec.model_validate(value)
    return UnknownSpec.model_validate(value)


def _asked_kind(name: str) -> type[ClusterKind]:
    found = find_kind(name) if _NAME.fullmatch(name) else None
    if found is None or found.kind is None:
        look_again()  # It may have been installed or repaired just now.
        found = find_kind(name) if _NAME.fullmatch(name) else None
    if found is None:
        raise refused_field(
            "backend",
            f"must be one of {_listed()}, not {printable(name, 40)!r}. Other kinds are provided by packages: install "
            "one in this Python environment",
        )
    if found.kind is None:
        raise refused_field("backend", why_unusable(name).removesuffix("."))
    return found.kind


def _listed() -> str:
    return ", ".join(f"'{name}'" for name in usable_kinds())


# -- loading ---------------------------------------------------------------------------------------


def _point(name: str) -> EntryPoint:
    return EntryPoint(name, _OURS[name], GROUP)


@cache
def _offered() -> tuple[tuple[EntryPoint, str], ...]:
    """Return the entry points of other packages, each with its package."""
    others = [point for point in entry_points(group=GROUP) if _OURS.get(point.name) != point.value]
    return tuple(sorted(((point, package_of(point)) for point in others), key=lambda item: (item[0].name, item[1])))


@cache
def _loaded(name: str, point: EntryPoint, package: str) -> InstalledKind:
    """Import a kind and check it; a fault only affects that kind."""
    try:
        kind = point.load()
        problem = _fault(name, kind)
    except (Exception, SystemExit) as error:
        problem = f"It cannot be imported ({cause_of(error)})."
    return InstalledKind(name, package, problem=problem) if problem else InstalledKind(name, package, kind)


def _fault(name: str, kind: Any) -> str | None:
    if not _NAME.fullmatch(name):
        return "Its name must consist of lowercase letters, digits, '-' and '_', and begin with a letter."
    if not isinstance(kind, type) or not issubclass(kind, ClusterKind):
        return "Its entry point is not a class derived from gpucluster.backends.backend.Backend."
    spec, title = getattr(kind, "spec", None), getattr(kind, "title", None)
    if getattr(kind, "name", None) != name:
        return f"Its class must have the name of its entry point, '{name}'."
    if not isinstance(title, str) or not title.strip() or not isinstance(getattr(kind, "traits", None), Traits):
        return "Its class lacks a title or traits."
    if not isinstance(spec, type) or not issubclass(spec, SpecBase):
        return "Its class lacks a spec derived from gpucluster.protocol.spec.SpecBase."
    tag = spec.model_fields["backend"]
    if tag.default != name or get_args(tag.annotation) != (name,):
        return f"The field 'backend' of its spec must be Literal['{name}'], with that default."
    spec.model_json_schema()  # For the form; errors are reported.
    return None

"""Reads the sections of a site's file, each entry separately: errors are reported with their line and left out.

Limits are the exception. An error must not let users have more than the site wants: the least limits hold until it is
fixed. A default that contradicts the site's own limits would have to be overridden by every request: it is reported and
ignored, and an open field becomes the limit. A preset is reported, and kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import yaml  # type: ignore[import-untyped]
from pydantic import BaseModel, ValidationError

from ..protocol.capacity import LEAST_MEMORY_BYTES
from ..protocol.errors import FieldError, invalid_request
from ..protocol.kinds import find_kind, usable_kinds
from ..protocol.models import Preset
from ..protocol.plain_text import printable
from ..protocol.sizes import format_size
from ..protocol.spec import SpecBase
from ..protocol.spec_base import OUTSIDE_RULE
from ..protocol.traits import Traits
from ..protocol.yaml_size import TooManyEntries, require_bounded
from ..sharing.node import GPUPolicy
from .limits import BOUNDS, LEAST, LEAST_HOLDS, Limits, SiteLimits, read_partly
from .model import EVERY, SHARING, Costs, Site, field_faults, near_to, preset_faults, unknown_key
from .presets import SITE_PRESETS
from .quota import Remaining, fault_of_request, gpus_asked
from .reading import UnreadableSite
from .sharing import ABOUT_LINKS, LEAST_PER_USER, UNTIL_FIXED, PerUser, Sharing, SharingSection
from .sharing import LEAST_HOLDS as LEAST_SHARE

Keys = Sequence[str | int]  # The keys and numbers that lead to an entry.


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    # YAML 1.1 reads 24:00:00 as a number, 2026-01-01 as a date and 'no' as false.
    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


_PLAIN = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": (r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": (r"[-+]?[0-9]+", list("-+0123456789")),
    "float": (r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][-+]?[0-9]+)?", list("-+0123456789.")),
}
for _name, (_pattern, _first) in _PLAIN.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"(?:{_pattern})\Z"), _first)


class Document:
    """One file: YAML with the line of each entry, read as intended: ``24:00:00`` is text, and so is ``no``.

    Raises `UnreadableSite`: it is invalid, or has a duplicate key.
    """

    data: Any

    def __init__(self, text: str) -> None:
        try:
            loader = _Loader(text)
            try:
                self._root: Any = loader.get_single_node()
                require_bounded(self._root)
                _refuse_twice(self._root, set())
                self.data = None if self._root is None else loader.construct_document(self._root)
            finally:
                loader.dispose()
        except TooManyEntries as error:
            raise UnreadableSite(str(error)) from error
        except yaml.MarkedYAMLError as error:
            line = f"line {error.problem_mark.line + 1}: " if error.problem_mark is not None else ""
            raise UnreadableSite(f"{line}it is not YAML: {error.problem}") from error
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise UnreadableSite(f"it is not YAML: {str(error).splitlines()[0]}") from error

    def line(self, path: Keys) -> int:
        """Return the line of an entry, counted from 1, or of its nearest existing parent."""
        node, line = self._root, 1
        for part in path:
            found: tuple[Any, Any] | None = None
            if isinstance(node, yaml.MappingNode):
                found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                found = (node.value[part],) * 2
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        return int(line)


def _refuse_twice(node: Any, seen: set[int]) -> None:
    """Refuse duplicate keys: the second would silently count."""
    if id(node) in seen or node is None:
        return
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_twice(item, seen)
    elif isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in keys:
                raise UnreadableSite(f"line {key.start_mark.line + 1}: the key '{name[:60]}' occurs twice")
            keys.add(name)
            _refuse_twice(value, seen)


_SHARES = ("workers", "threads", "memory", "scratch", "gpus")


@dataclass(frozen=True)
class Contradiction:
    """One field of a default or preset of one kind, and the limit that refuses it."""

    kind: str
    name: str  # Of the field.
    limit: tuple[str, ...]  # The keys that lead to the limit.
    message: str
    in_file: bool  # Whether the limit is in the file, and not the least one, which is reported already.


def contradictions(site: Site) -> Iterator[Contradiction]:
    for kind, known in usable_kinds().items():
        kept: dict[str, Any] = {"backend": kind}
        for name, value in site.defaults_of(known.spec, kind).items():
            request = {**kept, name: value}
            found = _refused_by_limit(site, known.spec, known.traits, request, name)
            if found is None and known.traits.this_machine:
                found = _refused_by_share(site, known.spec, request, name)
            if found is None:
                kept = request
            else:
                yield found


def preset_contradictions(site: Site, preset: Preset) -> Iterator[Contradiction]:
    """Yield the fields of a preset that limits in the file refuse."""
    request: dict[str, Any] = {"backend": "auto", **preset.spec}
    known = usable_kinds().get(str(request["backend"]))
    if known is None:
        return
    allowed = SiteLimits(backends=site.limits_of(EVERY).backends)
    if (fault := allowed.fault(known.traits, "backend", request["backend"], {})) is not None:
        yield Contradiction(request["backend"], "backend", ("limits", EVERY, "kinds"), fault, in_file=True)
        return
    kept: dict[str, Any] = {"backend": request["backend"]}
    for name in [field for field in preset.spec if field != "backend"]:
        kept[name] = request[name]
        # A limit on one field may depend on a later one.
        found = _refused_by_limit(site, known.spec, known.traits, request, name)
        if found is None and known.traits.this_machine:
            found = _refused_by_share(site, known.spec, kept, name)
        if found is not None:
            del kept[name]
            if found.in_file:
                yield found


def _refused_by_limit(
    site: Site, spec: type[SpecBase], traits: Traits, request: Mapping[str, Any], name: str
) -> Contradiction | None:
    kind = request["backend"]
    limits = {("limits", each): site.limits[each] for each in (EVERY, kind, *traits.chooses) if each in site.limits}
    idle = site.sharing.per_user.idle_timeout_seconds
    if traits.this_machine and idle is not None:
        limits["sharing", "per_user"] = SiteLimits(idle_timeout_seconds=idle)
    for section, found in limits.items():
        for limit in BOUNDS:
            single = SiteLimits(**{limit: getattr(found, limit)})
            fault = _fault(spec, request, name, partial(single.fault, traits))
            if fault is not None:
                faulty = SHARING in site.least if section[0] == SHARING else section[1] in site.least
                stands_in = LEAST_PER_USER if section[0] == SHARING else LEAST
                in_file = not (faulty and getattr(found, limit) == getattr(stands_in, limit))
                return Contradiction(kind, name, (*section, limit), fault, in_file)
    return None


def _fault(
    spec: type[SpecBase],
    request: Mapping[str, Any],
    name: str,
    rule: Callable[[str, Any, Mapping[str, Any]], str | None],
) -> str | None:
    try:
        spec.model_validate(request, context=rule)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            if fault["type"] == OUTSIDE_RULE and fault["loc"] == (name,):
                return str(fault["msg"])
    return None


def _refused_by_share(site: Site, spec: type[SpecBase], request: Mapping[str, Any], name: str) -> Contradiction | None:
    most = site.sharing.per_user
    try:
        wanted = spec.model_validate(request)
    except ValidationError:
        return None  # A required field is missing, or an inapplicable one is left out.
    if wanted.memory_limit == "auto":
        wanted = wanted.model_copy(update={"memory_limit": LEAST_MEMORY_BYTES})
    for limit in _SHARES:
        if getattr(most, limit) is None:
            continue
        single = PerUser(**{limit: getattr(most, limit)})
        too_many_gpus = GPUPolicy(per_user=single.gpus).fault(gpus_asked(wanted)) is not None
        if too_many_gpus or fault_of_request(wanted, Remaining(most=single)) is not None:
            message = "is more than one user may have, even without other clusters"
            in_file = not (SHARING in site.least and getattr(most, limit) == getattr(LEAST_PER_USER, limit))
            return Contradiction(request["backend"], name, ("sharing", "per_user", limit), message, in_file)
    return None


_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}(?::[0-9]{1,5})?")


def site_of_nothing(path: Path, trouble: str) -> Site:
    return Site(
        path,
        found=True,
        limits={EVERY: LEAST},
        least=frozenset({EVERY}),
        sharing=Sharing().least(),
        troubles=(f"{trouble} {LEAST_HOLDS.format('every kind')}",),
    )


def read_sections(path: Path, text: str) -> Site:
    try:
        document = Document(text)
    except UnreadableSite as error:
        return site_of_nothing(path, f"The site's file {path} cannot be used: {error}.")
    if document.data is None:
        return Site(path, found=True)
    if not isinstance(document.data, dict):
        return site_of_nothing(path, f"The site's file {path} cannot be used: it must have keys, such as 'presets'.")
    return _Reader(path, document).site()


class _Reader:
    def __init__(self, path: Path, document: Document) -> None:
        self._path = path
        self._document = document
        self._data: dict[Any, Any] = document.data
        self.troubles: list[str] = []
        self.least: set[str] = set()
        self.notes: list[str] = []
        self._places: dict[str, int] = {}

    def site(self) -> Site:
        sections = {"title", "login_node", "presets", "defaults", "limits", "costs", "sharing"}
        lost = ""
        for key in self._data:
            if key not in sections:
                near = near_to(key, sections)
                self._report([key], f"is not a section{near}; available: {', '.join(sorted(sections))}")
                lost += near
        title = self._data.get("title") or ""
        if not isinstance(title, str) or len(title) > 100:
            self._report(["title"], "must be a short text")
            title = ""
        login_node = self._data.get("login_node")
        if login_node is not None and not (isinstance(login_node, str) and _HOST.fullmatch(login_node)):
            self._report(["login_node"], "must be the name of a host, such as login.site.org")
            login_node = None
        limits = self._by_kind("limits", self._limits, narrows=True)
        sharing = self._sharing()
        if "'limits'" in lost or "'sharing'" in lost:
            self._least(limits, EVERY)
        if "'sharing'" in lost:
            self.least.add(SHARING)
            sharing = sharing.least()
        site = Site(
            self._path,
            found=True,
            title=title,
            login_node=login_node,
            added=self._presets(),
            defaults=self._by_kind("defaults", self._defaults),
            limits=limits,
            least=frozenset(self.least),
            costs=self._by_kind("costs", lambda kind, value: self._validated(["costs", kind], Costs, value)),
            sharing=sharing,
        )
        refused = self._contradictions(site)
        self._contradicting_presets(site)
        self._note_little_memory(sharing)
        return replace(site, refused=refused, troubles=tuple(self.troubles), notes=tuple(self.notes))

    def _contradictions(self, site: Site) -> dict[str, frozenset[str]]:
        """Report the defaults that the site's limits refuse; return them by kind."""
        refused: dict[str, frozenset[str]] = {}
        reported = set()
        for found in contradictions(site):
            refused[found.kind] = refused.get(found.kind, frozenset()) | {found.name}
            section = found.kind if found.name in site.defaults.get(found.kind, {}) else EVERY
            place = ["defaults", section, found.name]
            key = (*place, *found.limit)
            if found.in_file and key not in reported:
                reported.add(key)
                self._report_contradiction([*place], found)
                self.troubles[-1] += " Until one of them is changed, this default is ignored."
        return refused

    def _contradicting_presets(self, site: Site) -> None:
        for preset in site.added:
            for found in preset_contradictions(site, preset):
                place: list[str | int] = ["presets", self._places[preset.name], "spec", found.name]
                self._report_contradiction(place, found)
                self.troubles[-1] += " Until one of them is changed, unchanged requests for this preset are refused."

    def _report_contradiction(self, place: list[str | int], found: Contradiction) -> None:
        limit = f"{'.'.join(found.limit)} (line {self._document.line(found.limit)})"
        self._report(place, f"contradicts {limit}: {found.message}")

    # -- errors --------------------------------------------------------------------------------

    def _report(self, path: list[str | int], message: str) -> None:
        self.troubles.append(self._sentence(path, message))

    def _note_absent(self, path: list[str | int], kind: str) -> None:
        # It may come with a package that is not in this environment.
        known = ", ".join(usable_kinds())
        message = f"no kind of cluster '{printable(kind, 40)}' is installed here; installed are {known}"
        self.notes.append(self._sentence(path, message))

    def _note_little_memory(self, sharing: Sharing) -> None:
        memory = sharing.per_user.memory
        if memory is not None and memory < LEAST_MEMORY_BYTES:
            message = f"is less than a worker needs ({format_size(LEAST_MEMORY_BYTES)}), so most clusters are rejected"
            self.notes.append(self._sentence(["sharing", "per_user", "memory"], message))

    def _sentence(self, path: list[str | int], message: str) -> str:
        where = ".".join(printable(str(part), 40) for part in path)
        return f"{self._path}, line {self._document.line(path)}: {where}: {message}."

    def _report_faults(self, path: list[str | int], faults: Collection[FieldError], known: Collection[str]) -> None:
        for fault in faults:
            parts = [int(part) if part.isdecimal() else part for part in fault.field.split(".") if part]
            message = unknown_key(fault, known).replace("must be a JSON object", "must have keys")
            self._report([*path, *parts], message)

    def _least(self, limits: dict[str, SiteLimits], kind: str) -> None:
        """Apply the least limits; lower ones that can be read still hold."""
        limits[kind] = limits.get(kind, LEAST).narrower(LEAST)
        self.least.add(kind)
        self.troubles[-1] += " " + LEAST_HOLDS.format("every kind" if kind == EVERY else f"the kind '{kind}'")

    # -- sections ------------------------------------------------------------------------------

    def _by_kind(
        self, section: str, read: Callable[[str, Mapping[str, Any]], Any], narrows: bool = False
    ) -> dict[str, Any]:
        """Read a section whose keys are kinds, or 'all'; if it ``narrows`` what is allowed, so does an error in it."""
        found: dict[str, Any] = {}
        given = self._data.get(section)
        # An empty section of limits is an error.
        if given is None and not (narrows and section in self._data):
            return found
        if not isinstance(given, dict):
            self._report([section], f"must have kinds of clusters as keys, or '{EVERY}'")
            if narrows:
                self._least(found, EVERY)
            return found
        kinds = [EVERY, *usable_kinds()]
        for key, value in given.items():
            kind, before = str(key), len(self.troubles)
            # A kind may come with a package that is not in this environment, which is not an error; a near miss is.
            near = "" if kind in kinds or find_kind(kind) is not None else near_to(kind, kinds)
            if near:
                self._report([section, key], f"is not a kind of cluster here{near}")
                kind = near.split("'")[1]
                if narrows and isinstance(value, dict) and (meant := self._limits(kind, value, key)) is not None:
                    found[kind] = meant.narrower(found[kind]) if kind in found else meant
            elif not isinstance(value, dict):
                self._report([section, key], "must have keys")
            else:
                if kind != EVERY and find_kind(kind) is None:
                    self._note_absent([section, key], kind)
                result = read(kind, value)
                if result is not None:
                    # A near miss of the same kind may have come before.
                    found[kind] = result.narrower(found[kind]) if narrows and kind in found else result
            if narrows and len(self.troubles) > before:
                self._least(found, kind)
        return found

    def _validated(self, path: list[str | int], model: type[BaseModel], value: Any) -> Any:
        try:
            return model.model_validate(value)
        except ValidationError as error:
            self._report_faults(path, invalid_request(error).fields, list(model.model_fields))
            return None

    def _limits(self, kind: str, value: Mapping[str, Any], key: str | None = None) -> SiteLimits | None:
        limits, faults = read_partly(Limits, value)
        key = kind if key is None else key
        self._report_faults(["limits", key], faults, list(Limits.model_fields))
        if limits is None:
            return None
        if limits.kinds is not None and kind != EVERY:
            self._report(["limits", key, "kinds"], f"belongs under '{EVERY}'")
            return replace(limits.narrowed(), backends=None)
        known, kinds = list(usable_kinds()), list(limits.kinds or ())
        for number, name in enumerate(kinds):
            if find_kind(name) is not None:
                continue
            place: list[str | int] = ["limits", key, "kinds", number]
            if near := near_to(name, known):
                self._report(place, f"unknown kind '{printable(name, 40)}'{near}")
                kinds[number] = near.split("'")[1]
            else:
                self._note_absent(place, name)
        return replace(limits.narrowed(), backends=tuple(kinds) or None)

    def _sharing(self) -> Sharing:
        if "sharing" not in self._data:
            return Sharing()
        given = self._data["sharing"]
        if not isinstance(given, dict):
            self._report(["sharing"], f"must have keys: {', '.join(SharingSection.model_fields)}")
            self.troubles[-1] += f" {LEAST_SHARE}"
            self.least.add(SHARING)
            return Sharing().least()
        section, faults = read_partly(SharingSection, given)
        known = [*SharingSection.model_fields, *PerUser.model_fields]
        for fault in faults:
            self._report_faults(["sharing"], [fault], known)
            self.troubles[-1] += UNTIL_FIXED.get(fault.field.split(".")[0], f" {LEAST_SHARE}")
        names = {fault.field.split(".")[0] for fault in faults}
        if section is None:
            names = {*names, *SharingSection.model_fields}
        found = Sharing.model_construct(**dict(section)) if section is not None else Sharing()
        if "reserved_gpus" in names:
            found = found.model_copy(update={"all_reserved": True})
        if names & ABOUT_LINKS:
            found = found.model_copy(update={"links": False})
        if names <= UNTIL_FIXED.keys():
            return found
        self.least.add(SHARING)
        return found.least()

    def _defaults(self, kind: str, value: Mapping[str, Any]) -> dict[str, Any] | None:
        if kind == EVERY:
            specs = [known.spec for known in usable_kinds().values()]
        else:
            found = find_kind(kind)
            if found is None or found.kind is None:
                return None
            specs = [found.kind.spec]
        kept = dict(value)
        for name in value:
            owners = [spec for spec in specs if name in spec.model_fields]
            known = {field for spec in specs for field in spec.model_fields} - {"backend", "name"}
            if name not in known:
                self._report(["defaults", kind, name], f"is not an option of this kind{near_to(name, known)}")
                del kept[name]
                continue
            faults = [fault for spec in owners for fault in field_faults(spec, {name: value[name]})]
            if faults:
                self._report(["defaults", kind, name], faults[0].message)
                del kept[name]
        return kept

    def _presets(self) -> tuple[Preset, ...]:
        given = self._data.get("presets")
        if given is None:
            return ()
        if not isinstance(given, list):
            self._report(["presets"], "must be a list")
            return ()
        found: dict[str, Preset] = {}
        for number, value in enumerate(given):
            preset = self._preset(number, value)
            if preset is not None and preset.name in found:
                self._report(["presets", number], f"'{printable(preset.name, 40)}' occurs twice; the first one is used")
            elif preset is not None:
                found[preset.name] = preset
                self._places[preset.name] = number
        return tuple(found.values())

    def _preset(self, number: int, value: Any) -> Preset | None:
        path: list[str | int] = ["presets", number]
        if isinstance(value, str):
            ready = {preset.name: preset for preset in SITE_PRESETS}
            if value not in ready:
                message = f"there is no built-in preset '{printable(value, 40)}'{near_to(value, ready)}"
                self._report(path, f"{message}; available: {', '.join(ready)}")
            return ready.get(value)
        if not isinstance(value, dict):
            self._report(
                path, "must have the keys name, title, description and spec, or be the name of a built-in preset"
            )
            return None
        preset: Preset | None = self._validated(path, Preset, value)
        faults = preset_faults(preset) if preset is not None else []
        if preset is not None and faults:
            spec = find_kind(str(preset.spec.get("backend", "auto")))
            known = list(spec.kind.spec.model_fields) if spec is not None and spec.kind is not None else []
            self._report_faults([*path, "spec"], faults, known)
        return None if faults else preset

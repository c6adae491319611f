"""Defaults and presets that contradict the site's own limits.

With such a default, every request would have to override it: it is reported and ignored, and an open field becomes the
limit. A preset is reported, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ..protocol.capacity import LEAST_MEMORY_BYTES
from ..protocol.kinds import usable_kinds
from ..protocol.models import Preset
from ..protocol.spec import SpecBase
from ..protocol.spec_base import OUTSIDE_RULE
from ..protocol.traits import Traits
from ..sharing.policy import GPUPolicy
from .limits import COUNTS, LEAST, SiteLimits
from .model import EVERY, SHARING, Site
from .quota import Remaining, fault_of_request, gpus_asked
from .sharing import LEAST_PER_USER, PerUser

_LIMITS = (*COUNTS, "memory_limit", "walltime")
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
        for limit in _LIMITS:
            single = SiteLimits(**{limit: getattr(found, limit)})

            def rule(field: str, value: Any, before: Mapping[str, Any], single: SiteLimits = single) -> str | None:
                return single.fault(traits, field, value, before)

            fault = _fault(spec, request, name, rule)
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

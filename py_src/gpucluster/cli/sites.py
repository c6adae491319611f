"""The site's settings, as data and as text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from ..protocol.durations import slurm_clock
from ..protocol.models import Preset
from ..protocol.sizes import format_size
from ..site.limits import SiteLimits
from ..site.model import EVERY, Costs, Site
from ..site.reading import site_of, this_site
from ..site.reading import unknown_accounts as unknown
from ..site.sharing import PerUser, Sharing
from .tables import one_line, table

_PER_USER = set(PerUser.model_fields)
_FORMS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("memory_limit", "memory", "scratch"), format_size),
    **dict.fromkeys(("backends", "instructors"), list),
    "walltime": slurm_clock,
    "reserved_gpus": lambda gpus: sorted(map(str, gpus)),
    "hours": lambda hours: [each.text for each in hours],
}
"""Of settings that are not shown as they are kept."""


class SiteAnswer(BaseModel):
    """The settings of one site's file."""

    file: str
    found: bool = Field(description="Whether the file exists.")
    title: str
    login_node: str | None
    presets: list[Preset]
    defaults: dict[str, dict[str, Any]]
    limits: dict[str, dict[str, Any]]
    costs: dict[str, Costs]
    sharing: dict[str, Any] = Field(description="How a machine is shared; unset fields are omitted.")
    troubles: list[str]
    notes: list[str] = Field(description="Entries that may be intended.")


def look(file: str | None) -> SiteAnswer:
    """Return the settings of the site's file, or of another one."""
    site: Site = this_site() if file is None else site_of(Path(file).absolute())
    return SiteAnswer(
        file=str(site.path),
        found=site.found,
        title=site.title,
        login_node=site.login_node,
        presets=list(site.added),
        defaults={kind: dict(fields) for kind, fields in site.defaults.items()},
        limits={kind: _said(limits) for kind, limits in site.limits.items()},
        costs=dict(site.costs),
        sharing=_shared(site.sharing),
        troubles=list(site.troubles),
        notes=[
            *site.notes,
            *(
                f"sharing.instructors: this machine has no user or group '{one_line(name)}'."
                for name in unknown(site.sharing.instructors)
            ),
        ],
    )


def text(answer: SiteAnswer) -> str:
    if not answer.found:
        return f"This site has no file {answer.file}."
    rows = [("SECTION", "FOR", "WHAT")]
    rows += [("preset", preset.name, one_line(preset.title)) for preset in answer.presets]
    for section, entries in (("default", answer.defaults), ("limit", answer.limits)):
        rows += [
            (section, _every(kind), one_line(f"{name}: {_value(value)}"))
            for kind, fields in entries.items()
            for name, value in fields.items()
        ]
    if answer.login_node is not None:
        rows.append(("login node", "all", one_line(answer.login_node)))
    for kind, costs in answer.costs.items():
        rates = {name: value for name, value in costs.model_dump().items() if name != "unit" and value}
        rows += [("cost", _every(kind), one_line(f"{name}: {value:g} {costs.unit}")) for name, value in rates.items()]
    rows += [
        ("sharing", "each user" if name in _PER_USER else "machine", one_line(f"{name}: {_value(value)}"))
        for name, value in answer.sharing.items()
        if name != "message"
    ]
    head = f"{one_line(answer.title)} ({answer.file})" if answer.title else answer.file
    message = answer.sharing.get("message")
    lines = [head, *([one_line(message)] if message else []), *([table(rows)] if len(rows) > 1 else [])]
    notes = [f"Note: {note}" for note in answer.notes]
    return "\n".join([*lines, *map(one_line, [*(answer.troubles or ["It has no errors."]), *notes])])


def _shown(settings: PerUser | Sharing | SiteLimits, leave_out: Collection[str]) -> dict[str, Any]:
    values = {name: value for name, value in vars(settings).items() if name not in leave_out}
    is_set = {name: value for name, value in values.items() if value or value == 0}  # False, too
    return {name: _FORMS[name](value) if name in _FORMS else value for name, value in is_set.items()}


def _said(limits: SiteLimits) -> dict[str, Any]:
    shown = _shown(limits, {"of_server"})
    kinds = shown.pop("backends", None)
    return shown if kinds is None else {**shown, "kinds": kinds}


def _shared(sharing: Sharing) -> dict[str, Any]:
    if sharing == Sharing():
        return {}
    return _shown(sharing, {"all_reserved", "per_user"}) | _shown(sharing.per_user, ())


def _every(kind: str) -> str:
    return "every kind" if kind == EVERY else one_line(kind)


def _value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

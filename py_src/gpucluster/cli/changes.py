"""The verbs that change a running cluster, for the command line and the magic: arguments, request, progress, answer.

``protocol.verbs`` describes them; one that is a POST needs nothing here.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..protocol.errors import InvalidRequest
from ..protocol.models import ClusterModel
from ..protocol.spec import parse_patch
from ..protocol.verbs import VERBS, Verb, arguments_of, posts
from . import tables
from .arguments import SentenceParser
from .commands import WORKERS, declare_name, declare_waiting
from .options import as_number

if TYPE_CHECKING:
    from ..client.control import Control
    from .actions import Progress, Tell

# Actions are imported when they run: completion and help only read the declarations.


@dataclass(frozen=True)
class Change:
    summary: str  # What it does.
    declare: Callable[[SentenceParser, str], None]  # Declares its arguments.
    make: Callable[[Control, Namespace, Progress, Tell | None], ClusterModel]
    """Makes the change, and returns the cluster. Its last arguments show progress and notes."""
    meanwhile: str = ""  # Text to show during the change; empty: the cluster's own progress.
    said: Callable[[ClusterModel], str] = tables.worker_line  # The answer in text.


def _declare_scale(parser: SentenceParser, _face: str) -> None:
    declare_name(parser)
    parser.argument("n_workers", metavar="N", help="Number of workers, 0 to 256.")
    declare_waiting(parser, "for the workers")


def _scale(control: Control, found: Namespace, progress: Progress, tell: Tell | None) -> ClusterModel:
    from . import actions

    _require_all_numbers(control, found, found.n_workers, "scale NAME N")
    patch = parse_patch({"n_workers": as_number(found.n_workers)})  # Checked before the cluster is.
    timeout = actions.timeout_of(found)
    model = actions.named(control, found)
    actions.tell_all(control.patch_notes(model.id, patch), tell)
    model = control.scale(model.id, patch.n_workers, wait=False, timeout=timeout)
    if actions.at_once(found):
        return model
    return actions.wait(control, model.id, timeout, progress, n_workers=patch.n_workers)


def _require_all_numbers(control: Control, found: Namespace, first: str, usage: str) -> None:
    """Refuse a cluster's name as the first number: then the last number is missing."""
    is_name = isinstance(as_number(first), str) and any(first in {model.name, model.id} for model in control.list())
    if is_name and getattr(found, "name", None) is None:
        raise InvalidRequest(f"{usage.rpartition(' ')[2]} is missing: {usage}.")


def _declare_adapt(parser: SentenceParser, _face: str) -> None:
    declare_name(parser)
    parser.argument("minimum", metavar="MINIMUM", help="Minimum number of workers, 0 or more.")
    parser.argument("maximum", metavar="MAXIMUM", help="Maximum number of workers, up to 256.")


def _adapt(control: Control, found: Namespace, _progress: Progress, tell: Tell | None) -> ClusterModel:
    from . import actions

    _require_all_numbers(control, found, found.minimum, "adapt NAME MINIMUM MAXIMUM")
    patch = parse_patch({"adapt": {"minimum": as_number(found.minimum), "maximum": as_number(found.maximum)}})
    assert patch.adapt is not None
    model = actions.named(control, found)
    actions.tell_all(control.patch_notes(model.id, patch), tell)
    return control.adapt(model.id, patch.adapt.minimum, patch.adapt.maximum)


def _retired(model: ClusterModel) -> str:
    replaced = "; another worker may replace it" if model.wanted.adapt is not None else ""
    return tables.worker_line(model) + replaced


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "worker": {"metavar": "WORKER", "complete": WORKERS, "help": "Name of the worker; a UUID prefix is enough."}
}
"""Arguments in paths."""


def _change(verb: Verb, path: str) -> Change:
    """Return a verb that is a POST with the arguments of its path."""
    description, names = VERBS[verb], arguments_of(path)

    def declare(parser: SentenceParser, _face: str) -> None:
        declare_name(parser)
        for name in names:
            parser.argument(name, **_ARGUMENTS[name])
        declare_waiting(parser, description.waits)

    def make(control: Control, found: Namespace, _progress: Progress, _tell: Tell | None) -> ClusterModel:
        from . import actions

        timeout = actions.timeout_of(found)
        model = actions.named(control, found)
        named = [getattr(found, name) for name in names]
        changed: ClusterModel = getattr(control, verb)(
            model.id, *named, wait=not actions.at_once(found), timeout=timeout
        )
        return changed

    said = {Verb.RETIRE: _retired}.get(verb, tables.worker_line)
    return Change(description.summary, declare, make, description.meanwhile, said)


CHANGES = {
    "scale": Change(VERBS[Verb.SCALE].summary, _declare_scale, _scale),
    "adapt": Change(VERBS[Verb.ADAPT].summary, _declare_adapt, _adapt),
    **{verb.replace("_", "-"): _change(verb, path) for verb, path, _ in posts()},
}
"""By name, in the order of the help."""

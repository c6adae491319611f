"""The verbs that change a living cluster: scale, adapt, restart, retire.

Command line and magic take from here what each is called, which arguments it has, what is shown meanwhile and what
is said at the end.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..protocol.errors import InvalidRequest
from ..protocol.models import ClusterModel
from ..protocol.spec import parse_patch
from . import tables
from .arguments import SentenceParser
from .declarations import WORKERS, declare_json, declare_name, declare_waiting
from .options import as_number

if TYPE_CHECKING:
    from ..client.control import Control
    from .actions import Progress, Tell

# What is needed to do it is imported then: completion and help only read what is declared here.


@dataclass(frozen=True)
class Change:
    """One verb."""

    summary: str
    """What it does."""
    declare: Callable[[SentenceParser, str], None]
    """Declares its arguments."""
    make: Callable[[Control, Namespace, Progress, Tell | None], ClusterModel]
    """Does it, and returns the cluster as it is then. Gets what shows progress, and what tells a person of a note."""
    meanwhile: str = ""
    """What is shown while it happens; empty: the cluster's own progress."""
    said: Callable[[ClusterModel], str] = tables.worker_line
    """The answer in text."""


def _declare_scale(parser: SentenceParser, face: str) -> None:
    declare_name(parser)
    parser.argument("n_workers", metavar="N", help="Wanted number of workers, 0 to 256.")
    declare_waiting(parser, "for the workers")
    declare_json(parser, face)


def _scale(control: Control, found: Namespace, progress: Progress, tell: Tell | None) -> ClusterModel:
    from . import actions

    _must_be_complete(control, found, found.n_workers, "scale NAME N")
    patch = parse_patch({"n_workers": as_number(found.n_workers)})
    timeout = actions.timeout_of(found)
    model = actions.find(control, actions.name_of(found))
    actions.tell_all(control.patch_notes(model.id, patch), tell)
    model = control.patch(model.id, patch, timeout=timeout)
    if actions.at_once(found):
        return model
    return actions.wait(control, model.id, timeout, progress, n_workers=patch.n_workers)


def _must_be_complete(control: Control, found: Namespace, first: str, usage: str) -> None:
    """Refuse the name of a cluster where the first number is to be: then the last number was left out."""
    is_name = isinstance(as_number(first), str) and any(first in {model.name, model.id} for model in control.list())
    if is_name and getattr(found, "name", None) is None:
        raise InvalidRequest(f"{usage.rpartition(' ')[2]} is missing: {usage}.")


def _declare_adapt(parser: SentenceParser, face: str) -> None:
    declare_name(parser)
    parser.argument("minimum", metavar="MINIMUM", help="Fewest workers, 0 or more.")
    parser.argument("maximum", metavar="MAXIMUM", help="Most workers, up to 256.")
    declare_json(parser, face)


def _adapt(control: Control, found: Namespace, _progress: Progress, tell: Tell | None) -> ClusterModel:
    from . import actions

    _must_be_complete(control, found, found.minimum, "adapt NAME MINIMUM MAXIMUM")
    bounds = {"minimum": as_number(found.minimum), "maximum": as_number(found.maximum)}
    patch = parse_patch({"adapt": bounds})
    model = actions.find(control, actions.name_of(found))
    actions.tell_all(control.patch_notes(model.id, patch), tell)
    return control.patch(model.id, patch)


def _declare_restart(parser: SentenceParser, face: str) -> None:
    declare_name(parser)
    declare_waiting(parser, "for the workers")
    declare_json(parser, face)


def _restart(control: Control, found: Namespace, _progress: Progress, _tell: Tell | None) -> ClusterModel:
    from ..client.cluster import Cluster
    from . import actions

    timeout = actions.timeout_of(found)
    cluster = Cluster(actions.find(control, actions.name_of(found)), control.asynchronous)
    cluster.restart(wait=not actions.at_once(found), timeout=timeout)
    return cluster.model


def _declare_retire(parser: SentenceParser, face: str) -> None:
    declare_name(parser)
    parser.argument(
        "worker", metavar="WORKER", complete=WORKERS, help="Name of the worker; the beginning of a UUID is enough."
    )
    declare_waiting(parser, "until it is gone")
    declare_json(parser, face)


def _retire(control: Control, found: Namespace, _progress: Progress, _tell: Tell | None) -> ClusterModel:
    from ..client.cluster import Cluster
    from . import actions

    timeout = actions.timeout_of(found)
    cluster = Cluster(actions.find(control, actions.name_of(found)), control.asynchronous)
    cluster.retire(found.worker, wait=not actions.at_once(found), timeout=timeout)
    return cluster.model


def _retired(model: ClusterModel) -> str:
    replaced = "; another may take the retired one's place" if model.wanted.adapt is not None else ""
    return tables.worker_line(model) + replaced


CHANGES = {
    "scale": Change("Change the number of workers and wait for them.", _declare_scale, _scale),
    "adapt": Change("Let the number of workers follow the load.", _declare_adapt, _adapt),
    "restart": Change(
        "Restart all workers; their data is lost.", _declare_restart, _restart, meanwhile="Restarting the workers"
    ),
    "retire": Change(
        "Retire one worker; its data goes to the others first.", _declare_retire, _retire,
        meanwhile="Moving the worker's data to the others", said=_retired,
    ),
}  # fmt: skip
"""By name, in the order of the help."""

"""What each verb does, for the command line and the magic.

An action takes the typed words as text, and returns models. It prints nothing.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable

from ..client.background import run, run_with_progress
from ..client.control import Control
from ..client.display.dashboard import DEFAULT_PAGE, DashboardPage, find_page, page_link
from ..client.stopping import ended_unasked
from ..client.verbs import MAX_LOG_LINES
from ..client.waiting import stopped_as_late
from ..protocol.cells import Cells
from ..protocol.errors import ClusterNotFound, InvalidRequest, InvalidState, StartTimedOut
from ..protocol.models import ClusterModel, ClusterState, HostDevices, LogLines, Submission
from ..protocol.spec import SpecBase
from ..protocol.telemetry import Activity
from .arguments import whole_number
from .interrupt import interrupts_held
from .options import spec_from

Progress = Callable[[ClusterModel], None]
Tell = Callable[[str], None]

WAIT_SECONDS = 120
LOG_LINES = 200
ACTIVITY_LINES = 100
CELL_LINES = 20


class Cancelled(Exception):
    """Ctrl-C was pressed while a cluster was starting; it was stopped."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Cancelled; the cluster '{name}' was stopped.")


def living(control: Control) -> list[ClusterModel]:
    return [model for model in control.list() if not model.state.ended]


def find(control: Control, name: str | None) -> ClusterModel:
    """Return a cluster by name or id; by default the only running one, or ``control.meant`` of several."""
    return _only(control) if name is None else control.get(name)


def named(control: Control, found: Namespace) -> ClusterModel:
    return find(control, getattr(found, "name", None))


def create(
    control: Control, found: Namespace, progress: Progress | None = None, tell: Tell | None = None
) -> ClusterModel:
    """Start a cluster, and wait until it runs unless ``--no-wait``; ``tell`` receives notes before the start."""
    spec = spec_from(found)
    timeout = timeout_of(found)
    deadline = time.monotonic() + timeout
    tell_all(control.notes(spec), tell)
    with interrupts_held() as held:
        model = control.create(spec, timeout=timeout)
    try:
        held.deliver()
        left = max(0.0, deadline - time.monotonic())
        return model if at_once(found) else wait(control, model.id, left, progress)
    except KeyboardInterrupt:
        control.stop(model.id, wait=True)
        raise Cancelled(model.name) from None
    except StartTimedOut:  # Like gpucluster.create, leave nothing half-started; what is only incomplete continues.
        advice = "See its log: logs {id}. Or allow more time with --timeout."
        raise run(stopped_as_late(control.asynchronous, model, timeout, advice)) from None


def leased(control: Control, found: Namespace, tell: Tell | None = None) -> SpecBase:
    """Return the spec of a lease, by default of one worker. Raises `InvalidRequest`."""
    if getattr(found, "n_workers", "1") == "0":
        raise InvalidRequest("--n-workers: a lease has at least 1 worker.")
    spec = spec_from(Namespace(**{"n_workers": "1", **vars(found)}))
    tell_all(control.notes(spec), tell)
    return spec


def wait(
    control: Control, id: str, timeout: float, progress: Progress | None = None, *, n_workers: int | None = None
) -> ClusterModel:
    """Wait until the cluster has the wanted workers; ``progress`` is called in this thread."""
    every = control.asynchronous
    if n_workers is None:
        return run_with_progress(lambda seen: every.wait(id, timeout=timeout, progress=seen), progress)
    return run_with_progress(lambda seen: every.wait_for_scale(id, n_workers, timeout=timeout, progress=seen), progress)


def activity(control: Control, found: Namespace) -> Activity:
    lines = whole_number(getattr(found, "lines", str(ACTIVITY_LINES)), "--lines", 1, 1000)
    answer = control.activity(named(control, found).id)
    return answer.model_copy(update={"entries": answer.entries[-lines:]})


def cells(control: Control, found: Namespace) -> Cells:
    lines = whole_number(getattr(found, "lines", str(CELL_LINES)), "--lines", 1, 1000)
    answer = control.cells(named(control, found).id)
    return answer.model_copy(update={"cells": answer.cells[-lines:]})


def previewed(control: Control, found: Namespace) -> Submission | None:
    """Return what creating would submit, with ``--dry-run``; else ``None``."""
    if not getattr(found, "dry_run", False):
        return None
    answer = control.preview(spec_from(found))
    if answer.text is None:
        raise InvalidRequest("--dry-run: this kind of cluster submits no jobs.")
    return answer


def script(control: Control, found: Namespace) -> Submission:
    model = named(control, found)
    answer = control.submission(model.id)
    if answer.text is None:
        raise InvalidRequest(f"Nothing was submitted for the cluster '{model.name}'.")
    return answer


def logs(control: Control, found: Namespace) -> LogLines:
    lines = whole_number(getattr(found, "lines", str(LOG_LINES)), "--lines", 1, MAX_LOG_LINES)
    return control.logs(named(control, found).id, lines=lines)


def to_stop(control: Control, found: Namespace) -> list[ClusterModel]:
    """Return the clusters to stop, before anything is stopped."""
    every = getattr(found, "all", False)
    names = _names(found)
    if every and names:
        raise InvalidRequest("Pass names or --all, not both.")
    if every:
        return living(control)
    return [control.get(name) for name in names] or [_only(control)]


def stop(control: Control, models: list[ClusterModel], found: Namespace) -> list[ClusterModel]:
    """Stop these clusters; the requests are sent to all before waiting for the first one."""
    asked = [control.stop(model.id, wait=False) for model in models]
    return asked if at_once(found) else [control.stop(model.id, wait=True) for model in models]


def remove(control: Control, found: Namespace) -> list[ClusterModel]:
    """Remove ended clusters by name: all or, if one of them has not ended, none."""
    names = _names(found)
    if not names:
        raise InvalidRequest("NAME is missing: name the stopped cluster to remove, or use 'clean' for all.")
    models = list({model.id: model for model in map(control.get, names)}.values())
    for model in models:
        if not model.state.ended:
            raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; stop it before it can be removed.")
    for model in models:
        control.remove(model.id)
    return models


def clean(control: Control) -> list[ClusterModel]:
    ended = [model for model in control.list() if model.state.ended]
    for model in ended:
        control.remove(model.id)
    return ended


def devices(control: Control) -> HostDevices:
    """Return the GPUs on this machine with the clusters, workers and notebooks that use them."""
    from ..devices.host import host_devices
    from ..devices.processes import notebook_of
    from ..protocol.workers import names_of_clusters, names_of_workers

    models = control.list()
    return host_devices(names_of_clusters(models), workers=names_of_workers(models), notebooks=notebook_of)


def snippet(model: ClusterModel) -> str:
    """Return Python code that connects to the cluster."""
    return f'import gpucluster\n\ncluster = gpucluster.connect("{model.name}")\nclient = cluster.get_client()\n'


def dashboard_page(found: Namespace) -> DashboardPage:
    """Return the requested page. Raises `InvalidRequest`: no such page; with the list."""
    try:
        return find_page(getattr(found, "page", DEFAULT_PAGE))
    except InvalidRequest as error:
        raise InvalidRequest(f"--{error.message}") from None


def dashboard_link(control: Control, model: ClusterModel, page: DashboardPage) -> str:
    """Return a page's direct link, which works on this machine."""
    if model.state in {ClusterState.STARTING, ClusterState.STOPPING} or model.state.ended:
        raise InvalidState(f"The cluster '{model.name}' is {model.state.value}; its dashboard is not open.")
    return page_link(control.open_dashboard(model.id), page)


def tell_all(notes: list[str], tell: Tell | None) -> None:
    if tell is not None:
        for note in notes:
            tell(note)


def _only(control: Control) -> ClusterModel:
    models = living(control)
    if not models:
        raise ClusterNotFound(f"No cluster is running. {ended_unasked(control.list())}Start one with 'create'.")
    if len(models) > 1:
        if meant := [model for model in models if model.id == control.meant]:
            return meant[0]
        names = ", ".join(sorted(model.name for model in models))
        raise InvalidRequest(f"There are {len(models)} clusters: {names}. Name one.")
    return models[0]


def _names(found: Namespace) -> list[str]:
    return list(getattr(found, "names", []))


def at_once(found: Namespace) -> bool:
    return bool(getattr(found, "no_wait", False))


def timeout_of(found: Namespace) -> float:
    """Return the timeout in seconds. Raises `InvalidRequest`: ``--timeout`` is invalid."""
    return whole_number(getattr(found, "timeout", str(WAIT_SECONDS)), "--timeout", 1, 86_400)

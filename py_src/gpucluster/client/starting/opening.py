"""Check the site's hours and quotas before a cluster is created."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib.util import find_spec

from ...protocol.errors import NotNow
from ...protocol.kinds import traits_of
from ...protocol.models import ClusterModel, Wanted
from ...protocol.plain_text import counted
from ...protocol.spec import SpecBase
from ...registry.store import Registry
from ...sharing.node import read_node
from ...site.hours import DAYS, opens_at
from ...site.quota import Remaining, fault_of_request, gpus_asked, is_here, left_beside
from ...site.reading import gpu_policy, this_site
from .capacity import demand_of, usable_gpus


def require_open(registry: Registry, spec: SpecBase) -> None:
    """Refuse a cluster outside the site's hours or above a user's quota. Call it holding ``registry.exclusive``."""
    sharing = this_site().sharing
    moment = datetime.now()  # the site's hours are on this machine's clock
    opening = opens_at(sharing.hours, moment)
    if opening is not None:
        hours = ", ".join(each.text for each in sharing.hours)
        raise NotNow(
            f"This site opens again {_when(opening, moment)} (its hours are {hours}). Running clusters continue; "
            "create another one then."
        )
    clusters = registry.list()
    living = sum(not model.state.ended for model in clusters)
    if living >= (most := sharing.per_user.clusters):
        raise NotNow(
            f"You have {counted(living, 'running cluster')}, and each user may have {most} at a time. Stop one first: "
            "'gpucluster list' shows them."
        )
    fault = fault_of_request(spec, left_beside(with_expected(clusters))) or fault_of_gpus(spec, clusters)
    if fault is not None:
        raise NotNow(fault)


def _when(opening: datetime, moment: datetime) -> str:
    clock = opening.strftime("%H:%M")
    days = (opening.date() - moment.date()).days
    if days == 0:
        return f"at {clock}"
    return f"tomorrow at {clock}" if days == 1 else f"on {DAYS[opening.weekday()]} at {clock}"


def with_expected(clusters: Sequence[ClusterModel]) -> list[ClusterModel]:
    """Return a user's clusters, with the expected workers and memory of those that have just been requested.

    Otherwise, on a site with quotas, two simultaneous requests with open memory would count on the same memory.
    """
    begun = [model for model in clusters if _is_begun(model)]
    known = [model for model in clusters if model not in begun]
    if not begun or not left_beside(known).is_bounded:
        return list(clusters)
    for model in sorted(begun, key=lambda model: model.created_at):
        known.append(_expected(model, left_beside(known)))
    return known


def _is_begun(model: ClusterModel) -> bool:
    return not model.state.ended and is_here(model) and model.memory_limit_bytes is None and not model.workers


def _expected(model: ClusterModel, left: Remaining) -> ClusterModel:
    demand = demand_of(model.spec, left)
    if demand is None:
        return model
    is_open = model.wanted == Wanted()
    wanted = Wanted(n_workers=demand.n_workers) if is_open else model.wanted
    return model.model_copy(update={"memory_limit_bytes": demand.memory_limit_bytes or 0, "wanted": wanted})


def fault_of_gpus(spec: SpecBase, clusters: Iterable[ClusterModel]) -> str | None:
    """Return why the site refuses the GPUs of a request; ``None``: it does not.

    The cluster's process, which claims the GPUs, checks again; a cluster that it refuses stays in the list.
    """
    policy = gpu_policy()
    if policy.per_user is None or not (wanted := _wanted(spec)):
        return None
    try:
        claimed = read_node().held_by(os.getuid())
    except OSError:
        return None  # Claims are not visible on this system, so the limit is not applied.
    asked = sum(max(gpus_asked(model.spec), _has(model)) for model in clusters if not model.state.ended)
    return policy.fault(wanted, max(claimed, asked))


def _has(model: ClusterModel) -> int:
    return model.n_workers + model.n_pending if gpus_asked(model.spec) else 0


def _wanted(spec: SpecBase) -> int:
    if not traits_of(spec).chooses:
        return gpus_asked(spec)
    # It takes GPUs if there are enough of them, else CPUs.
    wanted, usable = spec.n_workers or 1, usable_gpus()
    return wanted if usable is not None and wanted <= usable and find_spec("dask_cuda") is not None else 0

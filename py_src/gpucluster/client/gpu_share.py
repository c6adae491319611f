"""Whether the site gives this user the GPUs that a request asks for, beside those that they have."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec

from ..protocol.kinds import traits_of
from ..protocol.models import ClusterModel
from ..protocol.spec import SpecBase
from ..sharing.node import read_node
from ..site.reading import gpu_policy
from ..site.share import gpus_asked
from .capacity import usable_gpus


def fault_of_gpus(spec: SpecBase, clusters: Iterable[ClusterModel]) -> str | None:
    """Return what the site has against the GPUs of a request, in two sentences; ``None``: nothing.

    The cluster's process, which claims them, looks again; what it refuses stays in the list.

    Parameters
    ----------
    spec : SpecBase
    clusters : iterable of ClusterModel
        All of this user's: one that has just been asked for has claimed nothing yet.
    """
    policy = gpu_policy()
    if policy.per_user is None or not (wanted := _wanted(spec)):
        return None
    try:
        claimed = read_node().held_by(os.getuid())
    except OSError:
        return None  # This system does not tell, and the limit is not applied.
    asked = sum(max(gpus_asked(model.spec), _has(model)) for model in clusters if not model.state.ended)
    return policy.fault(wanted, max(claimed, asked))


def _has(model: ClusterModel) -> int:
    return model.n_workers + model.n_pending if gpus_asked(model.spec) else 0


def _wanted(spec: SpecBase) -> int:
    if not traits_of(spec).chooses:
        return gpus_asked(spec)
    # It takes GPUs where there are enough of them, and CPUs else.
    wanted, usable = spec.n_workers or 1, usable_gpus()
    return wanted if usable is not None and wanted <= usable and find_spec("dask_cuda") is not None else 0

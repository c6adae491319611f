"""Clusters that have just been asked for count already, with what they will have: they do not know it yet."""

from __future__ import annotations

from collections.abc import Sequence

from ..protocol.models import ClusterModel, Wanted
from ..site.share import Remaining, is_here, left_beside
from .capacity import demand_of


def with_expected(clusters: Sequence[ClusterModel]) -> list[ClusterModel]:
    """Return a user's clusters, those that have just been asked for with what they will probably have.

    Where the site gives everybody a part of the machine, two requests that leave their memory open and come at the same
    moment would else count on the same memory.
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

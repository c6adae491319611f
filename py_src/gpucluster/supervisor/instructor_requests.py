"""What instructors of the site may ask a cluster for: to tell its owner something, and to stop it."""

from __future__ import annotations

from ..protocol.errors import InvalidState
from ..protocol.instructing import MOST_GPUS, ClusterFacts, HeldGPU, InstructorRequest
from ..protocol.messages import MessageCode
from ..protocol.models import ClusterModel
from .requests import Requests


def facts_of(model: ClusterModel) -> ClusterFacts:
    """Return what an instructor is told of a cluster: neither its name nor what it computes."""
    held = [HeldGPU(uuid=slot.uuid, slot=slot.slot, slots=slot.slots) for slot in model.slots]
    devices = dict.fromkeys(worker.device for worker in model.workers if worker.device)
    return ClusterFacts(
        id=model.id,
        kind=model.backend,
        state=model.state,
        n_workers=model.n_workers,
        gpus=(held or [HeldGPU(uuid=device[:80]) for device in devices])[:MOST_GPUS],
        since=model.created_at,
        idle_since=model.idle.idle_since,
    )


def carry_out(requests: Requests, request: InstructorRequest, who: str) -> None:
    """Do what an instructor asks for; the owner reads in every face who it was.

    Raises
    ------
    InvalidState
        The cluster is stopping or has ended.
    """
    if requests.model.wanted.stopped or requests.model.state.ended:
        # In words of its own: the name of the cluster is its owner's.
        raise InvalidState("It is being stopped already.")
    by = f"instructor {who}"
    if request.ask == "stop":
        end = "" if request.text.endswith((".", "!", "?", "…")) else "."
        reason = f"Stopped by {by}" + (f": {request.text}" if request.text else "") + end
        requests.store.announce(MessageCode.STOPPED, reason)
        requests.stop(reason, by=by)
        return
    requests.activity_log.asked("message", by, request.text)
    requests.store.announce(MessageCode.MESSAGE, request.text, who)

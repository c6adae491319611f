"""``gpucluster node``: show the machine or a class, message its users, stop clusters; with the answers as text."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass

from pydantic import BaseModel

from ..client.node import class_clusters, message_class, stop_class
from ..client.node import node as whole_node
from ..gauges.figures import duration_text
from ..protocol.errors import InvalidRequest
from ..protocol.instructing import ClassAnswer, ClassCluster, ClassClusters, More, NodeModel, SharedDevice, SlotHolder
from ..protocol.plain_text import counted, times
from .arguments import did_you_mean, shown
from .tables import one_line, seconds_since, table

EVERYBODY = "all"


@dataclass(frozen=True)
class NodeRequest:
    do: str
    user: str = ""
    text: str = ""


def read(found: Namespace) -> NodeRequest:
    """Read the words after ``node``. Raises `InvalidRequest` with what is allowed."""
    words: list[str] = getattr(found, "words", [])
    reason: str | None = getattr(found, "reason", None)
    if reason is not None and words[:1] != ["stop"]:
        raise InvalidRequest("--reason is only for 'stop': node stop USER --reason TEXT.")
    if not words:
        return NodeRequest("class" if getattr(found, "of_class", False) else "show")
    if getattr(found, "of_class", False):
        raise InvalidRequest(f"--class lists the clusters; omit it, or '{shown(words[0])}'.")
    if words[0] == "message":
        if len(words) != 3:
            raise InvalidRequest('Use: node message USER "TEXT", or node message all "TEXT", with the text in quotes.')
        return NodeRequest("message", words[1], words[2])
    if words[0] == "stop":
        if len(words) != 2 or words[1] == EVERYBODY:
            raise InvalidRequest("Use: node stop USER, for one user at a time.")
        return NodeRequest("stop", words[1], reason or "")
    near = did_you_mean(words[0], ["message", "stop"])
    raise InvalidRequest(f"node accepts 'message' and 'stop', not '{shown(words[0])}'.{near}")


def carry_out(request: NodeRequest) -> tuple[BaseModel, str]:
    """Carry out the request; returns the answer as a model and as text."""
    if request.do == "class":
        listed = class_clusters()
        return listed, class_text(listed)
    if request.do == "message":
        sent = message_class(None if request.user == EVERYBODY else request.user, request.text)
        return sent, answer_text(sent, "Told")
    if request.do == "stop":
        stopped = stop_class(request.user, request.text)
        return stopped, answer_text(stopped, "Stopped")
    answer = whole_node()
    return answer, node_text(answer)


def node_text(node: NodeModel) -> str:
    """Return the holders of GPUs, one per line, and the queue."""
    rows: list[tuple[str, ...]] = [("GPU", "SLOT", "USER", "SINCE", "ENDS", "IN USE")]
    for device in node.devices:
        rows += [_row(device, holder) for holder in device.holders]
        if device.free or not device.holders:
            rows.append(_row(device, None))
    parts = [one_line(node.message)] if node.message else []
    if node.devices:
        parts.append(table(rows))
    parts += [_shared(device) for device in node.devices if any(holder.beyond for holder in device.holders)]
    for number, place in enumerate(node.line, 1):
        unit = "specific GPU" if place.certain else "GPU"
        waits = f"{number}. {_who(place.user, mine=place.mine)}: {counted(place.gpus, unit)}"
        since = f", for {_since(place.since)}" if place.since else ""
        parts.append(f"In queue {waits}{since}")
    parts += map(_more, node.more)
    return "\n".join(parts)


def _shared(device: SharedDevice) -> str:
    extra = dict.fromkeys(_who(holder.user, mine=holder.mine) for holder in device.holders if holder.beyond)
    most = "one claim" if device.slots is None else f"the {counted(device.slots, 'claim')} that it has slots for"
    return f"GPU {_name(device)} has more than {most}. Also claimed by: {', '.join(extra)}."


def _more(more: More) -> str:
    are = "is" if more.above == 1 else "are"
    has = [
        f"{counted(more.above, 'claim')} above the limit, which {are} ignored" if more.above else "",
        f"{counted(more.claims, 'more claim')}" if more.claims else "",
        f"{counted(more.places, 'more place')} in the queue" if more.places else "",
    ]
    return f"{_who(more.user, mine=more.mine)}: {'; '.join(filter(None, has))}"


def class_text(answer: ClassClusters) -> str:
    if not answer.clusters:
        return "No cluster on this machine is visible to instructors."
    rows = [("USER", "KIND", "STATE", "WORKERS", "GPU", "SINCE", "IDLE"), *map(_class_row, answer.clusters)]
    lines = [table(rows)]
    lines += [
        f"{one_line(each.user)}: {one_line(times(each.problem, each.times))}"
        for each in answer.clusters
        if each.problem
    ]
    if answer.left_out:
        lines.append(f"Not listed: {answer.left_out} of users who have too many.")
    return "\n".join(lines)


def answer_text(answer: ClassAnswer, verb: str) -> str:
    users = f" of {', '.join(map(one_line, answer.users))}" if answer.users else ""
    return "\n".join([f"{verb} {counted(answer.reached, 'cluster')}{users}.", *map(one_line, answer.problems)])


def _class_row(cluster: ClassCluster) -> tuple[str, ...]:
    who = _who(one_line(cluster.user), mine=cluster.mine)
    if cluster.state is None:
        return who, "", "(unknown)" if cluster.times == 1 else f"({cluster.times} unknown)", "", "", "", ""
    return (
        who, one_line(cluster.kind_title or cluster.kind or ""), cluster.state.value, str(cluster.n_workers),
        one_line("; ".join(cluster.gpus)), f"{_since(cluster.since)} ago" if cluster.since else "",
        f"for {_since(cluster.idle_since)}" if cluster.idle_since else "",
    )  # fmt: skip


def _since(time: str) -> str:
    return duration_text(max(0.0, seconds_since(time)))


def _who(user: str | None, *, mine: bool) -> str:
    return f"{user or 'unknown'} (you)" if mine else user or "unknown"


def _unused_text(device: SharedDevice) -> str:
    """Return the text for a device, or slots of it, without a holder."""
    if device.reserved:
        return "(reserved)"
    return "(free)" if device.slots in {None, 1} else f"({counted(device.free or 0, 'slot')} free)"


def _name(device: SharedDevice) -> str:
    return f"{device.index}" if device.index is not None else one_line(device.uuid[:12])


def _row(device: SharedDevice, holder: SlotHolder | None) -> tuple[str, ...]:
    name = _name(device)
    use = f"{device.utilization_percent:.0f} %" if device.utilization_percent is not None else ""
    if holder is None:
        return name, "", _unused_text(device), "", "", use
    # A claim has no number if all numbers are held.
    slot = f"{holder.slot or 'one'} of {device.slots}" if device.slots is not None else ""
    return (
        name, slot, _who(holder.user, mine=holder.mine), f"{_since(holder.since)} ago" if holder.since else "",
        f"in {duration_text(max(0.0, -seconds_since(holder.ends_at)))}" if holder.ends_at else "", use,
    )  # fmt: skip

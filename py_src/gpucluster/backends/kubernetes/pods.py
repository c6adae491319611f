"""Why a pod waits, cannot start or is gone, in a few words, from what Kubernetes says of it and its events."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ...protocol.plain_text import printable
from ..deployment import Slot, SlotState
from .api import quota_of

Thing = Mapping[str, Any]  # A thing of Kubernetes, as its API tells it.
_HOPELESS = {
    "ImagePullBackOff": "its image cannot be pulled",
    "InvalidImageName": "its image has an impossible name",
    "ErrImageNeverPull": "its image is not there, and may not be pulled",
    "CrashLoopBackOff": "it ends again and again",
    "CreateContainerConfigError": "its container cannot be made",
    "CreateContainerError": "its container cannot be made",
    "RunContainerError": "its container cannot be run",
}
_PATIENCE_SECONDS = 15.0  # The secret comes a moment after the pods: what misses it is hopeless only after so long.
_MOST_RESTARTS = 2
_PREEMPTION = re.compile(r"\.? *(preemption:|no new claims to deallocate).*", re.DOTALL)
_LONGEST = 300


@dataclass(frozen=True)
class Verdict:
    """What is to be said of one pod."""

    why: str  # Without a full stop at the end.
    hopeless: bool = False  # Whether it will not start as it is.
    refused: bool = False  # Whether a quota keeps it away, so that it may come when others go.


def name_of(thing: Thing) -> str:
    return str(thing["metadata"]["name"])


def is_ready(pod: Thing) -> bool:
    return not is_leaving(pod) and any(
        condition.get("type") == "Ready" and condition.get("status") == "True"
        for condition in pod.get("status", {}).get("conditions") or ()
    )


def is_leaving(thing: Thing) -> bool:
    """Whether it was told to end."""
    return "deletionTimestamp" in thing["metadata"]


def waits_for_node(pod: Thing) -> bool:
    return not pod.get("spec", {}).get("nodeName")


def pod_of(deployment: str, pods: Iterable[Thing]) -> Thing | None:
    """Return the pod of a deployment; where one replaces another, the newer."""
    ours = [pod for pod in pods if name_of(pod).startswith(f"{deployment}-")]
    ours.sort(key=lambda pod: (not is_leaving(pod), str(pod["metadata"].get("creationTimestamp", ""))))
    return ours[-1] if ours else None


def verdict(deployment: Thing, pod: Thing | None, events: Iterable[Thing], now: datetime | None = None) -> Verdict:
    """Return why the worker of a deployment is not there. `pod`: its pod. `events`: the pod's, in any order."""
    if pod is None or is_leaving(pod):
        return _without_pod(deployment)
    status = pod.get("status", {})
    told = _last(events)
    if status.get("phase") == "Failed":
        return Verdict(f"its pod failed: {_words(status.get('reason'), status.get('message'))}", hopeless=True)
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            why = _short(_PREEMPTION.sub("", str(condition.get("message") or condition.get("reason") or "")))
            grows = told is not None and told.get("reason") == "TriggeredScaleUp"
            return Verdict((why or "no node takes it yet") + (", a node is being added" if grows else ""))
    for container in status.get("containerStatuses") or ():
        waiting = container.get("state", {}).get("waiting")
        if waiting is not None and (found := _waiting(pod, container, waiting, told, now)) is not None:
            return found
    if waits_for_node(pod):
        return Verdict("waits for a node")
    if status.get("phase") == "Pending":
        why = "" if told is None or told.get("type") != "Warning" else _short(str(told.get("message", "")))
        return Verdict(why or f"is made on {printable(str(pod['spec']['nodeName']), 60)}")
    return Verdict("its pod runs, and its worker starts")


def ended(container: Thing) -> str | None:
    """Return how a container has ended the last time; ``None``: it has not."""
    last = _termination(container)
    if last is None:
        return None
    if last.get("reason") == "OOMKilled":
        return "it used more memory than its limit"
    lines = last_words(container).splitlines()
    code = f"exit status {last.get('exitCode')}"
    return f"{code}: {_short(lines[-1])}" if lines else code


def last_words(container: Thing) -> str:
    told = str((_termination(container) or {}).get("message") or "").strip()
    return "\n".join(printable(line, _LONGEST) for line in told.splitlines())


def _termination(container: Thing) -> Thing | None:
    found: Thing | None = container.get("lastState", {}).get("terminated")
    return found or container.get("state", {}).get("terminated")


def _waiting(pod: Thing, container: Thing, waiting: Thing, told: Thing | None, now: datetime | None) -> Verdict | None:
    reason = str(waiting.get("reason", ""))
    if reason in {"ContainerCreating", "PodInitializing", ""}:
        return Verdict("its image is pulled") if told is not None and told.get("reason") == "Pulling" else None
    image = printable(str(container.get("image", "")), 120)
    message = _short(str(waiting.get("message") or ""))
    if reason in {"ErrImagePull", "RegistryUnavailable"}:
        return Verdict(f"its image '{image}' could not be pulled, and is tried again")
    if reason == "ImagePullBackOff" and told is not None and told.get("type") == "Warning":
        message = _short(str(told.get("message") or message))
    why = _HOPELESS.get(reason, f"its container waits ({printable(reason, 60)})")
    if "Image" in reason:
        why = why.replace("its image", f"its image '{image}'")
    if reason == "CrashLoopBackOff":
        message = ended(container) or message
    early = reason.startswith("CreateContainer") and _age(pod, now) < _PATIENCE_SECONDS
    early |= reason == "CrashLoopBackOff" and int(container.get("restartCount", 0)) < _MOST_RESTARTS
    return Verdict(f"{why}: {message}" if message else why, hopeless=reason in _HOPELESS and not early)


def _without_pod(deployment: Thing) -> Verdict:
    for condition in deployment.get("status", {}).get("conditions") or ():
        if condition.get("type") == "ReplicaFailure" and condition.get("status") == "True":
            told = str(condition.get("message") or "")
            if "exceeded quota" in told:
                return Verdict(f"the namespace's quota is used up: {_short(quota_of(told))}", refused=True)
            return Verdict(f"Kubernetes does not make its pod: {_short(told)}", hopeless=True)
    return Verdict("its pod is made")


def _last(events: Iterable[Thing]) -> Thing | None:
    found = sorted(events, key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""))
    return found[-1] if found else None


def _age(pod: Thing, now: datetime | None) -> float:
    told = pod["metadata"].get("creationTimestamp")
    if told is None:
        return 0.0
    return ((now or datetime.now(UTC)) - datetime.fromisoformat(str(told))).total_seconds()


def _words(reason: Any, message: Any) -> str:
    return _short(": ".join(str(word) for word in (reason, message) if word)) or "reason unknown"


def _short(text: str) -> str:
    return printable(" ".join(text.split()), _LONGEST).rstrip(". ")


@dataclass
class PodSlot:
    """What is known of one worker and its pod."""

    name: str  # Of the worker, and of its deployment.
    state: SlotState = SlotState.PENDING
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    why: str | None = None
    there: bool = True  # Whether its deployment is there.
    pod: Thing | None = None
    verdict: Verdict | None = None  # Why it is not connected, as it was last seen.
    came: bool = False  # Whether its worker was connected ever.
    incarnation: tuple[str, int] | None = None  # Its pod, and how often its container was started anew, as last seen.
    addresses: set[str] = field(default_factory=set)  # Of all pods that it has had.

    @property
    def living(self) -> bool:
        """Whether it counts: neither over nor told to end."""
        return self.state in {SlotState.PENDING, SlotState.RUNNING}

    def saw(self, pod: Thing | None, verdict: Verdict) -> bool:
        """Note what was found; returns whether a worker of it has ended that nobody had told to."""
        before, now = self.incarnation, incarnation(pod)
        self.there, self.pod, self.verdict, self.incarnation = True, pod, verdict, now
        if (address := address_of(pod)) is not None:
            self.addresses.add(address)
        return self.came and before is not None and before != now and self.state is not SlotState.LEAVING

    def update(self, here: Collection[str]) -> bool:
        """Find out the state; returns whether the slot is there no more. `here`: names of the connected workers."""
        if self.state is SlotState.LEAVING:
            return not self.there and self.name not in here
        state, why = self._look(here)
        if state is not self.state:
            self.since = datetime.now(UTC)
        self.state, self.why = state, why
        return False

    def _look(self, here: Collection[str]) -> tuple[SlotState, str | None]:
        if not self.there:
            return SlotState.LOST, "its deployment was deleted"
        if self.name in here:
            self.came = True
            return SlotState.RUNNING, None
        verdict = self.verdict or Verdict("its pod is made")
        return (SlotState.FAILED if verdict.hopeless else SlotState.PENDING), verdict.why

    def is_stale(self, host: str) -> bool:
        """Whether a worker at that address of a pod cannot be there any more: another pod has taken its place."""
        return host in self.addresses and host != address_of(self.pod)

    def leave(self) -> None:
        if self.state is not SlotState.LEAVING:
            self.state, self.since, self.why = SlotState.LEAVING, datetime.now(UTC), None

    def model(self) -> Slot:
        return Slot(self.name, self.state, self.since, self.why, self._node())

    def _node(self) -> str | None:
        name = (self.pod or {}).get("spec", {}).get("nodeName")
        return printable(str(name), 60) if name and self.state is SlotState.RUNNING else None


def incarnation(pod: Thing | None) -> tuple[str, int] | None:
    """Return which pod it is, and how often its container was started anew."""
    if pod is None:
        return None
    statuses: Sequence[Thing] = pod.get("status", {}).get("containerStatuses") or ({},)
    return str(pod["metadata"].get("uid")), int(statuses[0].get("restartCount", 0))


def address_of(pod: Thing | None) -> str | None:
    """Return the address of a pod, once it has one."""
    return None if pod is None else pod.get("status", {}).get("podIP")

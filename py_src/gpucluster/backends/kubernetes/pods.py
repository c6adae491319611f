"""A cluster's pods: why one waits, cannot start or is gone, by its status and events; waiting for them, and their end.

A cluster is known by its name and its labels, even after its supervisor's death.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shlex
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ...protocol.errors import OperationTimedOut, StartFailed
from ...protocol.plain_text import printable
from ..deployment import Slot, SlotState
from .api import DASK, Kubernetes, KubernetesRefused, KubernetesSilent, quota_of
from .manifest import CLUSTER_LABEL, INSTANCE, resource_name

Thing = Mapping[str, Any]  # An object of Kubernetes, as from its API.
_HOPELESS = {
    "ImagePullBackOff": "its image cannot be pulled",
    "InvalidImageName": "its image name is invalid",
    "ErrImageNeverPull": "its image is not on the node, and pulling it is not allowed",
    "CrashLoopBackOff": "it keeps crashing",
    "CreateContainerConfigError": "its container cannot be created",
    "CreateContainerError": "its container cannot be created",
    "RunContainerError": "its container cannot be run",
}
_PATIENCE_SECONDS = 15.0  # The secret is made after the pods: until then a missing one does not make them hopeless.
_MOST_RESTARTS = 2
_PREEMPTION = re.compile(r"\.? *(preemption:|no new claims to deallocate).*", re.DOTALL)
_LONGEST = 300


@dataclass(frozen=True)
class Verdict:
    """Why the worker of a pod is not connected."""

    why: str  # Without a full stop.
    hopeless: bool = False  # Whether it will not start unless something is changed.
    refused: bool = False  # Whether a quota prevents it, so that it may start when other pods end.


def name_of(thing: Thing) -> str:
    return str(thing["metadata"]["name"])


def is_ready(pod: Thing) -> bool:
    return not is_leaving(pod) and any(
        condition.get("type") == "Ready" and condition.get("status") == "True"
        for condition in pod.get("status", {}).get("conditions") or ()
    )


def is_leaving(thing: Thing) -> bool:
    """Whether it is being deleted."""
    return "deletionTimestamp" in thing["metadata"]


def waits_for_node(pod: Thing) -> bool:
    return not pod.get("spec", {}).get("nodeName")


def pod_of(deployment: str, pods: Iterable[Thing]) -> Thing | None:
    """Return the pod of a deployment; the newer one if there are two."""
    ours = [pod for pod in pods if name_of(pod).startswith(f"{deployment}-")]
    ours.sort(key=lambda pod: (not is_leaving(pod), str(pod["metadata"].get("creationTimestamp", ""))))
    return ours[-1] if ours else None


def verdict(deployment: Thing, pod: Thing | None, events: Iterable[Thing], now: datetime | None = None) -> Verdict:
    """Return why the worker of a deployment is not connected. `events`: those of its pod, in any order."""
    if pod is None or is_leaving(pod):
        return _without_pod(deployment)
    status = pod.get("status", {})
    last = _last(events)
    if status.get("phase") == "Failed":
        return Verdict(f"its pod failed: {_words(status.get('reason'), status.get('message'))}", hopeless=True)
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            why = _short(_PREEMPTION.sub("", str(condition.get("message") or condition.get("reason") or "")))
            grows = last is not None and last.get("reason") == "TriggeredScaleUp"
            return Verdict((why or "not scheduled on a node yet") + (", a node is being added" if grows else ""))
    for container in status.get("containerStatuses") or ():
        waiting = container.get("state", {}).get("waiting")
        if waiting is not None and (found := _waiting(pod, container, waiting, last, now)) is not None:
            return found
    if waits_for_node(pod):
        return Verdict("waits for a node")
    if status.get("phase") == "Pending":
        why = "" if last is None or last.get("type") != "Warning" else _short(str(last.get("message", "")))
        return Verdict(why or f"is being created on {printable(str(pod['spec']['nodeName']), 60)}")
    return Verdict("its pod is running and its worker is starting")


def ended(container: Thing) -> str | None:
    last = _termination(container)
    if last is None:
        return None
    if last.get("reason") == "OOMKilled":
        return "it used more memory than its limit"
    lines = last_words(container).splitlines()
    code = f"exit status {last.get('exitCode')}"
    return f"{code}: {_short(lines[-1])}" if lines else code


def last_words(container: Thing) -> str:
    message = str((_termination(container) or {}).get("message") or "").strip()
    return "\n".join(printable(line, _LONGEST) for line in message.splitlines())


def _termination(container: Thing) -> Thing | None:
    found: Thing | None = container.get("lastState", {}).get("terminated")
    return found or container.get("state", {}).get("terminated")


def _waiting(pod: Thing, container: Thing, waiting: Thing, last: Thing | None, now: datetime | None) -> Verdict | None:
    reason = str(waiting.get("reason", ""))
    if reason in {"ContainerCreating", "PodInitializing", ""}:
        return Verdict("its image is being pulled") if last is not None and last.get("reason") == "Pulling" else None
    image = printable(str(container.get("image", "")), 120)
    message = _short(str(waiting.get("message") or ""))
    if reason in {"ErrImagePull", "RegistryUnavailable"}:
        return Verdict(f"its image '{image}' could not be pulled; retrying")
    if reason == "ImagePullBackOff" and last is not None and last.get("type") == "Warning":
        message = _short(str(last.get("message") or message))
    why = _HOPELESS.get(reason, f"its container is waiting ({printable(reason, 60)})")
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
            message = str(condition.get("message") or "")
            if "exceeded quota" in message:
                return Verdict(f"the namespace's quota is used up: {_short(quota_of(message))}", refused=True)
            return Verdict(f"Kubernetes does not create its pod: {_short(message)}", hopeless=True)
    return Verdict("its pod is being created")


def _last(events: Iterable[Thing]) -> Thing | None:
    found = sorted(events, key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""))
    return found[-1] if found else None


def _age(pod: Thing, now: datetime | None) -> float:
    created = pod["metadata"].get("creationTimestamp")
    if created is None:
        return 0.0
    return ((now or datetime.now(UTC)) - datetime.fromisoformat(str(created))).total_seconds()


def _words(reason: Any, message: Any) -> str:
    return _short(": ".join(str(word) for word in (reason, message) if word)) or "reason unknown"


def _short(text: str) -> str:
    return printable(" ".join(text.split()), _LONGEST).rstrip(". ")


@dataclass
class PodSlot:
    """The state of one worker and its pod."""

    name: str  # Of the worker, and of its deployment.
    state: SlotState = SlotState.PENDING
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    why: str | None = None
    there: bool = True  # Whether its deployment exists.
    pod: Thing | None = None
    verdict: Verdict | None = None  # Why it was not connected at the last look.
    came: bool = False  # Whether its worker was ever connected.
    incarnation: tuple[str, int] | None = None  # Its pod and its container's restarts at the last look.
    addresses: set[str] = field(default_factory=set)  # Of all its pods so far.

    @property
    def living(self) -> bool:
        """Whether it counts: neither over nor leaving."""
        return self.state in {SlotState.PENDING, SlotState.RUNNING}

    def saw(self, pod: Thing | None, verdict: Verdict) -> bool:
        """Note a look at its pod; return whether its worker has ended without a request."""
        before, now = self.incarnation, incarnation(pod)
        self.there, self.pod, self.verdict, self.incarnation = True, pod, verdict, now
        if (address := address_of(pod)) is not None:
            self.addresses.add(address)
        return self.came and before is not None and before != now and self.state is not SlotState.LEAVING

    def update(self, here: Collection[str]) -> bool:
        """Update the state from the names of the connected workers; return whether the slot is gone."""
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
        verdict = self.verdict or Verdict("its pod is being created")
        return (SlotState.FAILED if verdict.hopeless else SlotState.PENDING), verdict.why

    def is_stale(self, host: str) -> bool:
        """Whether that is the address of an earlier pod, so that no worker can be there any more."""
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
    """Return the pod's UID, and how often its container was restarted."""
    if pod is None:
        return None
    statuses: Sequence[Thing] = pod.get("status", {}).get("containerStatuses") or ({},)
    return str(pod["metadata"].get("uid")), int(statuses[0].get("restartCount", 0))


def address_of(pod: Thing | None) -> str | None:
    """Return the address of a pod, once it has one."""
    return None if pod is None else pod.get("status", {}).get("podIP")


END_LOOK_SECONDS = 0.3


class NotEnded(OperationTimedOut):
    """Something that Kubernetes was requested to delete is still there."""

    code = "kubernetes_not_ended"


def selector(cluster_id: str, component: str | None = None) -> str:
    chosen = f"{CLUSTER_LABEL}={resource_name(cluster_id)},{INSTANCE}={cluster_id}"
    return chosen if component is None else f"{chosen},dask.org/component={component}"


async def end_cluster(kubernetes: Kubernetes, cluster_id: str, patience: float, *, secret: bool) -> list[str]:
    """Delete a cluster and wait until its pods are gone; return the names of the deleted objects."""
    name = resource_name(cluster_id)
    ended: dict[str, None] = {}
    deadline = time.monotonic() + patience
    while True:
        cluster = await _find(kubernetes, name, cluster_id)
        if cluster is not None and not is_leaving(cluster):
            await kubernetes.delete(f"daskclusters/{name}", version=DASK)
            ended[name] = None
            if secret:
                await kubernetes.delete(f"secrets/{name}")
        # The garbage collector would do this, too, but later.
        deployments = await kubernetes.items("deployments", version="apps/v1", labelSelector=selector(cluster_id))
        for deployment in deployments:
            if not is_leaving(deployment):
                await kubernetes.delete(f"deployments/{name_of(deployment)}", version="apps/v1")
                ended[name_of(deployment)] = None
        pods = await kubernetes.items("pods", labelSelector=selector(cluster_id))
        if cluster is None and not deployments and not pods:
            return list(ended)
        if time.monotonic() > deadline:
            left = [name_of(thing) for thing in (*deployments, *pods)]
            if left:
                raise NotEnded(f"Kubernetes has not deleted {', '.join(left)}")
            raise NotEnded(
                f"Its pods are gone, but Dask's operator has not removed the DaskCluster {name}: is the operator "
                "running?"
            )
        await asyncio.sleep(END_LOOK_SECONDS)


def commands_to_remove(name: str, namespace: str, kubeconfig: str | None, context: str | None) -> list[str]:
    """Return commands that remove a cluster and its dependents, even without a running operator."""
    kubectl = ["kubectl", "--namespace", namespace]
    if kubeconfig is not None and kubeconfig != os.environ.get("KUBECONFIG"):
        kubectl += ["--kubeconfig", kubeconfig]
    if context is not None:
        kubectl += ["--context", context]
    no_finalizers = json.dumps({"metadata": {"finalizers": None}})
    return [
        shlex.join([*kubectl, "delete", "--wait=false", "daskcluster", name]),
        shlex.join([*kubectl, "patch", "daskcluster", name, "--type=merge", "--patch", no_finalizers]),
    ]


async def _find(kubernetes: Kubernetes, name: str, cluster_id: str) -> dict[str, Any] | None:
    """Return the ``DaskCluster``, if it is ours."""
    try:
        found = await kubernetes.ask("GET", f"daskclusters/{name}", version=DASK)
    except KubernetesRefused as error:
        if error.absent:
            return None
        raise
    return found if found["metadata"].get("labels", {}).get(INSTANCE) == cluster_id else None


logger = logging.getLogger("gpucluster.backends")

LOOK_SECONDS = 0.5
OPERATOR_SECONDS = 30.0  # An operator that has made nothing by then does not watch this namespace, or does not run.
SILENCE_SECONDS = 60.0  # A start fails only if Kubernetes has not answered for this time.
_ENDS = frozenset(
    {"Evicted", "Preempted", "Preempting", "TaintManagerEviction", "NodeNotReady", "NodeShutdown", "Killing"}
)
"""Reasons of events that explain why a pod is gone."""


async def look(kubernetes: Kubernetes, selector: str) -> tuple[list[Thing], list[Thing]]:
    """Return the deployments and pods with these labels, without deployments that are being deleted."""
    # One after the other: kr8s renews an expired login for one request at a time.
    deployments = await kubernetes.items("deployments", version="apps/v1", labelSelector=selector)
    pods = await kubernetes.items("pods", labelSelector=selector)
    return [deployment for deployment in deployments if not is_leaving(deployment)], [*pods]


async def events_of(kubernetes: Kubernetes, name: str) -> list[dict[str, Any]]:
    """Return the events of one object; none without the right to read events."""
    with suppress(KubernetesRefused):
        return await kubernetes.items("events", fieldSelector=f"involvedObject.name={name}")
    return []


async def how_it_ended(kubernetes: Kubernetes, before: Thing, now: Thing | None) -> str:
    """Return why a worker is gone. `before`: its pod. `now`: the present one; the same if a container was restarted."""
    if now is not None and now["metadata"].get("uid") == before["metadata"].get("uid"):
        statuses: Sequence[Thing] = now.get("status", {}).get("containerStatuses") or ({},)
        if message := last_words(statuses[0]):
            logger.warning("The container of %s exited; it printed:\n%s", name_of(now), message)
        return f"its container exited ({ended(statuses[0]) or 'reason unknown'}) and is being restarted"
    events = [event for event in await events_of(kubernetes, name_of(before)) if event.get("reason") in _ENDS]
    node = printable(str(before.get("spec", {}).get("nodeName") or "its node"), 60)
    if not events:
        return f"its pod on {node} is gone and is being replaced"
    message = printable(str(events[-1].get("message") or events[-1]["reason"]), 200).rstrip(". ")
    return f"its pod on {node} is gone ({events[-1]['reason']}: {message}) and is being replaced"


async def scheduler_is_ready(kubernetes: Kubernetes, cluster_id: str, report: Callable[[str], None]) -> None:
    """Wait until the scheduler's pod accepts connections, and report why it does not yet. Raises `StartFailed`."""
    begun = heard = time.monotonic()
    before: str | None = None
    while True:
        try:
            deployments, pods = await look(kubernetes, selector(cluster_id, "scheduler"))
            heard = time.monotonic()
        except KubernetesSilent:
            if time.monotonic() - heard > SILENCE_SECONDS:
                raise
            await asyncio.sleep(LOOK_SECONDS)
            continue
        if deployments:
            (deployment, *_) = deployments
            pod = pod_of(name_of(deployment), pods)
            if pod is not None and is_ready(pod):
                return
            events = [] if pod is None else await events_of(kubernetes, name_of(pod))
            found = verdict(deployment, pod, events)
            if found.hopeless or found.refused:
                for container in (pod or {}).get("status", {}).get("containerStatuses") or ():
                    logger.error("The scheduler's container printed:\n%s", last_words(container))
                raise StartFailed(f"The scheduler could not start: {found.why}.")
            waits = f"Waiting for the scheduler's pod: {found.why}"
        else:
            waits = "Waiting for Dask's operator"
            if time.monotonic() - begun > OPERATOR_SECONDS:
                raise StartFailed(await _silent_operator(kubernetes, cluster_id))
        if waits != before:
            report(waits)
            before = waits
        await asyncio.sleep(LOOK_SECONDS)


async def _silent_operator(kubernetes: Kubernetes, cluster_id: str) -> str:
    name = resource_name(cluster_id)
    try:
        await kubernetes.ask("GET", f"daskclusters/{name}", version=DASK)
    except KubernetesRefused as error:
        if error.absent:
            return f"The DaskCluster {name} was deleted while starting."
    # The operator's framework writes events if a step fails.
    warnings = [event for event in await events_of(kubernetes, name) if event.get("type") in {"Warning", "Error"}]
    if warnings:
        why = printable(str(warnings[-1].get("message", "")), 300).rstrip(". ")
        return f"Dask's operator could not create the scheduler: {why}."
    return (
        f"Dask's operator has not created a scheduler within {OPERATOR_SECONDS:.0f} seconds. Is it running, and does "
        f"it watch the namespace '{kubernetes.namespace}'? kubectl get pods -A -l "
        "app.kubernetes.io/name=dask-kubernetes-operator"
    )

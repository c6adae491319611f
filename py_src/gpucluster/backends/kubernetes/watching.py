"""Looks at a cluster's pods, and waits for its scheduler."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ...protocol.errors import StartFailed
from ...protocol.plain_text import printable
from .api import DASK, Kubernetes, KubernetesRefused, KubernetesSilent
from .ending import selector
from .manifest import resource_name
from .pods import Thing, ended, is_leaving, is_ready, last_words, name_of, pod_of, verdict

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
    """Return why a worker is gone, in a few words.

    `before`: the pod that its worker was in. `now`: the current pod, which is the same if only its container was
    restarted.
    """
    if now is not None and now["metadata"].get("uid") == before["metadata"].get("uid"):
        statuses: Sequence[Thing] = now.get("status", {}).get("containerStatuses") or ({},)
        if message := last_words(statuses[0]):
            logger.warning("The container of %s ended; it printed:\n%s", name_of(now), message)
        return f"its container has ended ({ended(statuses[0]) or 'reason unknown'}) and is restarted"
    events = [event for event in await events_of(kubernetes, name_of(before)) if event.get("reason") in _ENDS]
    node = printable(str(before.get("spec", {}).get("nodeName") or "its node"), 60)
    if not events:
        return f"its pod on {node} is gone, and another takes its place"
    message = printable(str(events[-1].get("message") or events[-1]["reason"]), 200).rstrip(". ")
    return f"its pod on {node} is gone ({events[-1]['reason']}: {message}), and another takes its place"


async def scheduler_is_ready(kubernetes: Kubernetes, cluster_id: str, report: Callable[[str], None]) -> None:
    """Wait until the scheduler's pod accepts connections; the caller may cancel this.

    `report`: called with what is waited for, in a few words, whenever that changes. Raises `StartFailed` with the
    reason if it will not.
    """
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
            return f"The DaskCluster {name} was deleted while it started."
    # The operator's framework writes events if a step fails.
    warnings = [event for event in await events_of(kubernetes, name) if event.get("type") in {"Warning", "Error"}]
    if warnings:
        why = printable(str(warnings[-1].get("message", "")), 300).rstrip(". ")
        return f"Dask's operator could not make the scheduler: {why}."
    return (
        f"Dask's operator has made no scheduler in {OPERATOR_SECONDS:.0f} seconds. Does it run, and does it look at "
        f"the namespace '{kubernetes.namespace}'? kubectl get pods -A -l "
        "app.kubernetes.io/name=dask-kubernetes-operator"
    )

"""One cluster of pods: the operator makes them, and this says how many, tells why they wait, and ends them.

The operator asks a scheduler which worker may go, without credentials, and gives up on one that encrypts. So the
number in its worker group is only ever raised for more workers; those that are to leave are chosen here, and their
deployments deleted before the number is lowered to what is left.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

from ...protocol.errors import PreflightFailed, StartFailed
from ..backend import Plan, StartContext
from ..deployment import Slot, SlotState, cause_of
from ..following import Following, SubmittingDeployment
from ..scheduler.remote import RemoteScheduler
from ..workers import given_environment
from . import pods
from .api import DASK, MERGE, Access, Kubernetes, KubernetesRefused, KubernetesSilent, Route
from .manifest import dask_cluster, manifest_text, needs_secret, resource_name, secret
from .pods import PodSlot, Thing, name_of
from .spec import KubernetesSpec

UNHEARD_SECONDS = 15.0  # After this time without a reaction of the operator, the number is sent again.
_NOTED = "kopf.zalando.org/last-handled-configuration"  # What the operator's framework has handled last.


class Replicas:
    """The number of workers of one worker group.

    The operator acts when the number changes, and makes as many deployments as are missing then. It replaces none that
    is deleted. It may see two changes in quick succession as one.
    """

    def __init__(self, kubernetes: Kubernetes, cluster: str, wanted: int) -> None:
        self._kubernetes = kubernetes
        self._path = f"daskworkergroups/{cluster}-default"
        self.wanted = wanted
        self._changed = time.monotonic()

    def want(self, n: int) -> None:
        """Set the number; ``settle`` sends it to the operator."""
        if n != self.wanted:
            self.wanted, self._changed = n, time.monotonic()

    async def settle(self, there: int) -> None:
        """Send the operator the number that brings the deployments to what is wanted. `there`: deployments now."""
        try:
            group = await self._kubernetes.ask("GET", self._path, version=DASK)
        except KubernetesRefused as error:
            if error.absent:
                return  # The operator has not made it yet, or the cluster was deleted.
            raise
        sent = int(group["spec"]["worker"].get("replicas") or 0)
        if there >= self.wanted:
            # A lower number only after the deployments are gone, so that the operator does not choose them.
            if sent != self.wanted and there == self.wanted:
                await self._send(self.wanted)
        elif sent != self.wanted:
            # Together with a change that it has not handled yet, the operator might see no change at all.
            if self._unheard() or (sent <= there and self._has_noted(group, sent)):
                await self._send(self.wanted)
        elif self._has_noted(group, sent) and self._unheard():
            # It has handled this number, and yet some are missing: only another number makes it act again.
            logger.info("The operator has created %d of %d workers; the request is repeated", there, self.wanted)
            await self._send(there)

    def _unheard(self) -> bool:
        return time.monotonic() - self._changed > UNHEARD_SECONDS

    @staticmethod
    def _has_noted(group: dict[str, Any], sent: int) -> bool:
        noted = group["metadata"].get("annotations", {}).get(_NOTED)
        try:
            return noted is None or json.loads(noted)["spec"]["worker"].get("replicas") == sent
        except (ValueError, KeyError, TypeError, AttributeError):
            return True

    async def _send(self, n: int) -> None:
        self._changed = time.monotonic()
        body = {"spec": {"worker": {"replicas": n}}}
        await self._kubernetes.ask("PATCH", self._path, version=DASK, body=body, headers=MERGE)


logger = logging.getLogger("gpucluster.backends")

INTERVAL_SECONDS = 1.0
CALM_SECONDS = 10.0  # Between two looks when all workers run.
STOP_SECONDS = 8.0
CONNECT_SECONDS = 20.0


class KubernetesDeployment(SubmittingDeployment):
    """Made by ``start``."""

    unit = "pod"
    scheduler: RemoteScheduler

    def __init__(self, spec: KubernetesSpec, plan: Plan, context: StartContext, kubernetes: Kubernetes) -> None:
        super().__init__()
        self._spec = spec
        self._context = context
        self._kubernetes = kubernetes
        self._id = context.cluster_id
        self._route = Route(kubernetes, self._id, inside=plan.options["inside"])
        self._replicas = Replicas(kubernetes, resource_name(self._id), plan.n_workers)
        self._slots: dict[str, PodSlot] = {}
        self._not_there_yet: list[PodSlot] = []
        self._numbered = 0
        self._deleted: set[str] = set()
        silent = (KubernetesSilent, KubernetesRefused)
        self._following = Following(
            self._look, self._restless, "pods", often=INTERVAL_SECONDS, calm=CALM_SECONDS, silent=silent
        )

    @classmethod
    async def start(
        cls, spec: KubernetesSpec, plan: Plan, context: StartContext, kubernetes: Kubernetes, access: Access
    ) -> KubernetesDeployment:
        """Submit the cluster to the operator, wait for its scheduler, and connect."""
        self = cls(spec, plan, context, kubernetes)
        manifest = dask_cluster(spec, self._id, kubernetes.namespace, plan.n_workers)
        self.submitted = manifest_text(manifest)
        where = {**asdict(access), "namespace": kubernetes.namespace}
        context.remember({"name": resource_name(self._id), **where, "secret": needs_secret(spec)})
        try:
            context.report("submit", "Submitting the cluster to Dask's operator")
            await self._create(manifest)
            await pods.scheduler_is_ready(kubernetes, self._id, lambda why: context.report("scheduler", why))
            await self._connect()
            self._expect(plan.n_workers)
            self.tasks.begin(self._following.run())
        except BaseException:
            with suppress(Exception):
                await asyncio.shield(self.close())
            raise
        return self

    async def _create(self, manifest: Thing) -> None:
        try:
            made = await self._kubernetes.ask("POST", "daskclusters", version=DASK, body=manifest)
            if needs_secret(self._spec):
                body = secret(
                    self._spec,
                    self._id,
                    made,
                    tls_directory=self._context.tls_directory,
                    dashboard_prefix=self._context.dashboard_prefix,
                    variables=given_environment(self._spec),
                )
                await self._kubernetes.ask("POST", "secrets", body=body)
        except KubernetesRefused as error:
            raise StartFailed(f"Kubernetes rejected the cluster: {error.message}.") from error

    async def _connect(self) -> None:
        from ..existing.deployment import greet

        self._context.report("scheduler", "Connecting to the scheduler")
        (host, port), dashboard = await self._route.open()
        address = f"{self._spec.protocol}://{host}:{port}"
        security = self._context.security if self._spec.protocol == "tls" else None
        try:
            greeting = await greet(address, security)
            scheduler = await RemoteScheduler.connect(address, security, timeout=CONNECT_SECONDS, dashboard=dashboard)
        except PreflightFailed as error:
            raise StartFailed(f"In the image: {error.message}") from error
        except Exception as error:
            raise StartFailed(f"The scheduler's pod is running but cannot be reached ({cause_of(error)}).") from error
        self.scheduler = scheduler
        if security is None:
            scheduler.dashboard_prefix = ""
        if greeting.warning is not None:
            self._context.tell("state", greeting.warning)

    # -- what there is ---------------------------------------------------------------------------

    def slots(self) -> list[Slot]:
        here = {worker.name for worker in self.scheduler.members().workers}
        for name, slot in list(self._slots.items()):
            before = slot.state
            if slot.update(here):
                del self._slots[name]
            elif slot.state is not before and before is SlotState.RUNNING and slot.state is not SlotState.LEAVING:
                self._following.soon()
        return [slot.model() for slot in (*self._slots.values(), *self._not_there_yet)]

    def staying(self) -> list[PodSlot]:
        return [slot for slot in self._slots.values() if slot.living] + self._not_there_yet

    def in_the_queue(self) -> list[str]:
        waiting = [slot for slot in self._slots.values() if slot.living and not slot.came]
        waiting = [slot for slot in waiting if slot.pod is None or pods.waits_for_node(slot.pod)]
        return [slot.name for slot in (*waiting, *self._not_there_yet)][::-1]

    def leaving(self, n: int) -> set[str]:
        self.slots()
        queue = self.in_the_queue()
        others = [slot for slot in self.staying()[::-1] if slot.name not in queue]
        # Workers that wait for a node leave before those that have one.
        others.sort(key=lambda slot: slot.state is SlotState.RUNNING)
        names = queue + [slot.name for slot in others]
        return set(names[: max(0, len(names) - n)])

    def notes(self) -> list[str]:
        return self._following.notes()

    # -- changing it -----------------------------------------------------------------------------

    async def scale(self, n: int) -> None:
        await self.adapt(None)
        over = {slot.name for slot in self.slots() if slot.state in {SlotState.LOST, SlotState.FAILED}}
        await self.release(over | self.leaving(n))
        await self.submit(max(0, n - len(self.staying())))

    async def submit(self, count: int) -> None:
        if count:
            self._expect(len(self._not_there_yet) + count)
            self._replicas.want(self._n_there() + len(self._not_there_yet))
            await self._replicas.settle(self._n_there())
            self._following.soon()

    def _expect(self, count: int) -> None:
        """Set the number of slots of workers that the operator has made no deployment for yet."""
        del self._not_there_yet[count:]
        while len(self._not_there_yet) < count:
            self._numbered += 1
            self._not_there_yet.append(PodSlot(f"new-{self._numbered}", why="waits for Dask's operator"))

    def _n_there(self) -> int:
        return sum(slot.there and slot.state is not SlotState.LEAVING for slot in self._slots.values())

    async def release(self, names: Collection[str]) -> None:
        if not names:
            return
        leaving = [slot for slot in self._slots.values() if slot.name in names]
        self._expect(sum(slot.name not in names for slot in self._not_there_yet))
        for slot in leaving:
            slot.leave()
        self._replicas.want(self._n_there() + len(self._not_there_yet))
        for slot in leaving:
            self._deleted.add(slot.name)
            await self._kubernetes.delete(f"deployments/{slot.name}", version="apps/v1")
        await self._replicas.settle(self._n_there())
        self._following.soon()

    async def close(self) -> None:
        """End everything in Kubernetes; raises if it does not confirm that the pods are gone."""
        await self.adapt(None)
        self.tasks.stop()
        has_secret = needs_secret(self._spec)
        ending = asyncio.ensure_future(pods.end_cluster(self._kubernetes, self._id, STOP_SECONDS, secret=has_secret))
        try:
            if hasattr(self, "scheduler"):
                await asyncio.wait_for(self.scheduler.close(), 2.0)
        except TimeoutError:
            logger.warning("The view of the scheduler did not end cleanly")
        finally:
            try:
                await ending
            finally:
                await self._route.close()
        self._context.remember({})

    # -- following it ----------------------------------------------------------------------------

    def _restless(self) -> bool:
        return bool(self._not_there_yet) or any(slot.state is not SlotState.RUNNING for slot in self._slots.values())

    async def _look(self) -> None:
        deployments, all_pods = await pods.look(self._kubernetes, pods.selector(self._id, "worker"))
        found = {name_of(deployment): deployment for deployment in deployments}
        fresh = [name for name in found if name not in self._slots and name not in self._deleted]
        for name in fresh:
            self._slots[name] = PodSlot(name)
        self._expect(len(self._not_there_yet) - len(fresh))
        for name, slot in list(self._slots.items()):
            if name not in found:
                slot.there = False
                continue
            if slot.state is SlotState.LEAVING:
                # Kubernetes may not have answered the first request.
                await self._kubernetes.delete(f"deployments/{name}", version="apps/v1")
                continue
            pod = pods.pod_of(name, all_pods)
            before = slot.pod
            events = [] if pod is None or pods.is_ready(pod) else await pods.events_of(self._kubernetes, name_of(pod))
            if slot.saw(pod, pods.verdict(found[name], pod, events)) and before is not None:
                why = await pods.how_it_ended(self._kubernetes, before, pod)
                self._context.tell("worker_died", f"Worker {name}: {why}.")
        self.slots()
        await self._forget_stale()
        too_many = self._n_there() - self._replicas.wanted
        if too_many > 0:
            # The operator was just making them when the number was lowered.
            await self.release([name for name in fresh if self._slots[name].state is not SlotState.RUNNING][-too_many:])
        await self._replicas.settle(self._n_there())

    async def _forget_stale(self) -> None:
        """Remove workers whose pods are gone from the scheduler, which would keep silent ones for minutes."""
        for worker in self.scheduler.members().workers:
            slot = self._slots.get(worker.name)
            if slot is not None and slot.is_stale(urlsplit(worker.address).hostname or ""):
                with suppress(OSError):
                    await self.scheduler.forget(worker.address)

"""A simulated node: deployments get pods, pods get a node and an address of loopback, and their containers are
processes of this machine that run exactly the command of the manifest.
"""

import asyncio
import base64
import json
import os
import random
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from apiserver import Store, now

Thing = dict[str, Any]
LOOK_SECONDS = 0.1
GPU = "nvidia.com/gpu"
KEPT = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH")


class Containers:
    """Processes that are forked from one that has imported Dask, so that pods start fast."""

    def __init__(self) -> None:
        self._process: Any = None
        self._started: list[asyncio.Future[int]] = []
        self._ended: dict[int, asyncio.Future[int]] = {}

    async def start(self, **what: Any) -> tuple[int, asyncio.Future[int]]:
        """Start one; return its pid, and a future of its exit status."""
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                str(Path(__file__).parent / "containers.py"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            self._reading = asyncio.create_task(self._read())
        started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._started.append(started)
        self._process.stdin.write(json.dumps(what).encode() + b"\n")
        pid = await started
        return pid, self._ended[pid]

    async def _read(self) -> None:
        while line := await self._process.stdout.readline():
            event = json.loads(line)
            if "status" in event:
                self._ended.pop(event["pid"]).set_result(event["status"])
            else:
                self._ended[event["pid"]] = asyncio.get_running_loop().create_future()
                self._started.pop(0).set_result(event["pid"])

    async def close(self) -> None:
        if self._process is not None:
            self._process.stdin.close()
            self._process.kill()
            await self._process.wait()


class Node:
    """One node with some GPUs and labels, and the controllers that a real Kubernetes has."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.gpus = 2
        self.most_pods: int | None = None
        self.labels = {"disk": "ssd"}
        self._network = f"127.{random.randint(1, 250)}.{random.randint(1, 250)}"
        self._n = 0
        self._containers = Containers()
        self._running: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Reconcile everything until cancelled."""
        while True:
            for deployment in self.store.list("deployments"):
                self._have_pod(deployment)
            for pod in self.store.list("pods"):
                self._have_process(pod)
            self.store.collect_garbage()
            await asyncio.sleep(LOOK_SECONDS)

    # -- deployments -----------------------------------------------------------------------------

    def _have_pod(self, deployment: Thing) -> None:
        metadata = deployment["metadata"]
        if "deletionTimestamp" in metadata:
            return
        pods = self.store.list("pods", metadata["namespace"])
        ours = [
            pod
            for pod in pods
            if pod["metadata"]["ownerReferences"][0]["uid"] == metadata["uid"]
            and "deletionTimestamp" not in pod["metadata"]
        ]
        if ours:
            return
        if self.most_pods is not None and len(pods) >= self.most_pods:
            message = (
                f'pods "{metadata["name"]}-5d4f8" is forbidden: exceeded quota: class, requested: pods=1, used: '
                f"pods={len(pods)}, limited: pods={self.most_pods}"
            )
            condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
            self._status("deployments", deployment, {"conditions": [condition]})
            return
        self._status("deployments", deployment, {"conditions": []})
        template = deployment["spec"]["template"]
        owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": metadata["name"], "uid": metadata["uid"]}
        pod = {
            "metadata": {
                "generateName": f"{metadata['name']}-7c9f6d8b5-",
                "labels": dict(template["metadata"]["labels"]),
                "ownerReferences": [owner],
            },
            "spec": {**template["spec"]},
            "status": {"phase": "Pending"},
        }
        self.store.create("v1", "pods", metadata["namespace"], pod)

    # -- pods ------------------------------------------------------------------------------------

    def _have_process(self, pod: Thing) -> None:
        metadata = pod["metadata"]
        uid = metadata["uid"]
        if uid in self._running:
            return
        if "deletionTimestamp" in metadata:
            self.store.forget("pods", metadata["namespace"], metadata["name"])
        elif (why := self._no_place(pod)) is not None:
            preemption = "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
            message = f"0/1 nodes are available: 1 {why}. {preemption}"
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
            if self._status("pods", pod, {"conditions": [condition]}):
                self.store.event(pod, "Warning", "FailedScheduling", message)
        else:
            self._change(pod, {"spec": {"nodeName": "node1"}, "status": {"conditions": []}})
            self._running[uid] = asyncio.create_task(self._keep(metadata["namespace"], metadata["name"], uid))

    def _no_place(self, pod: Thing) -> str | None:
        if pod["spec"].get("nodeName"):
            return None
        if not (pod["spec"].get("nodeSelector") or {}).items() <= self.labels.items():
            return "node(s) didn't match Pod's node affinity/selector"
        used = sum(_gpus(other) for other in self.store.list("pods") if other["spec"].get("nodeName"))
        return f"Insufficient {GPU}" if used + _gpus(pod) > self.gpus else None

    async def _keep(self, namespace: str, name: str, uid: str) -> None:
        """Run the container of one pod, and run it again when it ends, until the pod is deleted."""
        self._n += 1
        address = f"{self._network}.{self._n % 250 + 1}"
        restarts, last = 0, {}
        try:
            while (pod := self._living(namespace, name)) is not None:
                (container,) = pod["spec"]["containers"]
                status = {"image": container["image"], "restartCount": restarts, "lastState": last}
                if "absent" in container["image"]:
                    await self._cannot_pull(pod, status)
                    continue
                command = await self._prepared(pod, address)
                if command is None:
                    await asyncio.sleep(LOOK_SECONDS)
                    continue
                pid, end = await self._start(command, uid)
                running = {"running": {"startedAt": now()}}
                scheduled = [{"type": "PodScheduled", "status": "True"}]
                statuses = {"containerStatuses": [status | {"state": running}], "conditions": scheduled}
                self._status("pods", pod, {"phase": "Running", "podIP": address, **statuses})
                code = await self._attend(pid, end, namespace, name, container, address)
                if code is None:
                    return
                restarts += 1
                words = (self.folder / f"{uid}.log").read_text(errors="replace")[-300:]
                reason = "OOMKilled" if code == -signal.SIGKILL else "Error" if code else "Completed"
                ended = {"exitCode": code if code >= 0 else 128 - code, "reason": reason, "message": words}
                last = {"terminated": ended}
                waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s restarting"}}
                waiting = waiting if restarts > 1 else {"terminated": ended}  # The first time it is run at once.
                if (pod := self._living(namespace, name)) is not None:
                    state = status | {"state": waiting, "lastState": last, "restartCount": restarts}
                    not_ready = {"containerStatuses": [state], "conditions": [{"type": "Ready", "status": "False"}]}
                    self._status("pods", pod, not_ready)
                    await asyncio.sleep(0.2 if restarts < 2 else 2)
        finally:
            self.store.forget("pods", namespace, name)
            self._running.pop(uid, None)

    def _living(self, namespace: str, name: str) -> Thing | None:
        pod = self.store.things.get(("pods", namespace, name))
        return pod if pod is not None and "deletionTimestamp" not in pod["metadata"] else None

    async def _cannot_pull(self, pod: Thing, status: Thing) -> None:
        image = status["image"]
        message = (
            f'Failed to pull image "{image}": rpc error: code = NotFound desc = failed to pull and unpack image '
            f'"docker.io/library/{image}:latest": not found'
        )
        self.store.event(pod, "Warning", "Failed", message)
        waiting = {"waiting": {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{image}"'}}
        self._status("pods", pod, {"containerStatuses": [status | {"state": waiting}]})
        await asyncio.sleep(1)

    async def _prepared(self, pod: Thing, address: str) -> tuple[list[str], dict[str, str]] | None:
        """Return command and environment of a container; ``None``: something that it needs is still missing."""
        (container,) = pod["spec"]["containers"]
        namespace = pod["metadata"]["namespace"]
        variables: dict[str, str] = {}
        for item in container.get("env") or ():
            if "value" in item:
                variables[item["name"]] = item["value"]
                continue
            wanted = item["valueFrom"]["secretKeyRef"]
            secret = self.store.things.get(("secrets", namespace, wanted["name"]))
            if secret is None:
                return None
            variables[item["name"]] = base64.b64decode(secret["data"][wanted["key"]]).decode()
        arguments = [_expanded(word, variables) for word in container["args"]]
        for volume in pod["spec"].get("volumes") or ():
            (mount,) = [one for one in container["volumeMounts"] if one["name"] == volume["name"]]
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            if "secret" in volume:
                secret = self.store.things.get(("secrets", namespace, volume["secret"]["secretName"]))
                if secret is None:
                    return None
                for item in volume["secret"]["items"]:
                    (folder / item["path"]).write_bytes(base64.b64decode(secret["data"][item["key"]]))
            arguments = [word.replace(mount["mountPath"], str(folder)) for word in arguments]
        # Instead of the pod's address and the names of services on a real node.
        arguments = [word.replace("0.0.0.0", address) for word in arguments]
        arguments = [f"{address}{word}" if word == ":8787" else word for word in arguments]
        if arguments[1] == "worker":
            arguments += ["--host", address]
        for name, value in variables.items():
            host, found, rest = value.partition("-scheduler.")
            if found:
                scheduler = self._address_of(namespace, f"{host.rpartition('/')[2]}-scheduler")
                if scheduler is None:
                    return None
                variables[name] = f"{host.rpartition('/')[0]}/{scheduler}:{rest.rpartition(':')[2]}"
        return arguments, {**{name: os.environ[name] for name in KEPT if name in os.environ}, **variables}

    def _address_of(self, namespace: str, deployment: str) -> str | None:
        for pod in self.store.list("pods", namespace):
            if pod["metadata"]["name"].startswith(f"{deployment}-") and "deletionTimestamp" not in pod["metadata"]:
                return pod.get("status", {}).get("podIP")
        return None

    async def _start(self, command: tuple[list[str], dict[str, str]], uid: str) -> tuple[int, asyncio.Future[int]]:
        argv, environment = command
        scratch = self.folder / uid
        scratch.mkdir(exist_ok=True)
        environment["DASK_TEMPORARY_DIRECTORY"] = str(scratch)
        log = str(self.folder / f"{uid}.log")
        return await self._containers.start(argv=argv, env=environment, cwd=str(scratch), log=log)

    async def _attend(
        self, pid: int, end: asyncio.Future[int], namespace: str, name: str, container: Thing, address: str
    ) -> int | None:
        """Return the exit status of a process; ``None`` if it was ended because its pod was deleted."""
        ready = "readinessProbe" not in container
        try:
            while not end.done():
                pod = self._living(namespace, name)
                if pod is None:
                    return None
                ready = ready or await _listens(address, 8787)
                if ready:
                    kinds = ("PodScheduled", "ContainersReady", "Ready")
                    self._status("pods", pod, {"conditions": [{"type": kind, "status": "True"} for kind in kinds]})
                await asyncio.wait([end], timeout=LOOK_SECONDS)
            return end.result()
        finally:
            for signum in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError):
                    os.killpg(pid, signum)
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(end), 3)

    async def close(self) -> None:
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        await self._containers.close()

    # -- changes ---------------------------------------------------------------------------------

    def _status(self, plural: str, thing: Thing, status: Thing) -> bool:
        return self._change(thing, {"status": status}, plural)

    def _change(self, thing: Thing, change: Thing, plural: str = "pods") -> bool:
        metadata = thing["metadata"]
        before = self.store.things.get((plural, metadata["namespace"], metadata["name"]))
        return (
            before is not None
            and self.store.patch(plural, metadata["namespace"], metadata["name"], change) is not before
        )


def _gpus(pod: Thing) -> int:
    return sum(
        int((container.get("resources") or {}).get("limits", {}).get(GPU, 0)) for container in pod["spec"]["containers"]
    )


def _expanded(word: str, variables: dict[str, str]) -> str:
    for name, value in variables.items():
        word = word.replace(f"$({name})", value)
    return word


async def _listens(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True

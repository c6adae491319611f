"""A simulated Kubernetes: ``python simulated.py FOLDER``, with Dask's real operator unless ``--without-operator``.

It prints the path of a kubeconfig, and ends when its standard input does. Its contexts: ``admin``, ``student`` (without
access to the resources in ``denied``) and ``unknown`` (with an expired login).
"""

import asyncio
import json
import logging
import os
import signal
import sys
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))
from apiserver import Handler, Store, application
from kubelet import Node
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

USERS = ("admin", "student", "unknown")


class Knobs(Handler):
    """``POST /simulated`` with changes of the simulation."""

    node: Node

    def initialize(self, store: Store, node: Node) -> None:  # type: ignore[override]
        self.store, self.node = store, node

    def post(self) -> None:
        for name, value in json.loads(self.request.body).items():
            if name == "denied":
                self.store.denied = set(value)
            else:
                setattr(self.node, name, value)


def kubeconfig(path: Path, port: int) -> None:
    contexts = [
        {"name": name, "context": {"cluster": "simulated", "user": name, "namespace": "class"}} for name in USERS
    ]
    contexts.append({"name": "elsewhere", "context": {"cluster": "simulated", "user": "admin"}})
    path.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "simulated", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
                "users": [{"name": name, "user": {"token": name}} for name in USERS],
                "contexts": contexts,
                "current-context": "admin",
            }
        )
    )
    path.chmod(0o600)


async def main(folder: Path, *, operator: bool) -> None:
    logging.getLogger("tornado.access").setLevel(logging.CRITICAL)
    store = Store(operator=operator)
    node = Node(store, folder)
    for namespace in ("class", "default"):
        store.create("v1", "namespaces", "", {"metadata": {"name": namespace}})
    knobs: list[Any] = [(r"/simulated", Knobs, {"store": store, "node": node})]
    sockets = bind_sockets(0, "127.0.0.1")
    server = HTTPServer(application(store, knobs))
    server.add_sockets(sockets)
    path = folder / "kubeconfig"
    kubeconfig(path, sockets[0].getsockname()[1])
    running = asyncio.create_task(node.run())
    process = None
    if operator:
        command = ["-m", "kopf", "run", "-m", "dask_kubernetes.operator.controller", "--standalone", "-n", "class"]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            env={**os.environ, "KUBECONFIG": str(path)},
            stdout=(folder / "operator.log").open("w"),
            stderr=asyncio.subprocess.STDOUT,
        )
    print(path, flush=True)
    try:
        await asyncio.to_thread(sys.stdin.read)
    finally:
        if process is not None:
            process.send_signal(signal.SIGKILL)
            await process.wait()
        running.cancel()
        await node.close()
        os._exit(0)  # Without an answer to open watches.


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), operator="--without-operator" not in sys.argv))

"""The checks of lesson 00."""

from __future__ import annotations

import socket
import tempfile
import time
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import psutil

from ....dask_internals.listening import web_address
from ....dask_internals.scheduler_information import known_workers
from ....dask_internals.spec_cluster import made
from ....protocol.plain_text import counted
from ...answers import several
from ...checks import exercise
from ...examination import Examination, NotYet, describe
from .probes import direct_address, reach

# Looking at a cluster: its size, its processes, the address of its dashboard, its devices.


class LargerClient:
    """A client of a cluster that is larger than the lesson's; only what says how large it is."""

    def __init__(self, rng: np.random.Generator, n_workers: int) -> None:
        self._workers: dict[str, dict[str, Any]] = {
            f"tls://10.0.0.{number}:{40_000 + number}": {
                "name": number,
                "nthreads": int(rng.integers(1, 9)),
                "memory_limit": int(rng.integers(1, 64)) * 2**28,
                "status": "running",
            }
            for number in range(n_workers)
        }

    @property
    def size(self) -> tuple[int, int, int]:
        """Workers, threads and bytes."""
        facts = self._workers.values()
        return len(facts), sum(w["nthreads"] for w in facts), sum(w["memory_limit"] for w in facts)

    @property
    def described(self) -> str:
        """What is larger about it, in words."""
        threads = [facts["nthreads"] for facts in self._workers.values()]
        return f"a cluster of {len(threads)} workers that have {min(threads)} to {max(threads)} threads each"

    def scheduler_info(self, n_workers: int = 5, **_: Any) -> dict[str, Any]:
        """Return what the client of older versions of Dask returns: at most five workers unless told otherwise."""
        some = list(self._workers.items())[: None if n_workers == -1 else n_workers]
        threads, memory = self.size[1:]
        return {
            "type": "Scheduler",
            "n_workers": len(self._workers),
            "total_threads": threads,
            "total_memory": memory,
            "workers": {address: dict(facts) for address, facts in some},
        }

    def nthreads(self, workers: Any = None) -> dict[str, int]:
        """Return {address: threads}."""
        return {address: facts["nthreads"] for address, facts in self._workers.items()}

    ncores = nthreads

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"use client.scheduler_info(n_workers=-1) here, not client.{name}")


@exercise("00.1", "inspect")
def check_inspect(exam: Examination, inspect: Any) -> None:
    """The three numbers are those of the cluster, even of one with more than five workers."""
    facts = known_workers(exam.client).values()
    true = len(facts), sum(w["nthreads"] for w in facts), sum(w["memory_limit"] for w in facts)
    _expect_size(exam, exam.call(inspect, exam.client), true, "the lesson's cluster")
    for n_workers in (3, int(exam.rng.integers(6, 12)), int(exam.rng.integers(12, 40))):
        larger = LargerClient(exam.rng, n_workers)
        _expect_size(exam, exam.call(inspect, larger), larger.size, larger.described)


def _expect_size(exam: Examination, answer: Any, true: tuple[int, int, int], of: str) -> None:
    several(exam, answer, "workers", "threads", "bytes")
    numbers = all(isinstance(number, (int, float, np.integer)) for number in answer)
    exam.require("They are numbers", numbers, ", ".join(describe(number) for number in answer))
    names = "The number of workers", "The number of threads", "The bytes of memory"
    for name, found, right in zip(names, answer, true, strict=True):
        exam.expect(f"{name} is the total over all workers", found == right, f"{found:,} for {of}")


@exercise("00.2", "dashboard_url")
def check_dashboard_url(exam: Examination, dashboard_url: Any) -> None:
    """Nothing of the server's address is lost, slashes are not doubled, and the page that it leads to answers."""
    for server in ("http://localhost:8888", "https://hub.school.org/user/{name}", "http://n{name}:80/a/b/lab-{name}"):
        for end in ("", "/"):
            name = "".join(exam.rng.choice(list("abcdefgh"), size=6))
            cluster = "".join(exam.rng.choice(list("0123456789abcdef"), size=8))
            begin, path = server.format(name=name), f"gpucluster/dashboard/{cluster}/status"
            found = exam.call(dashboard_url, begin + end, path)
            exam.require("It returns text", isinstance(found, str), describe(found))
            given = f"for {begin + end!r}: {found!r}"
            exam.expect("The server is the same", urlsplit(found)[:2] == urlsplit(begin)[:2], given)
            exam.expect("The server's address is complete", found.startswith(begin), given)
            exam.expect("No slash is doubled or missing", found == f"{begin}/{path}", given)
    handle: Any = getattr(exam.client, "cluster", None)
    if hasattr(handle, "control"):
        server, _, page = direct_address(handle).rpartition("/")
        reached = reach(exam.call(dashboard_url, server, page))
        exam.expect("The dashboard of the lesson's cluster answers there with HTTP 200", reached.status == 200,
                    repr(reached))  # fmt: skip


@exercise("00.3", "worker_pids")
def check_worker_pids(exam: Examination, worker_pids: Any) -> None:
    """There is one process for each worker, none is the notebook, and they are the workers'."""
    import os

    true = set(exam.client.run(os.getpid).values())
    found = exam.call(worker_pids, exam.client)
    listed = isinstance(found, (list, tuple, np.ndarray))
    exam.require("It returns a list of numbers", listed, describe(found))
    try:
        pids = [int(pid) for pid in found]
    except (TypeError, ValueError):
        exam.require("It returns a list of numbers", False, describe(found))
        return
    exam.expect(
        "There is one process ID for each worker", len(pids) == len(true), f"{len(pids)} for {len(true)} workers"
    )
    exam.expect("No process ID occurs twice", len(set(pids)) == len(pids), f"{len(set(pids))} different numbers")
    own = os.getpid() in pids
    exam.expect("The notebook's own process is not among them", not own, "it is" if own else "it is not")
    strangers = set(pids) - true
    exam.expect("They are the workers' processes", not strangers, f"{len(strangers)} of them belong to no worker")


@exercise("00.5", "visible_to")
def check_visible_to(exam: Examination, visible_to: Any) -> None:
    """Each worker begins with its own device, and still sees all of them, in a circle."""
    for n_devices in (1, 2, int(exam.rng.integers(3, 9)), 8):
        names = [f"dev-{number:04x}" for number in exam.rng.choice(65_536, size=n_devices, replace=False)]
        if n_devices == 8:
            names = [str(number) for number in range(8)]
        firsts = []
        for worker in range(n_devices):
            found = exam.call(visible_to, worker, ",".join(names))
            exam.require("It returns text", isinstance(found, str), describe(found))
            seen = found.split(",")
            given = f"worker {worker} of {n_devices}: {found}"
            exam.expect("All devices are listed, and no others", sorted(seen) == sorted(names), given)
            exam.expect("Worker number i starts with device number i", seen[0] == names[worker], given)
            circle = seen == [names[(worker + step) % n_devices] for step in range(n_devices)]
            exam.expect("The others follow in order, and wrap around", circle, given)
            firsts.append(seen[0])
        exam.expect("No two workers start with the same device", len(set(firsts)) == n_devices, f"{firsts}")


# Borrowing a cluster: whatever happens, nothing is left.


_PATIENCE_SECONDS = 1.5


class Starter:
    """Starts small clusters of Dask's own, and remembers what would be left of them."""

    def __init__(self, *, processes: bool) -> None:
        self.processes = processes
        self.clusters: list[Any] = []
        self.pids: list[int] = []
        self.ports: list[int] = []
        # Dask's own choice has a name that is known in a directory that all users share.
        self._scratch = tempfile.TemporaryDirectory(prefix="gpucluster-", ignore_cleanup_errors=True)

    def __call__(self) -> Any:
        import dask
        from distributed import LocalCluster

        with dask.config.set({"temporary-directory": self._scratch.name}):
            cluster: Any = LocalCluster(
                n_workers=1, threads_per_worker=1, processes=self.processes, dashboard_address=":0", host="127.0.0.1",
                protocol="tcp",
            )  # fmt: skip
        self.clusters.append(cluster)
        if self.processes:
            self.pids += [worker.pid for worker in made(cluster).values()]
        pages = web_address(cluster.scheduler)
        self.ports += [
            int(urlsplit(cluster.scheduler_address).port or 0),
            *([pages[1]] if isinstance(pages, tuple) else []),
        ]
        return cluster

    def left(self) -> tuple[int, int]:
        """Return how many worker processes and how many open ports there still are."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            found = sum(psutil.pid_exists(pid) for pid in self.pids), sum(_open(port) for port in self.ports)
            if found == (0, 0) or time.monotonic() > until:
                return found
            time.sleep(0.1)

    def close(self) -> None:
        """Stop what the learner's code left."""
        for cluster in self.clusters:
            cluster.close()
        self._scratch.cleanup()


def _open(port: int) -> bool:
    with socket.socket() as attempt:
        attempt.settimeout(0.5)
        return attempt.connect_ex(("127.0.0.1", port)) == 0


class JobFailed(Exception):
    """The error of a job that fails on purpose."""


@exercise("00.4", "borrow")
def check_borrow(exam: Examination, borrow: Any) -> None:
    """The job's result comes back, and neither processes nor ports are left, whether it succeeds or fails."""
    numbers = [int(number) for number in exam.rng.integers(0, 100, 5)]
    starter = Starter(processes=True)
    clients: list[Any] = []

    def job(client: Any) -> Any:
        clients.append(client)
        return client.submit(sum, numbers, pure=False).result()

    try:
        found = exam.call(borrow, starter, job)
        started = len(starter.clusters)
        exam.expect("start() is called once", started == 1, counted(started, "time"))
        exam.expect("It returns what the job returned", found == sum(numbers), f"{found!r}, the job: {sum(numbers)}")
        _expect_nothing_left(exam, starter, clients, "after a job that succeeds")
    finally:
        starter.close()
    _check_failing(exam, borrow)


def _check_failing(exam: Examination, borrow: Any) -> None:
    starter = Starter(processes=False)
    clients: list[Any] = []

    def job(client: Any) -> Any:
        clients.append(client)
        raise JobFailed("this job fails on purpose")

    try:
        try:
            result = borrow(starter, job)
        except JobFailed:
            reached = "the caller gets it"
        except NotImplementedError as error:
            raise NotYet from error
        except Exception as error:
            reached = f"the caller gets {describe(error)} instead"
        else:
            reached = f"the caller gets the result {result!r} instead"
        exam.expect("The error of a job that fails reaches the caller", reached == "the caller gets it", reached)
        _expect_nothing_left(exam, starter, clients, "after a job that fails")
    finally:
        starter.close()


def _expect_nothing_left(exam: Examination, starter: Starter, clients: list[Any], when: str) -> None:
    processes, ports = starter.left()
    exam.expect(f"No worker or port is left {when}", processes + ports == 0,
                f"{processes} worker processes and {ports} open ports")  # fmt: skip
    still = [client.status for client in clients if client.status not in ("closed", "closing")]
    exam.expect(f"The client is closed {when}", not still, still[0] if still else "closed")
    for client in clients:
        client.close()

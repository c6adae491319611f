"""Lesson 00, borrowing a cluster: whatever happens, nothing is left."""

from __future__ import annotations

import socket
import tempfile
import time
from typing import Any
from urllib.parse import urlsplit

import psutil

from ....dask_internals.listening import web_address
from ....dask_internals.spec_cluster import made
from ....protocol.plain_text import counted
from ...examination import Examination, NotYet, describe
from .. import exercise

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
    exam.expect(f"No worker and no port is left {when}", processes + ports == 0,
                f"{processes} worker processes and {ports} open ports")  # fmt: skip
    still = [client.status for client in clients if client.status not in ("closed", "closing")]
    exam.expect(f"The client is closed {when}", not still, still[0] if still else "closed")
    for client in clients:
        client.close()

"""Interrupted cells on a real cluster: their tasks leave the scheduler, although IPython keeps the traceback."""

import os
import signal
import sys
import threading

import pytest
from gpucluster.client.cluster import Cluster
from IPython.core.interactiveshell import InteractiveShell

SETUP = """
import dask
import dask.array as da
from distributed import as_completed, wait

kept = client.submit(abs, -1)
never = {"resources": {"none": 1}}
lazy = da.ones(6, chunks=1)

def fit():
    futures = client.map(abs, range(6), pure=False, **never)
    def gathered():
        return client.gather(futures)
    return gathered()
"""
CELLS = [
    "with dask.annotate(**never): lazy.compute()",
    "client.gather(client.map(abs, range(6), pure=False, **never))",
    "wait(client.persist(lazy, **never))",
    "(lambda: fit())()",
    "[one.result() for one in client.map(abs, range(6), pure=False, **never)]",
    "for one in as_completed(client.map(abs, range(6), pure=False, **never)): pass",
    "%time client.submit(abs, -2, **never).result()",
]


@pytest.mark.processes
def test_interrupted_cells_leave_no_tasks(site, wait_until, monkeypatch, capsys):
    cluster = Cluster(site.running(name="interrupted", n_workers=1), site.control.asynchronous)
    shell = InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    with cluster.get_client() as client:
        shell.push({"client": client})
        shell.run_cell(SETUP, store_history=True).raise_error()
        key = shell.user_ns["kept"].key

        def tasks():
            return client.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.tasks))

        def interrupt():
            wait_until(lambda: tasks() > {key})
            os.kill(os.getpid(), signal.SIGINT)

        wait_until(lambda: tasks() == {key})
        for cell in CELLS:
            presser = threading.Thread(target=interrupt)
            presser.start()
            shell.run_cell(cell, store_history=True)
            presser.join()
            assert isinstance(sys.last_value, KeyboardInterrupt), cell
            wait_until(lambda: tasks() == {key})
        commands = iter(["where", "up", "quit"])
        monkeypatch.setattr("builtins.input", lambda _prompt="": next(commands))
        shell.run_line_magic("debug", "")
        assert not list(commands)
        assert shell.user_ns["kept"].result(timeout=60) == 1

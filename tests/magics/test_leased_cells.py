"""``%%gpucluster lease`` in a real kernel: an ordinary cell with a separate worker."""

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from .test_notebook import Notebook

pytestmark = pytest.mark.timeout(400)
LEASE = "%%gpucluster lease --backend local --memory-limit '512 MiB'"


@pytest.fixture(scope="module")
def notebook(shared_site: Any) -> Iterator[Notebook]:
    made = Notebook()
    made.text("%load_ext gpucluster")
    yield made
    made.close()


def error_of(outputs: list[dict[str, Any]]) -> dict[str, Any]:
    [error] = [output for output in outputs if output["type"] == "error"]
    return error


def ended(site: Any) -> bool:
    return all(model.state.ended for model in site.control.list() if model.lease is not None)


@pytest.mark.full
def test_a_cell_has_a_client_for_its_time(notebook: Notebook, shared_site: Any) -> None:
    code = """
import asyncio
await asyncio.sleep(0.01)
%time kept = client.submit(sum, [1, 41])
print(kept.result(), cluster.model.lease.scope, cluster.model.lease.pid == __import__('os').getpid())"""
    said = notebook.text(f"{LEASE}{code}")
    told = re.match(r"'(lease-\d+)' has 1 CPU worker for this cell\.\n", said)
    assert told and "42 cell True" in said
    name = told[1]
    assert ended(shared_site)
    assert shared_site.get(name).reason == "The cell that held the lease has ended."
    assert notebook.text("print('client' in dir(), 'cluster' in dir())") == "False False\n"
    traceback = error_of(notebook.run("kept.result()"))["traceback"]
    assert traceback[0].startswith(f"ClientClosed: The cluster '{name}' was stopped at ")
    assert "Take results out of a lease before it ends" in traceback[0]
    assert traceback[1:] == ["  line 1: kept.result()"]


@pytest.mark.full
def test_the_client_of_the_notebook_comes_back(notebook: Notebook, shared_site: Any) -> None:
    notebook.text(f"%gpucluster create {LEASE.partition('lease ')[2]} -n 1 --name mine --connect")
    error = error_of(notebook.run(f"{LEASE}\nimport dask.array as da\nkept = da.ones(3).persist()\n1 / 0"))
    trace = "\n".join(error["traceback"])
    assert error["ename"] == "ZeroDivisionError" and "line 4" not in trace.partition("1 / 0")[2]
    assert "cells.py" not in trace and "gpucluster/" not in trace, "the traceback is the user's own"
    assert ended(shared_site)
    assert notebook.text("print(client.cluster.name, cluster.name, da.ones(2).sum().compute())") == "mine mine 2.0\n"
    lost = error_of(notebook.run("kept.sum().compute()"))
    assert lost["ename"] == "ClientClosed" and "this needs some of them" in lost["evalue"]
    refused = error_of(notebook.run(f"{LEASE} --name mine\nnever = 1"))
    assert refused["traceback"] == [
        "A cluster named 'mine' already exists. Connect to it, stop it first, or choose another name."
    ]
    assert notebook.text("%gpucluster stop mine") == "mine: stopped\n"


def test_nested_lease_is_refused(notebook: Notebook, shared_site: Any) -> None:
    inner = f"get_ipython().run_cell({LEASE + chr(10) + 'never = 1'!r})"
    outputs = notebook.run(
        f"{LEASE}\n{inner}\nimport gpucluster\ntry:\n    gpucluster.lease().begin()\n"
        "except gpucluster.GPUClusterError as error:\n    print(error)\nprint(client.status)"
    )
    assert re.match(
        r"Leases cannot be nested: this is inside the lease 'lease-\d+', ", error_of(outputs)["traceback"][0]
    )
    said = "".join(output["text"] for output in outputs if output["type"] == "stream")
    assert said.count("this is inside the lease 'lease-") == 1 and said.endswith("running\n")
    assert ended(shared_site)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("lease --bogus", "Unknown option '--bogus'."),
        ("lease -n 0", "--n-workers: a lease has at least 1 worker."),
        ("lease -n x", "--n-workers: must be a whole number, not 'x'."),
        ("lease --timeout 0", "--timeout: must be between 1 and 86400, not 0."),
        ("lease '", "Missing closing quotation mark."),
        ("profile --bogus", "Unknown option '--bogus'. See '%gpucluster help profile'."),
        ("profile --json", "--json needs a value. See '%gpucluster help profile'."),
        ("profile a b", "Unexpected 'b'. See '%gpucluster help profile'."),
        ("profile nobody", "Cluster 'nobody' not found."),
        ("profile '", "Missing closing quotation mark."),
        ("profile --json /no/such/x.json", "--json: directory /no/such does not exist."),
        ("profile --performance-report /tmp", "--performance-report: /tmp is a directory; specify a file name."),
        ("profile --json new/", "--json: new/ is a directory; specify a file name."),
    ],
)
def test_mistake_does_not_run_the_cell(notebook: Notebook, line: str, sentence: str) -> None:
    [output] = notebook.run(f"%%gpucluster {line}\nnever = 1")
    [said] = output["traceback"]
    assert output["type"] == "error" and said.startswith(sentence)
    assert notebook.text("print('never' in dir())") == "False\n"


def test_invalid_cell_leases_no_worker(notebook: Notebook, shared_site: Any) -> None:
    before = len(shared_site.control.list())
    for body in ("print('begun')\nreturn 1", "1 +", "yield 1"):
        outputs = notebook.run(f"{LEASE}\n{body}")
        assert error_of(outputs)["ename"] == "SyntaxError"
        assert [output["type"] for output in outputs] == ["error"], "no line of it ran"
        assert "cells.py" not in "".join(error_of(outputs)["traceback"])
    assert len(shared_site.control.list()) == before
    fine = "%time x = 1\nimport asyncio\nawait asyncio.sleep(0)\n!echo shell"
    assert "shell" in notebook.text(f"{LEASE}\n{fine}"), "syntax of IPython"


def test_a_silent_cell_gives_its_worker_back_too(notebook: Notebook, shared_site: Any, wait_until: Any) -> None:
    notebook.text("client = None")
    notebook.client.execute(f"{LEASE}\nquiet = client.submit(sum, [1, 2]).result()", silent=True)
    assert notebook.text("print(quiet, client)") == "3 None\n"
    wait_until(lambda: ended(shared_site))


@pytest.mark.parametrize("awaits", ["", "import asyncio\nawait asyncio.sleep(0)\n"])
@pytest.mark.full
def test_an_interrupt_gives_the_place_up(shared_site: Any, tmp_path: Any, awaits: str) -> None:
    """Also for a cell with await, whose interrupts ipykernel handles in its loop."""
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", str([str(tmp_path / "slow.py")]))
        notebook = Notebook()
    try:
        pid = int(notebook.text("%load_ext gpucluster\nimport os; print(os.getpid())"))

        def interrupt() -> None:
            while not any(model.pid and not model.state.ended for model in shared_site.control.list()):
                time.sleep(0.05)
            os.kill(pid, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        error = error_of(notebook.run(f"{LEASE}\n{awaits}never = 1"))
        thread.join()
        assert error["traceback"] == ["Interrupted: nothing was leased, and the place in the queue was released."]
        assert notebook.text("print('never' in dir(), 'client' in dir())") == "False False\n"
    finally:
        notebook.close()
    assert ended(shared_site)


@pytest.mark.full
def test_killed_kernel_releases_its_worker(shared_site: Any) -> None:
    notebook = Notebook()
    try:
        pid = int(notebook.text("%load_ext gpucluster\nimport os; print(os.getpid())"))
        notebook.client.execute(f"{LEASE} --name held\nimport time\ntime.sleep(600)")
        while not any(model.name == "held" and model.running_at for model in shared_site.control.list()):
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        last = shared_site.wait_for("held", lambda model: model.state.ended)
        assert last.reason == f"The holder of the lease (notebook, process {pid}) ended without releasing it."
    finally:
        notebook.close()

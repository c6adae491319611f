"""The magic in a real kernel, across its restart."""

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.kernel import Kernel

CREATE = "%gpucluster create --backend local --n-workers 2 --memory-limit '512 MiB' --name nb"


class Notebook(Kernel):
    """A kernel and the output of its cells."""

    def restart(self) -> None:
        self.client.stop_channels()
        self.manager.restart_kernel(now=True)
        self.connect()

    def run(self, code: str) -> list[dict[str, Any]]:
        """Run a cell; return its outputs with updates of displays applied."""
        outputs: list[dict[str, Any]] = []

        def keep(message: dict[str, Any]) -> None:
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "update_display_data":
                for output in outputs:
                    if output.get("transient") == content["transient"]:
                        output["data"] = content["data"]
                        output["updated"] = True
            elif kind in {"stream", "display_data", "execute_result", "error"}:
                outputs.append({"type": kind, **content})

        self.client.execute_interactive(code, timeout=150, output_hook=keep, store_history=False)
        return outputs

    def text(self, code: str, stream: str = "stdout") -> str:
        """Run a cell that must not fail; return what it printed."""
        outputs = self.run(code)
        assert [output for output in outputs if output["type"] == "error"] == []
        return "".join(output["text"] for output in outputs if output["type"] == "stream" and output["name"] == stream)

    def complete(self, code: str) -> list[str]:
        self.client.complete(code, len(code))
        while True:
            reply = self.client.get_shell_msg(timeout=60)
            if reply["header"]["msg_type"] == "complete_reply":
                content = reply["content"]
                return [code[: content["cursor_start"]] + match for match in content["matches"]]


@pytest.fixture
def notebook(site: Any) -> Iterator[Notebook]:
    made = Notebook()
    yield made
    made.close()


@pytest.mark.timeout(400)
def test_create_connect_compute_restart_connect_stop(notebook: Notebook, site: Any) -> None:
    for _ in range(2):
        assert notebook.text("%load_ext gpucluster") == "", "no message that it is loaded already"

    # create: one output, first a line of progress, then the cluster, and the next step
    outputs = notebook.run(CREATE)
    assert [output["type"] for output in outputs] == ["display_data", "stream"]
    assert outputs[1]["text"] == "To compute on it: %gpucluster connect nb\n"
    assert outputs[0]["updated"]
    assert outputs[0]["data"]["text/plain"] == "<Cluster 'nb': running, local, 2 workers>"
    assert "<table" in outputs[0]["data"]["text/html"]

    # connect: client, cluster and Dask's backends
    said = notebook.text("%gpucluster connect")
    assert said.startswith("Connected to nb: 2 workers. 'client' and 'cluster' are set.")
    assert notebook.text("print(client.submit(sum, [1, 41]).result(), cluster.name)") == "42 nb\n"
    backends = "import dask; print(dask.config.get('array.backend'), dask.config.get('dataframe.backend'))"
    assert notebook.text(backends) == "numpy pandas\n"

    # connecting again closes the client that was made before
    assert notebook.text("old = client\n%gpucluster connect nb\nprint(old.status, client.status)").endswith(
        "closed running\n"
    )
    assert notebook.text("x = client.submit(sum, [1, 2], key='kept'); client.publish_dataset(kept=x); x.result()") == ""

    # the same clusters as everywhere, completed over the kernel's protocol
    assert notebook.complete("%gpucluster scale n") == ["%gpucluster scale nb"]
    assert notebook.complete("%gpucluster rest") == ["%gpucluster restart"]
    assert notebook.complete("%gpucluster create --backend=lo") == ["%gpucluster create --backend=local"]

    # a restart of the kernel: everything is found again, results included
    notebook.restart()
    assert notebook.text("print('client' in dir())") == "False\n"
    notebook.text("%load_ext gpucluster\n%gpucluster connect")
    assert notebook.text("print(client.get_dataset('kept').result(), cluster.id)") == f"3 {site.get('nb').id}\n"

    # Notes on the machine come before the workers.
    notes = [f"Note: {note}" for note in site.control.patch_notes("nb", {"n_workers": 3})]
    assert notebook.text("%gpucluster scale 3").splitlines() == [*notes, "nb: 3 workers"]
    assert site.get("nb").n_workers == 3
    leaving, *staying = (worker.name for worker in site.get("nb").workers)
    assert notebook.complete(f"%gpucluster retire nb {leaving}") == [f"%gpucluster retire nb {leaving}"]
    assert notebook.text(f"%gpucluster retire {leaving}") == "nb: 2 workers\n"
    assert [worker.name for worker in site.get("nb").workers] == staying
    told = notebook.text("%gpucluster activity").splitlines()
    assert re.match(r"TIME +WHO +WHAT", told[0])
    who = f"notebook, process {notebook.text('import os; print(os.getpid())').strip()}"
    assert [line for line in told if f"{who}  Retire Worker {leaving}" in line]
    assert notebook.text("%gpucluster adapt 1 3").splitlines()[-1].startswith("nb: ")
    assert notebook.text("%gpucluster notify --title Sum\nsum(range(3))") == ""
    failed = [one for one in notebook.run("%%gpucluster notify\n1 / 0") if one["type"] == "error"]
    assert [one["ename"] for one in failed] == ["ZeroDivisionError"]
    news = site.wait_for("nb", lambda now: "not_done" in [one.kind for one in now.news]).news
    told = {one.kind: one.message for one in news}
    assert re.fullmatch(r"Sum is done after [0-9.]+ s\.", told["done"])
    assert re.fullmatch(r"Cell \[[0-9]+\] failed after [0-9.]+ s: ZeroDivisionError\.", told["not_done"])
    site.create(name="other", n_workers=0)
    assert notebook.text("%gpucluster status").startswith("Name:     nb\n"), "the connected one of several"
    assert notebook.text("%gpucluster status other").startswith("Name:     other\n")
    site.control.stop("other")
    site.control.remove("other")
    assert len(notebook.text("%gpucluster logs --lines 3").splitlines()) == 3
    link = notebook.text("%gpucluster dashboard")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]+/status\n", link)
    assert notebook.text("%gpucluster restart").startswith("nb: ")
    notebook.text("import dask.array as da\nx = da.ones((4, 4)); kept = x.persist()")
    assert notebook.text("%gpucluster stop") == "nb: stopped\n"
    assert notebook.text("print(client.status)") == "closed\n"
    for code in ("kept.sum().compute()", "kept.persist()"):
        error = next(output for output in notebook.run(code) if output["type"] == "error")
        told, where = error["traceback"]
        assert re.match(r"ClientClosed: The cluster 'nb' was stopped at \d\d:\d\d by a notebook, .* is lost", told)
        assert where == f"  line 1: {code}"
    assert notebook.text("print(x.sum().compute())") == "16.0\n", "needs no result of the cluster"
    assert notebook.text("%gpucluster connect", "stderr") == "No cluster is running. Start one with 'create'.\n"
    assert notebook.text("%gpucluster clean") == "nb: removed\n"

    # another process stops the cluster: cells that need it end with a message, other errors are unchanged
    notebook.run(f"{CREATE}\n%gpucluster connect")
    notebook.text("import dask.array as da\nx = da.ones((4, 4)); kept = x.persist(); done = client.submit(sum, [1])")
    site.control.stop("nb")
    for code in ("x.sum().compute()", "kept.sum().compute()", "client.submit(sum, [1])", "done.result()"):
        error = next(output for output in notebook.run(f"pass\n{code}") if output["type"] == "error")
        told, where = error["traceback"]
        assert re.match(r"ClientClosed: The cluster 'nb' was stopped at \d\d:\d\d by Python, process \d+\. ", told)
        assert "Start it again in the panel" in told
        assert where == f"  line 2: {code}"
    # It is started again, as in the panel.
    site.control.remove("nb")
    site.running(name="nb", n_workers=1)
    again = "The cluster 'nb' was restarted; its previous results are lost. "
    for code, how in (
        ("done.result()", "Connect to it and compute them again: %gpucluster connect nb"),
        ("%gpucluster connect nb\nkept.sum().compute()", "Compute them again."),
    ):
        error = next(output for output in notebook.run(code) if output["type"] == "error")
        assert error["traceback"][0] == f"ClientClosed: {again}{how}"
    site.control.stop("nb")
    assert len(notebook.run("1 / 0")[0]["traceback"]) > 2
    assert notebook.text("client.close(); print(x.sum().compute())") == "16.0\n", "as the message advises"


@pytest.mark.full
def test_interrupting_create_stops_the_cluster(notebook: Notebook, site: Any) -> None:
    pid = int(notebook.text("%load_ext gpucluster\nimport os; print(os.getpid())"))

    def interrupt() -> None:
        while not any(model.pid for model in site.control.list()):
            time.sleep(0.02)
        os.kill(pid, signal.SIGINT)  # what Jupyter's interrupt does

    thread = threading.Thread(target=interrupt)
    thread.start()
    outputs = notebook.run(CREATE)
    thread.join()
    said = "".join(output["text"] for output in outputs if output["type"] == "stream")
    assert said == "Cancelled; the cluster 'nb' was stopped.\n"
    assert [output for output in outputs if output["type"] == "error"] == []
    assert site.get("nb").state.value == "stopped"


@pytest.mark.full
async def test_mistakes_do_not_fail_a_notebook(site: Any) -> None:
    mistakes = ["%gpucluster creat", "%gpucluster scale -1", "%%gpucluster create\n--n-workers x"]
    sources = ["%load_ext gpucluster", *mistakes]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    client = NotebookClient(made, timeout=90, kernel_name="python3")
    await client.async_execute()
    outputs = [output for cell in made.cells for output in cell.outputs]
    assert {(output.output_type, output.name) for output in outputs} == {("stream", "stderr")}
    assert [output.text.split(".")[0] for output in outputs] == [
        "Unknown verb 'creat'",
        "n_workers: must be at least 0, not -1",
        "--n-workers: must be a whole number, not 'x'",
    ]

"""Widgets without a front end: executed notebooks, HTML, plain Python."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

pytestmark = pytest.mark.timeout(300)

CELLS = ["import gpucluster\ncluster = gpucluster.connect()\ncluster", "cluster.gauges()", "cluster.dashboard()"]


@pytest.mark.parametrize("keeps_state", [False, True])
@pytest.mark.full
async def test_an_executed_notebook_becomes_a_page(shared_cluster: Any, keeps_state: bool) -> None:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    client = NotebookClient(made, timeout=90, kernel_name="python3", store_widget_state=keeps_state)
    await client.async_execute()
    nbformat.validate(made)
    for cell in made.cells:
        (output,) = cell.outputs
        assert "shared" in output.data["text/html"]
        assert "<script" not in output.data["text/html"]
    assert "of 1 GiB" in made.cells[1].outputs[0].data["text/html"]
    assert "of 1 GiB" in made.cells[1].outputs[0].data["text/plain"]
    page, _ = HTMLExporter().from_notebook_node(made)
    if not keeps_state:
        # Without the state of the widgets, the pictures are in the page.
        assert page.count("shared</b>") == 3
        assert "model_id" not in page
    else:
        assert made.metadata.widgets, "the page draws the views from this"


PROGRAM = """
import sys
import gpucluster
cluster = gpucluster.connect()
gauges = cluster.gauges()
print(gauges)
print(type(gauges).__name__, cluster)
print(str(cluster.dashboard("task-stream")).splitlines()[-1])
gauges.close()
"""


def test_plain_python_gets_text(shared_cluster: Any) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "shared: running, 2 workers"
    assert any("of 1 GiB" in line for line in lines)
    assert "Picture <Cluster 'shared': running, local, 2 workers>" in lines
    assert lines[-1].startswith("  Dashboard: http://127.0.0.1:")
    assert lines[-1].endswith("/individual-task-stream")


TERMINAL = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import gpucluster, sys; cluster = gpucluster.connect(); cluster").raise_error()
shell.run_cell("print([n for n in ('anywidget', 'ipywidgets') if n in sys.modules])").raise_error()
shell.run_cell("cluster.gauges()").raise_error()
shell.run_line_magic("load_ext", "gpucluster")
shell.run_cell("%gpucluster gauges").raise_error()
"""


def test_a_terminal_gets_text(shared_cluster: Any) -> None:
    done = subprocess.run([sys.executable, "-c", TERMINAL], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "<Cluster 'shared': running, local, 2 workers>" in done.stdout
    assert "[]" in done.stdout
    assert done.stdout.count("shared: running, 2 workers") == 2


LEAVING = """
import threading
import gpucluster
from gpucluster.client.display.presentation import presentation
cluster = gpucluster.connect()
widgets = presentation()
card = widgets.ClusterGauges(cluster, cluster.control)
bundle = card.bundle_for("output")
assert "of 1 GiB" in bundle["text/html"]
print([thread.name for thread in threading.enumerate() if not thread.daemon])
"""


def test_a_process_with_a_widget_ends(shared_cluster: Any) -> None:
    """Background listeners neither delay the exit nor print errors."""
    done = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "['MainThread']"
    assert "Traceback" not in done.stderr
    assert "Task was destroyed" not in done.stderr

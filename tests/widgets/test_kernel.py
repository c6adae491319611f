"""Widgets in a real kernel with a real cluster, and without a front end: executed notebooks, HTML, plain Python."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from gpucluster.widgets.kernel import UNANSWERED
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from .frontend import WIDGET, FrontEnd

pytestmark = pytest.mark.timeout(300)

LOOK = """
from gpucluster.widgets.kernel import widget_kernel
print([feed.running for feed in widget_kernel()._feeds.values()], len(widget_kernel()._widgets))
"""


@pytest.fixture
def blue(site: Any) -> Any:
    """A cluster that a test may change."""
    return site.running(name="blue", n_workers=2)


@pytest.fixture
def page(shared_site: Any, request: pytest.FixtureRequest) -> Iterator[FrontEnd]:
    if "blue" in request.fixturenames:
        request.getfixturevalue("blue")  # Its registry, not the shared one.
    made = FrontEnd()
    yield made
    made.close()


def test_the_card_scales_and_stops(page: FrontEnd, blue: Any, site: Any) -> None:
    page.run("import gpucluster\ncluster = gpucluster.connect()")
    (output,) = page.run("cluster")
    assert output["data"]["text/plain"] == "<Cluster 'blue': running, local, 2 workers>"
    html = output["data"]["text/html"]
    assert "MiB of 1 GiB" in html, "the first figures are there at once"
    assert "<script" not in html
    card = output["data"][WIDGET]["model_id"]
    state = page.models[card]
    assert (state["view"], state["cluster"]["name"], state["cluster"]["n_workers"]) == ("card", "blue", 2)
    assert "render" in state["_esm"] and ".gpc-Widget" in state["_css"], "run 'jlpm build' first"

    # the same card again is another view of the same model
    assert page.view("cluster") == card

    # a view opens: the past is sent once, a picture to keep, and about one sample a second
    page.request(card, kind="opened", view="v1", keeps=True)
    page.until(lambda: [data for id, data, _ in page.received if data.get("content", {}).get("kind") == "history"])
    page.until(lambda: page.pictures(card))
    seen: list[str] = []
    while len(set(seen)) < 5:
        before = page.samples(card)
        page.until(lambda before=before: page.samples(card) > before)
        page.request(card, kind="drawn")
        seen.append(state["sample"]["sample"]["at"])
    assert len(set(seen)) == len(seen), "each sample is sent once"
    histories = [data for _, data, _ in page.received if data.get("content", {}).get("kind") == "history"]
    assert len(histories) == 1
    assert state["sample"]["sample"]["id"] == blue.id

    # refusals are shown in the card, and nothing changes
    page.request(card, kind="scale", n_workers=-1)
    page.until(lambda: state["refusal"])
    assert state["refusal"] == "Workers: must be at least 0, not -1."
    page.request(card, kind="scale", n_workers="lots")
    page.until(lambda: "lots" in state["refusal"])
    page.request(card, kind="scale", n_workers=10**15)
    page.until(lambda: "256" in state["refusal"])
    assert site.get("blue").wanted.n_workers == 2

    page.request(card, kind="scale", n_workers=1)
    page.until(lambda: state["cluster"]["n_workers"] == 1)
    assert state["refusal"] == ""
    assert site.get("blue").n_workers == 1
    page.until(lambda: "1 (1 thread)" in page.pictures(card)[-1])

    page.request(card, kind="stop")
    page.until(lambda: state["cluster"]["state"] == "stopped")
    page.until(lambda: state["note"] == "The cluster has stopped; this is the last state.")
    page.until(lambda: "stopped" in page.pictures(card)[-1])
    assert site.get("blue").state.value == "stopped"
    # an ended cluster is a picture, not a widget
    (output,) = page.run("cluster")
    assert WIDGET not in output["data"]
    assert "stopped" in output["data"]["text/html"]


HOSTILE: list[Any] = [
    None, [], "stop", {}, {"method": "update"}, {"method": "custom"}, {"method": ["custom"]},
    {"method": "custom", "content": "stop"}, {"method": "echo_update", "state": {"note": "x"}},
    {"method": "update", "state": {"_esm": "alert(1)", "cluster": {}, "note": "gone", "sample": "x", "nonsense": 1}},
    {"method": "update", "state": {"_view_module": "evil", "keys": [], "comm": None}, "buffer_paths": [["sample"]]},
    {"method": "custom", "content": {"kind": "stop", "id": "another"}},
    {"method": "custom", "content": {"kind": "scale", "n_workers": {"$": 1}}},
    {"method": "custom", "content": {"kind": "page", "page": "../../../etc"}},
    {"method": "custom", "content": {"kind": "anywidget-command", "name": "close", "id": "1"}},
]  # fmt: skip


@pytest.mark.full
def test_front_end_messages_change_no_state(page: FrontEnd, shared_cluster: Any, shared_site: Any) -> None:
    page.run("import gpucluster\ncluster = gpucluster.connect()\ng = cluster.gauges()")
    card, gauges = page.view("cluster"), page.view("g")
    before = shared_site.get("shared")
    known = {name: page.models[card][name] for name in ("_esm", "note", "refusal")}
    for data in HOSTILE:
        page.say(card, data)
        page.say(gauges, data)
    # Only the card offers these.
    page.request(gauges, kind="stop")
    page.request(gauges, kind="scale", n_workers=9)
    read = "print(cluster.state, g.note == '', len(g._esm) > 1000, 'sample' in g.keys)"
    assert page.text(read) == "running True True True\n"
    page.read(2)
    assert [message for message in page.said if "traceback" in message] == []
    assert page.text("1", "stderr") == ""
    after = shared_site.get("shared")
    assert (after.state, after.wanted, after.workers) == (before.state, before.wanted, before.workers)
    assert {name: page.models[card][name] for name in known} == known


@pytest.mark.full
def test_retiring_a_worker_from_the_gauges(page: FrontEnd, blue: Any, site: Any) -> None:
    gauges = page.view("import gpucluster\ngpucluster.connect().gauges()")
    page.request(gauges, kind="retire", worker="nobody")
    page.until(lambda: "nobody" in page.models[gauges]["refusal"])
    name = site.get("blue").workers[0].name
    page.request(gauges, kind="retire", worker=name)
    page.until(lambda: name not in [worker["name"] for worker in page.models[gauges]["cluster"]["workers"]])


@pytest.mark.full
def test_samples_pause_without_viewers_and_without_answers(page: FrontEnd, shared_cluster: Any) -> None:
    gauges = page.view("import gpucluster\ncluster = gpucluster.connect()\ncluster.gauges()")
    page.request(gauges, kind="opened", view="a", keeps=False)
    page.request(gauges, kind="opened", view="b", keeps=False)
    page.until(lambda: page.samples(gauges) > 1)
    page.request(gauges, kind="closed", view="a")
    assert page.text(LOOK) == "[True] 1\n"
    page.request(gauges, kind="closed", view="b")
    page.until(lambda: page.text(LOOK) == "[] 1\n")
    before = page.samples(gauges)
    page.read(3)
    assert page.samples(gauges) == before
    page.request(gauges, kind="opened", view="c", keeps=False)
    page.until(lambda: page.samples(gauges) > before)
    # A front end that does not answer gets no pile.
    page.request(gauges, kind="drawn")
    before = page.samples(gauges)
    page.until(lambda: page.samples(gauges) >= before + UNANSWERED)
    page.read(5)
    assert page.samples(gauges) <= before + UNANSWERED + 2
    page.request(gauges, kind="drawn")
    before = page.samples(gauges)
    page.until(lambda: page.samples(gauges) > before)


def test_gauges_move_while_a_cell_runs(page: FrontEnd, shared_cluster: Any) -> None:
    code = "import gpucluster, time\ncluster = gpucluster.connect()\ndisplay(cluster.gauges())\ntime.sleep(6)"
    (output,) = page.run(code)
    gauges = output["data"][WIDGET]["model_id"]
    assert page.samples(gauges) > 3, "no answers are read meanwhile"


def test_closing_leaves_a_picture(page: FrontEnd, shared_cluster: Any) -> None:
    code = "import gpucluster, sys\ncluster = gpucluster.connect()\nrepr(cluster), cluster._repr_html_()\n"
    assert page.text(code + "print([n for n in ('anywidget', 'ipywidgets') if n in sys.modules])") == "[]\n"
    (output,) = page.run("import gpucluster\ncluster = gpucluster.connect()\ng = cluster.gauges()\ng")
    model = output["data"][WIDGET]["model_id"]
    page.run("g.close()\ng.close()")
    page.until(lambda: model in page.closed)
    assert WIDGET not in output["data"]
    assert "This is the last state. State at" in output["data"]["text/html"]
    (again,) = page.run("g")
    assert WIDGET not in again["data"]
    page.until(lambda: page.text(LOOK) == "[] 0\n")


@pytest.mark.full
def test_widgets_end_with_the_entry_of_their_cluster(page: FrontEnd, blue: Any, site: Any) -> None:
    (output,) = page.run("import gpucluster\ncluster = gpucluster.connect()\ncluster.gauges()")
    gauges = output["data"][WIDGET]["model_id"]
    card = page.view("cluster")
    page.request(card, kind="opened", view="a", keeps=False)
    assert page.text(LOOK) == "[True] 2\n"
    site.control.stop("blue")
    site.control.remove(blue.id)
    page.until(lambda: {gauges, card} <= set(page.closed))
    assert WIDGET not in output["data"]
    assert "The cluster &#x27;blue&#x27; has been removed; this is the last state." in output["data"]["text/html"]
    page.until(lambda: page.text(LOOK) == "[] 0\n")


@pytest.mark.full
def test_reset_ends_all_widgets(page: FrontEnd, shared_cluster: Any) -> None:
    (card,) = page.run("import gpucluster\ncluster = gpucluster.connect()\ncluster")
    (gauges,) = page.run("cluster.gauges()")
    assert "_gpucluster_widgets" not in page.text("%who")
    page.run("%reset -f")
    page.until(lambda: len(page.closed) == 2)
    for output in (card, gauges):
        assert WIDGET not in output["data"]
        assert "The notebook&#x27;s variables were reset" in output["data"]["text/html"]
    page.until(lambda: page.text(LOOK) == "[] 0\n")
    # and everything works again
    page.run("%reset -f\nimport gpucluster\ncluster = gpucluster.connect()")
    again = page.view("cluster")
    page.until(lambda: page.samples(again))


def test_kernel_exits_without_errors(page: FrontEnd, shared_cluster: Any, shared_site: Any) -> None:
    (output,) = page.run("import gpucluster\ncluster = gpucluster.connect()\ncluster.gauges()")
    model = output["data"][WIDGET]["model_id"]
    page.run("print('before')")
    page.shut_down()
    assert page.models[model]["note"] == "The kernel has stopped; this is the last state."
    assert page.models[model]["kernel_over"] is True
    assert model not in page.closed, "the view stays drawn"
    assert WIDGET not in output["data"]
    assert "The kernel has stopped; this is the last state." in output["data"]["text/html"]
    assert [message["text"] for message in page.said if message.get("name") == "stderr"] == []
    assert shared_site.get("shared").state.value == "running"


@pytest.mark.full
def test_a_dashboard_belongs_to_a_jupyter_server(page: FrontEnd, shared_cluster: Any) -> None:
    page.run("import gpucluster, os\nos.environ.pop('JPY_PARENT_PID', None)\ncluster = gpucluster.connect()")
    (output,) = page.run("d = cluster.dashboard('task-stream')\nd")
    state = page.models[output["data"][WIDGET]["model_id"]]
    assert state["path"] is None
    assert "belongs to no Jupyter server" in state["refusal"]
    secret = page.text("print(cluster.dashboard_link)").split("/")[3]
    page.run("d.close()\nos.environ['JUPYTERHUB_SERVICE_PREFIX'] = '/user/me/'")
    (output,) = page.run("d = cluster.dashboard('Task stream')\nd")
    dashboard = output["data"][WIDGET]["model_id"]
    state = page.models[dashboard]
    assert state["path"] == f"/user/me/gpucluster/dashboard/{shared_cluster.id}"
    assert state["page"] == "individual-task-stream"
    assert ["individual-gpu-memory", "GPU memory"] not in state["pages"], "no GPU pages without GPUs"
    assert secret not in repr(page.models) + repr(page.outputs)
    page.request(dashboard, kind="page", page="individual-progress")
    page.until(lambda: page.text("print(d.page)") == "individual-progress\n")
    # requested again, it is the same widget with the requested page
    assert page.text("print(cluster.dashboard('task-stream') is d, d.page)") == "True individual-task-stream\n"
    page.request(dashboard, kind="page", page="../status")
    page.until(lambda: page.models[dashboard]["refusal"])
    assert page.text("print(d.page)") == "individual-task-stream\n"


def test_the_magics(page: FrontEnd, blue: Any, site: Any) -> None:
    assert page.text("%load_ext gpucluster") == ""
    gauges = page.view("%gpucluster gauges")
    assert page.models[gauges]["view"] == "gauges"
    assert page.models[page.view("%gpucluster gauges blue")]["cluster"]["id"] == blue.id
    # Without a Jupyter server there is only the direct link.
    page.run("import os\nos.environ.pop('JPY_PARENT_PID', None)")
    link = page.text("%gpucluster dashboard --page task-stream")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]+/individual-task-stream\n", link)
    page.run("os.environ['JUPYTERHUB_SERVICE_PREFIX'] = '/user/me/'")
    shown = page.models[page.view("%gpucluster dashboard blue --page 'GPU memory'")]
    assert (shown["view"], shown["page"]) == ("dashboard", "individual-gpu-memory")
    # create shows the card, with live view, in place of its line of progress
    (output,) = page.run("%gpucluster create --backend local --n-workers 1 --memory-limit '512 MiB' --name red")
    assert output["updates"] > 0
    assert page.models[output["data"][WIDGET]["model_id"]]["cluster"]["name"] == "red"
    assert page.text("%gpucluster stop red") == "red: stopped\n"
    page.until(lambda: WIDGET not in output["data"], "the output of an ended cluster is its picture")


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

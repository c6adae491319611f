"""Canaries: Dask's spans and annotations, by which tasks are counted under cells."""

import dask
import distributed
import pytest
from distributed import Client, SchedulerPlugin
from gpucluster.dask_internals import spans
from gpucluster.dask_internals.clients import ClientOfCluster

FACTS = {"id": "run-1", "number": 3}


class Notebook(ClientOfCluster):
    def current_cell(self):
        return "lab.ipynb [3]", "run-1", FACTS


@pytest.fixture
def graphs(here):
    """Return what a plugin of the scheduler is given for each graph."""
    seen = []

    class Plugin(SchedulerPlugin):
        def update_graph(self, scheduler, *, client, tasks, annotations, **kwargs):
            known = [scheduler.tasks[key] for key in tasks]
            seen.append((tasks, spans.facts_of(annotations), [dict(task.annotations or {}) for task in known]))
            for task in known:
                spans.drop_facts(task)

    here.scheduler.add_plugin(Plugin(), name="graphs")
    yield seen
    here.scheduler.remove_plugin("graphs")


@pytest.fixture
def notebook(here):
    with Notebook(here.scheduler.address, set_as_default=False) as client:
        yield client


def test_a_graph_carries_the_cell_and_its_span(notebook, graphs, canary):
    with canary("annotations of a graph from Client._graph_to_futures to SchedulerPlugin.update_graph"):
        with dask.annotate(priority=2), distributed.span("mine"):
            notebook.submit(len, "abc", key="len-1").result()
        [(tasks, facts, annotations)] = graphs
        assert list(tasks) == ["len-1"]
        assert facts == {"len-1": FACTS}
        assert annotations[0]["priority"] == 2
        assert annotations[0]["span"]["name"] == ("lab.ipynb [3]", "mine")
        assert annotations[0]["span"]["ids"][0] == "run-1"


def test_facts_do_not_travel_to_workers(here, graphs, canary):
    with (
        canary("TaskState.annotations, which workers receive"),
        Client(here.scheduler.address, set_as_default=False) as client,
    ):
        with spans.cell_span("lab.ipynb [3]", "run-1", FACTS):
            future = client.submit(len, "abc", key="len-2")
        future.result()
        assert graphs[0][1] == {"len-2": FACTS}
        [worker] = [worker for worker in (here.worker, here.other) if "len-2" in worker.state.tasks]
        assert set(worker.state.tasks["len-2"].annotations) == {"span"}


def test_only_new_tasks_have_facts(notebook, graphs, canary):
    with canary("annotations of new tasks only"):
        held = notebook.submit(len, "abc", key="held-1")
        held.result()
        notebook.submit(str, held, key="str-1").result()
        assert [list(facts) for _, facts, _ in graphs] == [["held-1"], ["str-1"]]


def test_groups_count_all_their_tasks(here, notebook, canary):
    with canary("TaskGroup.states, all_durations, nbytes_total, start and stop"):
        futures = notebook.map(lambda x: x, range(5), key=[f"counted-{i}" for i in range(5)])
        notebook.gather(futures)
        group = here.scheduler.tasks["counted-0"].group
        assert spans.n_tasks(group) == 5
        states, durations, n_bytes, start, stop = spans.group_figures(group)
        assert states["memory"] == 5
        assert durations["compute"] >= 0
        assert n_bytes > 0
        assert 0 < start <= stop
        assert spans.states_of(here.scheduler, ["counted-0", "unknown"]) == {"memory": 1, "forgotten": 1}
        assert not spans.is_forgotten(here.scheduler, group)


def test_tasks_of_tasks_have_the_span_only(here, notebook, graphs, canary):
    with canary("the span of a task, which its worker passes on to what the task submits"):

        def nested():
            return distributed.get_client().submit(len, "abc", key="inner-1").result()

        outer = notebook.submit(nested, key="outer-1")
        assert outer.result() == 3
        facts = {tasks[0]: facts for tasks, facts, _ in graphs}
        assert facts["inner-1"] == {}
        assert spans.outermost_span(here.scheduler.tasks["outer-1"]) == "run-1"
        annotations = {tasks[0]: annotations[0] for tasks, _, annotations in graphs}
        assert annotations["inner-1"]["span"]["ids"][0] == "run-1"


def test_a_span_of_dask_takes_the_tasks_of_later_ones(here, graphs, canary):
    """Why we count ourselves: if this fails, Dask's spans may be exact, and our annotation can go."""
    with (
        canary("spans that belong to whole groups"),
        Client(here.scheduler.address, set_as_default=False) as client,
    ):
        held = []
        for name in ("first", "second"):
            with distributed.span(name):
                held += client.map(abs, [1, 2], pure=False)
        client.gather(held)
        assert {spec["span"]["name"] for _, _, annotations in graphs for spec in annotations} == {("first",)}

"""The costs of a cluster by the rates of its site, and messages about workers that wait."""

from datetime import UTC, datetime, timedelta

import pytest
from gpucluster.backends.deployment import Slot, SlotState
from gpucluster.client.display.card import cost_text
from gpucluster.protocol.models import ClusterState, Cost
from gpucluster.site.model import Costs
from gpucluster.supervisor.figures.sampler import CostMeter, by_machine
from gpucluster.supervisor.members import _nodes, _units, _waiting


def test_amounts_add_up_over_changes(monkeypatch):
    seconds = [0.0]
    monkeypatch.setattr("gpucluster.supervisor.figures.sampler.time.monotonic", lambda: seconds[0])
    meter = CostMeter(Costs(unit="node-hours", per_gpu_hour=0.25))
    nothing = meter.note(gpus=0, cores=0, nodes=0)
    assert (nothing.amount, nothing.per_hour) == (0, 0)
    seconds[0] = 3600
    four = meter.note(gpus=4, cores=32, nodes=1)
    assert (four.amount, four.per_hour) == (0, 1)
    assert meter.note(gpus=4, cores=32, nodes=1) is four, "no change to report"
    seconds[0] = 3600 * 3.3
    one = meter.note(gpus=1, cores=8, nodes=1)
    assert (one.amount, one.per_hour) == (pytest.approx(2.3), 0.25)
    assert meter.end().per_hour == 0


def test_rates_are_added():
    costs = Costs(unit="credits", per_gpu_hour=10, per_cpu_hour=1, per_node_hour=100)
    assert costs.per_hour(gpus=2, cores=16, nodes=1) == 136


def test_a_cluster_costs_until_it_has_ended(site, tmp_path, monkeypatch):
    file = tmp_path / "site.yaml"
    file.write_text("costs: {local: {unit: core-hours, per_cpu_hour: 3600}}\n")
    file.chmod(0o644)
    monkeypatch.setenv("GPUCLUSTER_SITE", str(file))
    model = site.running(n_workers=1, threads_per_worker=2)
    model = site.wait_for(model.id, lambda model: model.cost is not None and model.cost.per_hour)
    assert (model.cost.unit, model.cost.per_hour) == ("core-hours", 7200), "two threads, at one each second"
    assert cost_text(model).endswith(" core-hours so far")
    site.control.stop(model.id)
    ended = site.get(model.id)
    assert ended.state is ClusterState.STOPPED
    assert ended.cost.per_hour == 0
    assert ended.cost.amount > 0
    assert "so far" not in cost_text(ended)


def test_site_without_costs_shows_none(shared_site):
    model = shared_site.running(n_workers=0)
    assert (model.cost, cost_text(model)) == (None, None)
    shared_site.control.stop(model.id)


def test_cost_is_extrapolated_until_end():
    begun = datetime(2026, 11, 23, 12, tzinfo=UTC)
    cost = Cost(unit="node-hours", amount=2, per_hour=1, at=begun.isoformat())
    assert cost.until(begun + timedelta(minutes=30)) == 2.5
    assert cost.until(begun - timedelta(minutes=30)) == 2, "clocks differ"


@pytest.mark.parametrize(
    ("pending", "wanted", "sentence"),
    [
        (3, 4, "3 of 4 jobs wait: Resources, expected 14:20"),
        (1, 4, "1 of 4 jobs waits: Resources, expected 14:20"),
        (1, 1, "Its job waits: Resources, expected 14:20"),
    ],
)
def test_waiting_workers_are_one_message(pending, wanted, sentence):
    message = _waiting(pending, wanted, "job", ["Resources, expected 14:20", "Priority", "Priority"])
    assert message is not None and f"{message.subject}: {message.text}" == sentence
    assert _waiting(pending, wanted, "job", []) is None, "they are just starting"


def test_job_with_several_workers_counts_once():
    now = datetime.now(UTC)
    slots = [Slot(f"{job}-{place}", SlotState.PENDING, now, comes_with=job) for job in "01" for place in "0123"]
    assert _units(slots) == 2
    assert _units([Slot(name, SlotState.PENDING, now) for name in "0123"]) == 4


def test_nodes_are_counted():
    now = datetime.now(UTC)
    places = {"0": "n1", "1": "n1", "2": "n2", "3": None, "4": "n2"}
    slots = [Slot(name, SlotState.RUNNING, now, node=node) for name, node in places.items()]
    assert _nodes({"0", "1", "2", "3"}, slots, "GPU") == ["n1: 2 GPUs", "n2: 1 GPU"]


def test_workers_are_grouped_by_machine():
    columns = {"workers": ("0", "1", "2"), "host": ("a", "b", "a"), "cpu_percent": (1, 2, 3), "rmm_bytes": ()}
    assert by_machine(columns) == {
        "workers": ("0", "2", "1"),
        "host": ("a", "a", "b"),
        "cpu_percent": (1, 3, 2),
        "rmm_bytes": (),
    }
    alone = {"workers": ("0", "1"), "host": ("a", "a")}
    assert by_machine(alone) is alone

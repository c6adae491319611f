"""A kernel enables cuDF's spilling for clusters that use it. cuDF is a stand-in; no GPU is tested."""

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpucluster.client.cluster import client_of
from gpucluster.client.libraries import let_cudf_spill


@pytest.fixture(autouse=True)
def without_cudf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDF_SPILL", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "cudf"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("CUDF_SPILL", "")  # put back at the end
    monkeypatch.delenv("CUDF_SPILL")


def stand_in(monkeypatch: pytest.MonkeyPatch, manager: Any) -> dict[str, Any]:
    """Make an importable stand-in for cuDF; returns its settings."""
    found: dict[str, Any] = {"manager": manager}
    modules = {name: ModuleType(name) for name in ("cudf", "cudf.core", "cudf.core.buffer")}
    spilling: Any = ModuleType("cudf.core.buffer.spill_manager")
    spilling.SpillManager = lambda: "a new one"
    spilling.get_global_manager = lambda: found["manager"]
    spilling.set_global_manager = lambda manager: found.update(manager=manager)
    modules["cudf"].__dict__["set_option"] = found.__setitem__
    modules["cudf.core.buffer"].__dict__["spill_manager"] = spilling
    for name, module in {**modules, spilling.__name__: spilling}.items():
        monkeypatch.setitem(sys.modules, name, module)
    return found


def test_variable_enables_spilling_before_cudf_is_imported() -> None:
    let_cudf_spill()
    assert os.environ["CUDF_SPILL"] == "on"
    os.environ["CUDF_SPILL"] = "off"
    let_cudf_spill()
    assert os.environ["CUDF_SPILL"] == "off", "the user's setting wins"


@pytest.mark.parametrize(("manager", "expected"), [(None, "a new one"), ("its own", "its own")])
def test_option_enables_spilling_after_cudf_is_imported(monkeypatch, manager: Any, expected: str) -> None:
    found = stand_in(monkeypatch, manager)
    let_cudf_spill()
    assert found == {"spill": True, "manager": expected}
    assert "CUDF_SPILL" not in os.environ


def test_another_version_of_cudf_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, None)
    monkeypatch.delattr(sys.modules["cudf.core.buffer.spill_manager"], "SpillManager")
    with pytest.warns(UserWarning, match="CUDF_SPILL=on before"):
        let_cudf_spill()


@pytest.mark.parametrize(
    ("fields", "variable"), [({}, None), ({"enable_cudf_spill": False}, None), ({"enable_cudf_spill": True}, "on")]
)
def test_only_clients_of_spilling_clusters_enable_spilling(monkeypatch, fields, variable: str | None) -> None:
    made: list[Any] = []
    monkeypatch.setattr("gpucluster.client.notebook_client.Client", lambda *arguments, **_: made.append(arguments))
    model = SimpleNamespace(spec=SimpleNamespace(**fields))
    cluster: Any = SimpleNamespace(scheduler_address="unix://", model=model, asynchronous=False)
    client_of(cluster, {})
    assert (len(made), os.environ.get("CUDF_SPILL")) == (1, variable)

"""Canaries: settings that would keep a cluster from starting, and settings that a scheduler reads at work."""

import ast
import copy
import inspect
import pickle

import cloudpickle
import dask
import dask.array as da
import distributed.client
import distributed.scheduler
import pytest
import yaml
from dask.base import collections_to_expr
from gpucluster.dask_internals import configuration

_USABLE = {
    "scheduler": {"bandwidth": "100 MB", "worker_ttl": None, "idle-timeout": "1h", "contact-address": "tcp://x:1",
                  "preload": "a.py", "default-task-durations": {"mine": "2s"}, "worker-saturation": float("inf")},
    "worker": {"memory": {"target": False, "spill": None, "max-spill": "10 GB"}, "lifetime": {"duration": None},
               "preload": ["a"], "resources": {"GPU": 1}, "unknown": "x"},
    "comm": {"timeouts": {"connect": 20}, "socket-backlog": "2048", "retry": {"delay": {"min": "500 ms"}}},
    "logging": {"distributed": "WARNING", "x": 10}, "unknown": {"y": "z"},
}  # fmt: skip
_REFUSED = {
    "scheduler": [("worker-ttl", "abc", "a duration"), ("bandwidth", "fast", "a size"), ("preload", 5, "a list"),
                  ("allowed-failures", "three", "a number"), ("contact-address", 5, "an address as text"),
                  ("default-task-durations", {"mine": "abc"}, "a duration"), ("locks", None, "names with values")],
    "worker": [("memory", {"pause": "80%"}, "a number from 0 to 1, or false"),
               ("memory", {"target": 1.5}, "a number from 0 to 1, or false"),
               ("memory", {"terminate": -0.1}, "a number from 0 to 1, or false"),
               ("memory", {"max-spill": "x"}, "a size"),
               ("lifetime", {"duration": "soon"}, "or null"), ("profile", {"interval": None}, "a duration")],
    "admin": [("event-loop", "fast", "uvloop"), ("log-format", "%(nope", "a format"), ("tick", 5, "names with values")],
    "comm": [("socket-backlog", "many", "a whole number"), ("offload", "x", "a size")],
}  # fmt: skip


@pytest.fixture
def refused(monkeypatch, tmp_path):
    """Return the messages about refused settings below ``distributed`` in a file."""

    def look(settings):
        (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"distributed": settings}))
        monkeypatch.setattr("dask.config.paths", [str(tmp_path)])
        return [said for said in configuration.wrong_settings() if "mine.yaml" in said]

    return look


def test_valid_settings_are_accepted(canary, refused):
    with canary("distributed.yaml"):
        defaults = configuration._defaults()["distributed"]
        assert {"scheduler", "worker", "nanny", "comm", "admin"} <= defaults.keys()
    with canary("default settings of these kinds"):
        assert refused(defaults) == []
    assert refused(_USABLE) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [("a: [1", "line 1, column 6: "), ("- x", "it must contain names"), ("1: {2: 3}", "the name 1 is not a string")],
)
def test_unreadable_configuration_file_is_found(canary, monkeypatch, tmp_path, text, fault):
    for name, content in (("fine.yaml", "x: 1"), ("mine.yaml", text), ("none.txt", ":")):
        (tmp_path / name).write_text(content)
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path))
    with canary("dask.config.collect that refuses such a file"), pytest.raises(Exception) as refused:
        dask.config.update({"x": {}}, dask.config.collect(paths=[str(tmp_path)], env={}))
    said = configuration.why_unreadable(refused.value)
    assert said.startswith(f"Dask's configuration file {tmp_path}/mine.yaml cannot be read: {fault}")


@pytest.mark.parametrize(
    ("part", "name", "value", "allowed"), [(part, *each) for part, listed in _REFUSED.items() for each in listed]
)
def test_invalid_settings_are_refused_with_allowed_values(refused, part, name, value, allowed):
    [said] = refused({part: {name: value}})
    assert said.startswith(f"Dask's setting distributed.{part}.{name}")
    assert allowed in said.partition("Allowed: ")[2]


@pytest.mark.parametrize(
    ("settings", "allowed"),
    [
        ({"logging": {"x": "loud"}}, "for each logger one of critical, "),
        ({"logging": {"version": 1, "handlers": {"x": {"class": "nope"}}}}, "(Unable to configure handler 'x')"),
        ({"logging-file-config": "/no/such/file"}, "the path of a file"),
    ],
)
def test_invalid_logging_settings_are_refused(refused, settings, allowed):
    [said] = refused(settings)
    assert allowed in said


def test_a_graph_brings_its_settings(canary):
    with canary("dask.config.global_config"):
        identity = {configuration.IN_IDENTITY: copy.deepcopy(configuration.settings_here())}
        assert identity[configuration.IN_IDENTITY] == {
            name: dask.config.get(name) for name in (configuration.OF_GRAPHS, *configuration.AT_WORK)
        }
        assert configuration.without_effect(identity) == configuration.without_effect({}) == []
    with dask.annotate(retries=2):
        collection = da.ones(1, chunks=1).map_blocks(abs)
    graph = collections_to_expr([collection]).optimize()
    assert configuration.with_settings(graph, identity) is configuration.with_settings(graph, {}) is graph
    with dask.config.set({"optimization.fuse.active": False, configuration.AT_WORK[0]: 1}):
        assert configuration.without_effect(identity) == [configuration.AT_WORK[0]]
        sent = [cloudpickle.dumps(configuration.with_settings(graph, known)) for known in (identity, {})]
        with canary("dask._expr.LLGExpr"):
            from dask._expr import LLGExpr

            plain = LLGExpr({"x": 1})
            assert configuration.with_settings(plain, identity) is plain
    with canary("dask._expr.HLGExpr, which is optimized by __dask_graph__() and __dask_annotations__()"):
        assert "retries" not in graph.__dask_annotations__(), "fused here"
        for one in sent:
            received = pickle.loads(one)  # noqa: S301
            assert "<locals>" in type(received).__qualname__, "so it is sent as code"
            assert set(received.__dask_annotations__()["retries"].values()) == {2}
            assert set(received.__dask_graph__()) == set(graph.__dask_graph__())


def test_scheduler_uses_two_graph_methods(canary):
    with canary("Client._graph_to_futures(expr), Scheduler.update_graph(expr_ser) and _materialize_graph(expr)"):
        assert "expr" in inspect.signature(distributed.client.Client._graph_to_futures).parameters
        tree = ast.parse(inspect.getsource(distributed.scheduler._materialize_graph))
        asked = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "expr"
        }
        assert asked == {"__dask_graph__", "__dask_annotations__"}

"""Canaries: settings that a scheduler reads at work."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle

import cloudpickle
import dask
import dask.array as da
import distributed.client
import distributed.scheduler
from dask.base import collections_to_expr
from gpucluster.dask_internals import settings


def test_a_graph_brings_its_settings(canary):
    with canary("dask.config.global_config"):
        identity = {settings.IN_IDENTITY: copy.deepcopy(settings.settings_here())}
        assert identity[settings.IN_IDENTITY] == {
            name: dask.config.get(name) for name in (settings.OF_GRAPHS, *settings.AT_WORK)
        }
        assert settings.without_effect(identity) == settings.without_effect({}) == []
    with dask.annotate(retries=2):
        collection = da.ones(1, chunks=1).map_blocks(abs)
    graph = collections_to_expr([collection]).optimize()
    assert settings.with_settings(graph, identity) is settings.with_settings(graph, {}) is graph
    with dask.config.set({"optimization.fuse.active": False, settings.AT_WORK[0]: 1}):
        assert settings.without_effect(identity) == [settings.AT_WORK[0]]
        sent = [cloudpickle.dumps(settings.with_settings(graph, known)) for known in (identity, {})]
        with canary("dask._expr.LLGExpr"):
            from dask._expr import LLGExpr

            plain = LLGExpr({"x": 1})
            assert settings.with_settings(plain, identity) is plain
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

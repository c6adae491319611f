"""What this package relies on is looked for in Dask's source, and named when it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpucluster.dask_internals import untested

SOURCE = '''
from distributed.core import Status, gone_from_core
from dask.gone import anything
import distributed.utils

def one(scheduler):
    """Relies on ``Scheduler.clients``, ``Scheduler.gone_attribute`` and ``WorkerState.processing``."""
    from distributed.worker import get_data_from_worker
'''


def test_the_dask_of_the_tests_has_everything() -> None:
    untested.missing_names.cache_clear()
    assert untested.missing_names() == ()
    assert len(untested._imported_names()) > 50
    assert len(untested._named_attributes()) > 80
    assert ("Nanny", "process") in untested._named_attributes(), "folders below are read, too"


def test_missing_names_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untested, "_sources", lambda: iter([SOURCE]))
    untested.missing_names.cache_clear()
    try:
        gone = untested.missing_names()
    finally:
        untested.missing_names.cache_clear()
    assert gone == ("Scheduler.gone_attribute", "dask.gone.anything", "distributed.core.gone_from_core")


def test_a_dask_without_sources_lacks_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(untested, "_folder", lambda package: tmp_path)
    untested.missing_names.cache_clear()
    try:
        assert "distributed.core.Status" in untested.missing_names()
    finally:
        untested.missing_names.cache_clear()

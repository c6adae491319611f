"""The names that this package relies on are looked up in Dask's source and reported when missing."""

from __future__ import annotations

from collections.abc import Iterator
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


@pytest.fixture(autouse=True)
def _nothing_is_cached() -> Iterator[None]:
    untested.missing_names.cache_clear()
    yield
    untested.missing_names.cache_clear()


def test_the_dask_of_the_tests_has_everything() -> None:
    assert untested.missing_names() == ()
    assert len(untested._imported_names()) > 50
    assert len(untested._named_attributes()) > 80
    assert ("Nanny", "process") in untested._named_attributes(), "subfolders are not read"


def test_missing_names_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untested, "_sources", lambda: iter([SOURCE]))
    gone = "Scheduler.gone_attribute", "dask.gone.anything", "distributed.core.gone_from_core"
    assert untested.missing_names() == gone


def test_a_dask_without_sources_lacks_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(untested, "_folder", lambda package: tmp_path)
    assert "distributed.core.Status" in untested.missing_names()

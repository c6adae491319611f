"""A private registry, and one real cluster per module."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gpucluster
import IPython.display
import matplotlib
import pytest
from gpucluster.lessons import lab as lab_module
from gpucluster.lessons.hints import _given
from gpucluster.lessons.learner_progress import FOLDER_VARIABLE
from gpucluster.lessons.predictions import _noted

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def registry() -> Iterator[Path]:
    """A registry directory with a short path, empty of living clusters at the end."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPUCLUSTER_DIR", str(folder))
        patch.delenv(lab_module.CLUSTER_VARIABLE, raising=False)
        yield folder
        alive = [model.name for model in gpucluster.list() if not model.state.ended]
        for name in alive:
            gpucluster.connect(name).stop()
    shutil.rmtree(folder, ignore_errors=True)
    assert alive == []


@pytest.fixture(scope="module")
def cluster(registry: Path) -> Iterator[Any]:
    """Two CPU workers, started by our own API."""
    made = gpucluster.create("local", name="classroom", n_workers=2)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def client(cluster: Any) -> Iterator[Any]:
    connected = cluster.get_client()
    yield connected
    connected.close()


@pytest.fixture(autouse=True)
def own_progress(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test records its progress in a separate folder."""
    folder = tmp_path_factory.mktemp("learner")
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Each test begins with no hints given and nothing predicted."""
    _given.clear()
    _noted.clear()
    yield
    lab_module._current = None


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was displayed, in order."""
    displayed: list[Any] = []
    monkeypatch.setattr(IPython.display, "display", displayed.append)
    return displayed
